import type { AccountSyncRun, CloudAccount } from '@muster/contract'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountSyncsQuery } from '../../api/queries/accounts.ts'
import { useFormat } from '../../messages/use-format.ts'
import { useMessages } from '../../messages/use-messages.ts'
import { Button } from '../../ui/button.tsx'
import { QueryView } from '../../ui/query-view.tsx'
import { Nothing, Section } from '../../ui/section.tsx'
import { SkeletonRows } from '../../ui/skeleton.tsx'
import { StatusMark, type Tone } from '../../ui/status-mark.tsx'
import { Table, type Column } from '../../ui/table.tsx'
import { TimeAgo } from '../../ui/time-ago.tsx'
import styles from './sync-runs.module.css'

const tones: Readonly<Record<AccountSyncRun['result'], Tone>> = {
  complete: 'good',
  failed: 'bad',
  postponed: 'warn',
}
const shownAtFirst = 8

/** The last syncs of an account: a bar for each, as high as it took long, and a table. */
export function SyncRuns({ account }: { readonly account: CloudAccount }) {
  const t = useMessages().accounts
  const query = useQuery(accountSyncsQuery(account))
  return (
    <Section title={t.syncs}>
      <QueryView
        query={query}
        isEmpty={(syncs) => syncs.length === 0}
        empty={<Nothing>{t.noSyncs}</Nothing>}
        skeleton={<SkeletonRows rows={4} />}
      >
        {(syncs) => (
          <>
            <Timeline syncs={syncs} />
            <RunsTable syncs={syncs} />
          </>
        )}
      </QueryView>
    </Section>
  )
}

interface Props {
  /** Newest first. */
  readonly syncs: readonly AccountSyncRun[]
}

function Timeline({ syncs }: Props) {
  const t = useMessages().accounts
  const { number, duration, dateTime } = useFormat()
  const longest = Math.max(1, ...syncs.map(({ duration_ms }) => duration_ms))
  const failed = syncs.filter(({ result }) => result !== 'complete').length
  const oldest = syncs.at(-1)
  return (
    <figure className={styles.figure}>
      {/* The table has the same for screen readers. */}
      <div className={styles.bars} aria-hidden="true">
        {syncs.toReversed().map(({ started_at, result, duration_ms }) => (
          <span
            key={started_at}
            className={styles[result]}
            title={`${dateTime(started_at)} · ${t.results[result]} · ${duration(duration_ms)}`}
            style={{ blockSize: `${20 + 80 * (duration_ms / longest)}%` }}
          />
        ))}
      </div>
      <figcaption>
        {oldest &&
          t.syncsSummary({
            count: number(syncs.length),
            since: dateTime(oldest.started_at),
            failed: failed === 0 ? undefined : number(failed),
            longest: duration(longest),
          })}
      </figcaption>
    </figure>
  )
}

function RunsTable({ syncs }: Props) {
  const t = useMessages().accounts
  const { number, duration } = useFormat()
  const [showsAll, setShowsAll] = useState(false)
  // Errors in a row are one trouble, told once.
  const rows = syncs.map((run, at) => ({
    ...run,
    error: run.error === syncs[at - 1]?.error ? '' : run.error,
  }))
  const count = (key: 'seen' | 'created' | 'changed' | 'gone'): Column<AccountSyncRun> => ({
    key,
    title: t[key],
    number: true,
    cell: (run) => number(run[key]),
  })
  const columns: readonly Column<AccountSyncRun>[] = [
    {
      key: 'time',
      title: t.started,
      cell: ({ started_at }) => (
        <span className={styles.time}>
          <TimeAgo time={started_at} />
        </span>
      ),
    },
    {
      key: 'result',
      title: t.result,
      cell: ({ result, error }) => (
        <>
          <StatusMark tone={tones[result]}>{t.results[result]}</StatusMark>
          {error !== '' && <span className={styles.error}>{error}</span>}
        </>
      ),
    },
    {
      key: 'duration',
      title: t.duration,
      number: true,
      cell: ({ duration_ms }) => duration(duration_ms),
    },
    count('seen'),
    count('created'),
    count('changed'),
    count('gone'),
  ]
  return (
    <>
      <Table
        caption={t.syncs}
        columns={columns}
        rows={showsAll ? rows : rows.slice(0, shownAtFirst)}
        rowKey={({ started_at }) => started_at}
      />
      {syncs.length > shownAtFirst && (
        <div>
          <Button small onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? t.fewerSyncs : t.allSyncs(number(syncs.length))}
          </Button>
        </div>
      )}
    </>
  )
}
