import { useMessages } from '../../messages/use-messages.ts'
import { Copyable } from '../../ui/copyable.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { AttachLink } from './attach-link.tsx'
import styles from './accounts-page.module.css'

/** Before anything is attached: what an account is, and the two ways to have one. */
export function AccountsEmpty() {
  const t = useMessages()
  return (
    <EmptyState title={t.accounts.emptyTitle} actions={<AttachLink />}>
      <p>{t.accounts.emptyText}</p>
      <p className={styles.demo}>
        {t.accounts.emptyDemo} <Copyable value={t.accounts.demoCommand} />
      </p>
    </EmptyState>
  )
}
