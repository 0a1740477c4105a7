import type { CloudAccount } from '@muster/contract'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import styles from './sync.module.css'
import { shareOf } from './sync-progress.ts'

/** How far a sync is that is queued or runs, as it goes on. */
export function RunningSync({ account }: { readonly account: CloudAccount }) {
  const t = useMessages()
  const { number } = useFormat()
  const { name, sync } = account
  if (sync.state === 'queued') return <span className={styles.soft}>{t.accounts.queued}</span>
  const share = shareOf(account)
  const counts = [sync.seen, sync.created, sync.changed, sync.gone].map(number)
  const [seen = '', created = '', changed = '', gone = ''] = counts
  return (
    <span className={styles.running}>
      <span>{t.accounts.running}</span>
      <progress
        className={styles.bar}
        aria-label={t.accounts.progress(name)}
        {...(share !== undefined && { value: share })}
      />
      <span className={styles.counts}>{t.accounts.soFar(seen, created, changed, gone)}</span>
    </span>
  )
}
