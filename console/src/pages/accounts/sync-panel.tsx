import type { CloudAccount } from '@muster/contract'
import { isSyncing } from '../../api/queries/account-polling.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Fact, Facts } from '../../ui/facts.tsx'
import { AccountWarnings } from './account-warnings.tsx'
import styles from './account-page.module.css'
import { NextSync } from './next-sync.tsx'
import { RunningSync } from './running-sync.tsx'
import { SyncAge } from './sync-age.tsx'

interface Props {
  readonly account: CloudAccount
  readonly askedAt: number
}

/** How the last sync went, how far the present one is, and when the next one comes. */
export function SyncPanel({ account, askedAt }: Props) {
  const t = useMessages()
  const { number, duration, moment } = useFormat()
  const { sync, status } = account
  const isRunning = sync.state === 'running'
  // While one runs the counts are of that one, and its own panel shows them.
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
      <Facts>
        <Fact label={t.accounts.lastSync}>
          <SyncAge account={account} askedAt={askedAt} />
        </Fact>
        {sync.finished_at !== null && (
          <Fact label={t.accounts.duration}>{duration(sync.duration_ms)}</Fact>
        )}
        {hasCounts && (
          <>
            <Fact label={t.accounts.seen}>{number(sync.seen)}</Fact>
            <Fact label={t.accounts.created}>{number(sync.created)}</Fact>
            <Fact label={t.accounts.changed}>{number(sync.changed)}</Fact>
            <Fact label={t.accounts.gone}>{number(sync.gone)}</Fact>
          </>
        )}
        {isRunning && sync.started_at !== null && (
          <Fact label={t.accounts.since}>{moment(sync.started_at)}</Fact>
        )}
        <Fact label={t.accounts.nextSync}>
          <NextSync sync={sync} />
        </Fact>
      </Facts>
    </section>
  )
}
