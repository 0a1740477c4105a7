import type { CloudAccount, CloudProvider } from '@muster/contract'
import { useEffect, useRef } from 'react'
import { useMay } from '../../session/use-may.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import { AccountFields } from './account-fields.tsx'
import styles from './account-form.module.css'
import { LeaveQuestion } from './leave-question.tsx'
import { SaveQuestion } from './save-question.tsx'
import { SettingsFields } from './settings-fields.tsx'
import { TestPanel } from './test-panel.tsx'
import { useAccountForm } from './use-account-form.ts'

interface Props {
  readonly provider: CloudProvider
  /** Absent: a new one. */
  readonly account?: CloudAccount
  readonly onSaved: (account: CloudAccount) => void
}

/** Attaches an account, or changes one: its fields are those that the provider describes. */
export function AccountForm({ provider, account, onSaved }: Props) {
  const t = useMessages()
  const form = useAccountForm({ provider, account, onSaved })
  const { values, problems, isThere } = form
  const element = useRef<HTMLFormElement>(null)
  const maySave = useMay(isThere ? 'updateCloudAccount' : 'createCloudAccount')
  const mayTest = useMay(isThere ? 'testCloudAccount' : 'testNewCloudAccount')
  const testReason = mayTest.reason ?? (form.needsSecrets ? t.accounts.testSecret : undefined)
  const isIdle = isThere && !form.isDirty
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
        if (maySave.allowed && !isIdle && !form.save.isPending) form.submit()
      }}
    >
      <div className={styles.fields}>
        <AccountFields
          provider={provider}
          isThere={isThere}
          values={values}
          problems={problems}
          onChange={form.change}
        />
        <SettingsFields
          provider={provider}
          isThere={isThere}
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
            disabledReason={maySave.reason ?? (isIdle ? t.accounts.nothingChanged : undefined)}
          >
            {isThere ? t.accounts.saveChanges : t.accounts.saveNew}
          </Button>
        </div>
      </div>
      {form.isAsking && (
        <SaveQuestion
          failed={form.failed}
          testReason={testReason}
          onTest={form.tryNow}
          onSave={form.submitNow}
          onClose={form.stopAsking}
        />
      )}
      <LeaveQuestion isDirty={form.isDirty} />
    </form>
  )
}
