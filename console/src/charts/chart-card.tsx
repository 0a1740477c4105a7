import { useId, type ReactNode } from 'react'
import { useConnection } from '../api/connection.ts'
import { viewOf, type Refetchable } from '../api/query-result.ts'
import { useMessages } from '../messages/use-messages.ts'
import { Button } from '../ui/button.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import styles from './chart-card.module.css'
import { useFormat } from '../messages/use-format.ts'
import staleNoticeStyles from './stale-notice.module.css'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { isTable, toggleTable } from './table-names.ts'
import { StatusShape } from '../ui/status-mark.tsx'

interface Props<Data> {
  /** Its name in the address. */
  readonly name: string
  readonly title: string
  readonly query: Refetchable<Data> & { readonly dataUpdatedAt: number }
  /** The chart in one sentence. */
  readonly summary: (data: Data) => string
  readonly chart: (data: Data) => ReactNode
  /** The same data as a table. */
  readonly table?: (data: Data) => ReactNode
  /** The height in pixels, reserved while loading. */
  readonly height: number
  readonly className?: string | undefined
}

/** A chart with its description, its table, and its own error state. */
export function ChartCard<Data>(props: Props<Data>) {
  const { name, title, query, summary, chart, table, height, className } = props
  const t = useMessages()
  const id = useId()
  const { asTable, turn } = useTableView(name)
  const { isConnected } = useConnection()
  const view = viewOf(query, isConnected)
  const data = view.kind === 'shown' || view.kind === 'empty' ? query.data : undefined
  const { error } = query
  const retry = () => void query.refetch()
  return (
    <section
      className={[styles.card, className].filter(Boolean).join(' ')}
      aria-labelledby={id}
      aria-busy={view.kind === 'loading'}
    >
      <div className={styles.head}>
        <h2 id={id}>{title}</h2>
        {table && data !== undefined && (
          <Button
            small
            look="quiet"
            icon={asTable ? 'chart' : 'columns'}
            label={`${asTable ? t.common.showChart : t.common.showTable}: ${title}`}
            aria-pressed={asTable}
            onClick={turn}
          />
        )}
      </div>
      {view.kind === 'failed' && <ErrorNotice error={view.error} onRetry={retry} />}
      {view.kind === 'loading' && <Waiting height={height} />}
      {data !== undefined && (
        <>
          <p className={styles.summary}>{summary(data)}</p>
          <div className={styles.body}>{table && asTable ? table(data) : chart(data)}</div>
          {error !== null && <StaleNotice since={query.dataUpdatedAt} onRetry={retry} />}
        </>
      )}
    </section>
  )
}

function Waiting({ height }: { readonly height: number }) {
  const t = useMessages()
  return (
    <div className={styles.waiting} style={{ minBlockSize: height }} role="status">
      <span className="visuallyHidden">{t.common.loading}</span>
    </div>
  )
}

interface StaleNoticeProps {
  readonly since: number
  readonly onRetry: () => void
}

/** A note that the last refresh failed and the data is old. */
function StaleNotice({ since, onRetry }: StaleNoticeProps) {
  const t = useMessages()
  const { clock } = useFormat()
  return (
    <p className={staleNoticeStyles.note} role="status">
      <StatusShape tone="warn" />
      {t.overview.notUpdated(clock(since))}
      <Button small look="quiet" icon="refresh" onClick={onRetry}>
        {t.common.retry}
      </Button>
    </p>
  )
}

/** Whether a chart is shown as a table, stored in the address. */
function useTableView(name: string): { asTable: boolean; turn: () => void } {
  const { table } = useSearch({ strict: false })
  const navigate = useNavigate()
  return {
    asTable: isTable(table, name),
    turn: () =>
      void navigate({
        to: '.',
        search: (before) => ({ ...before, table: toggleTable(before.table, name) }),
        replace: true,
        resetScroll: false,
      }),
  }
}
