import type { CloudAccount } from '@muster/contract'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import styles from './sync.module.css'
import { shareOf } from './sync-progress.ts'

/** A running sync in the height of a row of the list: nothing jumps when one starts or ends. */
export function RunningMark({ account }: { readonly account: CloudAccount }) {
  const t = useMessages()
  const { number } = useFormat()
  const { seen, created, changed, gone } = account.sync
  const counts = [number(seen), number(created), number(changed), number(gone)] as const
  const share = shareOf(account)
  return (
    <span className={styles.mark} title={t.accounts.soFar(...counts)}>
      <span aria-hidden="true">{t.accounts.soFarShort(...counts)}</span>
      <span className="visuallyHidden">{t.accounts.soFar(...counts)}</span>
      <progress
        className={styles.bar}
        aria-label={t.accounts.progress(account.name)}
        {...(share !== undefined && { value: share })}
      />
    </span>
  )
}
