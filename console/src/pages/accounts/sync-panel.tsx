import type { CloudAccount } from '@muster/contract'
import { isSyncing } from '../../api/queries/account-polling.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { AccountWarnings } from './account-warnings.tsx'
import styles from './account-page.module.css'
import { NextSync } from './next-sync.tsx'
import { SyncAge } from './sync-age.tsx'
import syncStyles from './sync.module.css'
import { shareOf } from './sync-progress.ts'

interface Props {
  readonly account: CloudAccount
  readonly fetchedAt: number
}

/** The last, current and next sync of an account. */
export function SyncPanel({ account, fetchedAt }: Props) {
  const t = useMessages()
  const { number, duration, dateTime } = useFormat()
  const { sync, status } = account
  const isRunning = sync.state === 'running'
  // During a sync the counts belong to the running one, which is shown above.
  const hasCounts = sync.finished_at !== null && !isRunning
  return (
    <section className={styles.section} aria-labelledby="account-sync">
      <h2 id="account-sync">{t.accounts.sync}</h2>
      <p className={styles.soft}>{t.accounts.statusHints[status]}</p>
      {sync.error !== '' && (
        <p className={styles.trouble}>
          <strong>{t.accounts.lastError}</strong> {sync.error}
        </p>
      )}
      <AccountWarnings account={account} />
      {isSyncing(account) && (
        <div className={styles.live}>
          <RunningSync account={account} />
        </div>
      )}
      <PropertyList>
        <Property label={t.accounts.lastSync}>
          <SyncAge account={account} fetchedAt={fetchedAt} />
        </Property>
        {sync.finished_at !== null && (
          <Property label={t.accounts.duration}>{duration(sync.duration_ms)}</Property>
        )}
        {hasCounts && (
          <>
            <Property label={t.accounts.seen}>{number(sync.seen)}</Property>
            <Property label={t.accounts.created}>{number(sync.created)}</Property>
            <Property label={t.accounts.changed}>{number(sync.changed)}</Property>
            <Property label={t.accounts.gone}>{number(sync.gone)}</Property>
          </>
        )}
        {isRunning && sync.started_at !== null && (
          <Property label={t.accounts.since}>{dateTime(sync.started_at)}</Property>
        )}
        <Property label={t.accounts.nextSync}>
          <NextSync sync={sync} />
        </Property>
      </PropertyList>
    </section>
  )
}

/** The progress of a queued or running sync. */
function RunningSync({ account }: { readonly account: CloudAccount }) {
  const t = useMessages()
  const { number } = useFormat()
  const { name, sync } = account
  if (sync.state === 'queued') return <span className={syncStyles.soft}>{t.accounts.queued}</span>
  const share = shareOf(account)
  const counts = [sync.seen, sync.created, sync.changed, sync.gone].map(number)
  const [seen = '', created = '', changed = '', gone = ''] = counts
  return (
    <span className={syncStyles.running}>
      <span>{t.accounts.running}</span>
      <progress
        className={syncStyles.bar}
        aria-label={t.accounts.progress(name)}
        {...(share !== undefined && { value: share })}
      />
      <span className={syncStyles.counts}>{t.accounts.soFar(seen, created, changed, gone)}</span>
    </span>
  )
}
