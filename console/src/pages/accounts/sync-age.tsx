import type { CloudAccount } from '@muster/contract'
import { isOverdue } from '../../servers/freshness.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Icon } from '../../ui/icon.tsx'
import { useNow } from '../../ui/use-now.ts'
import styles from './sync.module.css'

interface Props {
  readonly account: CloudAccount
  /** When the account was fetched, to judge its age at that time. */
  readonly fetchedAt: number
}

/** The data age of an account, with a warning if it is stale. */
export function SyncAge({ account, fetchedAt }: Props) {
  const t = useMessages()
  const { ago, dateTime } = useFormat()
  const now = useNow()
  const time = account.sync.finished_at
  if (time === null) return <span className={styles.soft}>{t.accounts.never}</span>
  const stale = account.enabled && isOverdue(time, fetchedAt, account.period)
  // The page's clock updates every ten seconds and may lag behind.
  const age = ago(time, Math.max(now, Date.parse(time)))
  return (
    <span className={stale ? `${styles.age} ${styles.stale}` : styles.age}>
      {stale && <Icon name="warning" size={14} />}
      <time dateTime={time} title={`${dateTime(time)} · ${time}`}>
        {t.accounts.ago(age)}
      </time>
      {stale && <span className={styles.why}>{t.accounts.stale}</span>}
    </span>
  )
}
