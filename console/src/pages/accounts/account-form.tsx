import type { CloudAccount, CloudProvider } from '@muster/contract'
import { useEffect, useRef } from 'react'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { AccountFields } from './account-fields.tsx'
import styles from './account-form.module.css'
import { UnsavedChangesDialog } from './unsaved-changes-dialog.tsx'
import { ConfirmSaveDialog } from './confirm-save-dialog.tsx'
import { SettingsFields } from './settings-fields.tsx'
import { TestPanel } from './test-panel.tsx'
import { useAccountForm } from './use-account-form.ts'

interface Props {
  readonly provider: CloudProvider
  /** MissingValue: a new one. */
  readonly account?: CloudAccount
  readonly onSaved: (account: CloudAccount) => void
}

/** Attaches an account, or changes one: its fields are those that the provider describes. */
export function AccountForm({ provider, account, onSaved }: Props) {
  const t = useMessages()
  const form = useAccountForm({ provider, account, onSaved })
  const { values, problems, isExisting } = form
  const element = useRef<HTMLFormElement>(null)
  const canSave = usePermission(isExisting ? 'updateCloudAccount' : 'createCloudAccount')
  const canTest = usePermission(isExisting ? 'testCloudAccount' : 'testNewCloudAccount')
  const testReason = canTest.reason ?? (form.needsSecrets ? t.accounts.testSecret : undefined)
  const isIdle = isExisting && !form.isDirty
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [problems])
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
          failed={form.failed}
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
