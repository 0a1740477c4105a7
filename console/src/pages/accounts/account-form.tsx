import type { CloudAccount, CloudProvider } from '@muster/contract'
import { useEffect, useRef } from 'react'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { AccountFields } from './account-fields.tsx'
import styles from './account-form.module.css'
import { UnsavedChangesDialog } from './unsaved-changes-dialog.tsx'
import { SettingsFields } from './settings-fields.tsx'
import { useAccountForm } from './use-account-form.ts'
import { Dialog } from '../../ui/dialog.tsx'
import type { Settings } from './account-values.ts'
import { FormSection } from './form-section.tsx'
import { StatusMark } from '../../ui/status-mark.tsx'
import { TestResult } from './test-result.tsx'
import type { useAccountTest } from './use-account-test.ts'

interface Props {
  readonly provider: CloudProvider
  /** Undefined for a new account. */
  readonly account?: CloudAccount
  readonly onSaved: (account: CloudAccount) => void
}

/** Creates or edits an account. The provider describes the fields. */
export function AccountForm({ provider, account, onSaved }: Props) {
  const t = useMessages()
  const form = useAccountForm({ provider, account, onSaved })
  const { values, found, problems, isExisting } = form
  const element = useRef<HTMLFormElement>(null)
  const canSave = usePermission(isExisting ? 'updateCloudAccount' : 'createCloudAccount')
  const canTest = usePermission(isExisting ? 'testCloudAccount' : 'testNewCloudAccount')
  const testReason = canTest.reason ?? (form.needsSecrets ? t.accounts.testSecret : undefined)
  const isIdle = isExisting && !form.isDirty
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [found])
  return (
    <form
      ref={element}
      className={styles.form}
      noValidate
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        if (canSave.allowed && !isIdle && !form.save.isPending) form.submit()
      }}
    >
      <div className={styles.fields}>
        <AccountFields
          provider={provider}
          isExisting={isExisting}
          values={values}
          problems={problems}
          onChange={form.change}
        />
        <SettingsFields
          provider={provider}
          access={values.access}
          isExisting={isExisting}
          settings={values.settings}
          problems={problems}
          onChange={(change) => form.change({ settings: { ...values.settings, ...change } })}
        />
      </div>
      <div className={styles.side}>
        <TestPanel
          test={form.test}
          settings={values.settings}
          disabledReason={testReason}
          onTest={form.tryNow}
        />
        {form.save.isError && <ErrorNotice error={form.save.error} />}
        <div className={styles.save}>
          <Button
            look="primary"
            type="submit"
            busy={form.save.isPending}
            disabledReason={canSave.reason ?? (isIdle ? t.accounts.nothingChanged : undefined)}
          >
            {isExisting ? t.accounts.saveChanges : t.accounts.saveNew}
          </Button>
        </div>
      </div>
      {form.isAsking && (
        <ConfirmSaveDialog
          failure={form.failure}
          isNew={!isExisting}
          testReason={testReason}
          onTest={form.tryNow}
          onSave={form.submitNow}
          onClose={form.stopAsking}
        />
      )}
      <UnsavedChangesDialog isDirty={form.isDirty} />
    </form>
  )
}

interface ConfirmSaveDialogProps {
  /** Why the test of the current settings failed, if it did. */
  readonly failure: ReturnType<typeof useAccountForm>['failure']
  readonly isNew: boolean
  readonly testReason: string | undefined
  readonly onTest: () => void
  readonly onSave: () => void
  readonly onClose: () => void
}

/** Asks before untested settings are saved. */
function ConfirmSaveDialog({
  failure,
  isNew,
  testReason,
  onTest,
  onSave,
  onClose,
}: ConfirmSaveDialogProps) {
  const t = useMessages()
  return (
    <Dialog
      title={failure ? t.accounts.failedTitle : t.accounts.untestedTitle}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t.common.cancel}</Button>
          <Button onClick={onSave}>
            {isNew ? t.accounts.attachAnyway : t.accounts.saveAnyway}
          </Button>
          {!failure && (
            <Button look="primary" disabledReason={testReason} onClick={onTest}>
              {t.accounts.testFirst}
            </Button>
          )}
        </>
      }
    >
      {failure && 'error' in failure ? (
        <ErrorNotice error={failure.error} />
      ) : (
        <p>{failure ? t.accounts.testFailedBecause(failure.text) : t.accounts.untestedText}</p>
      )}
    </Dialog>
  )
}

interface TestPanelProps {
  readonly test: ReturnType<typeof useAccountTest>
  readonly settings: Settings
  readonly disabledReason: string | undefined
  readonly onTest: () => void
}

/** Tests the settings before they are saved. */
function TestPanel({ test, settings, disabledReason, onTest }: TestPanelProps) {
  const t = useMessages()
  const { data, error, isPending } = test
  return (
    <FormSection title={t.accounts.testSection} lead={t.accounts.testLead}>
      <div>
        <Button busy={isPending} disabledReason={disabledReason} onClick={onTest}>
          {t.accounts.test}
        </Button>
      </div>
      {isPending && <p role="status">{t.accounts.testing}</p>}
      {error && !isPending && (
        <>
          <StatusMark tone="bad">{t.accounts.testFails}</StatusMark>
          <ErrorNotice error={error} />
        </>
      )}
      {data && !isPending && <TestResult test={data.test} isOutdated={data.of !== settings} />}
    </FormSection>
  )
}
