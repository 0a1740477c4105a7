import type { CloudAccount } from '@muster/contract'
import { isSyncing } from '../../api/queries/account-polling.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Property, PropertyList } from '../../ui/property-list.tsx'
import { RemedyLink, useFailingFor } from './account-trouble.tsx'
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

/** The state of the sync of an account: what fails, the current and the next one. */
export function SyncPanel({ account, fetchedAt }: Props) {
  const t = useMessages()
  const { dateTime } = useFormat()
  const { sync, status } = account
  const isRunning = sync.state === 'running'
  const failingFor = useFailingFor(account)
  return (
    <section className={styles.section} aria-labelledby="account-sync">
      <h2 id="account-sync">{t.accounts.sync}</h2>
      <p className={styles.soft}>{t.accounts.statusHints[status]}</p>
      {sync.error !== '' && (
        <div className={styles.trouble}>
          <p>
            <strong>
              {failingFor === undefined ? t.accounts.lastError : t.accounts.failing(failingFor)}
            </strong>{' '}
            {sync.error}
          </p>
          {sync.error_field !== '' && <RemedyLink account={account} />}
        </div>
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
