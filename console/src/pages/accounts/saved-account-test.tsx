import type { CloudAccount } from '@muster/contract'
import { useMutation } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { usePermission } from '../../session/use-permission.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/error-notice.tsx'
import styles from './account-page.module.css'
import { TestResult } from './test-result.tsx'

/** Tries an account with the credentials that are kept. */
export function SavedAccountTest({ account: { id } }: { readonly account: CloudAccount }) {
  const t = useMessages()
  const { reason } = usePermission('testCloudAccount')
  const test = useMutation({
    mutationFn: async () => (await api.testCloudAccount({ parameters: { id } })).test,
  })
  return (
    <section className={styles.section} aria-labelledby="account-test">
      <h2 id="account-test">{t.accounts.testSection}</h2>
      <p className={styles.soft}>{t.accounts.testLead}</p>
      <div>
        <Button busy={test.isPending} disabledReason={reason} onClick={() => test.mutate()}>
          {t.accounts.test}
        </Button>
      </div>
      {test.isPending && <p role="status">{t.accounts.testing}</p>}
      {test.isError && <ErrorNotice error={test.error} />}
      {test.data && !test.isPending && (
        <div className={styles.narrow}>
          <TestResult test={test.data} />
        </div>
      )}
    </section>
  )
}
