import type { OperationId } from '@muster/contract'
import { useId, type ReactNode } from 'react'
import { useConnection } from '../api/connection.ts'
import { viewOf, type Refetchable } from '../api/query-view.ts'
import { useMessages } from '../messages/use-messages.ts'
import { ScopeLabel } from '../session/scope-label.tsx'
import { Button } from '../ui/button.tsx'
import { ErrorNotice } from '../ui/error-notice.tsx'
import styles from './chart-card.module.css'
import { StaleNotice } from './stale-notice.tsx'
import { useTableView } from './use-table-view.ts'

interface Props<Data> {
  /** As the address calls it. */
  readonly name: string
  readonly title: string
  readonly query: Refetchable<Data> & { readonly dataUpdatedAt: number }
  /** Where the data comes from: its scope stands beside the title. */
  readonly operation: OperationId
  /** What is to be seen, in words. */
  readonly words: (data: Data) => string
  readonly chart: (data: Data) => ReactNode
  /** The same in figures; left out where the chart is a table already. */
  readonly table?: (data: Data) => ReactNode
  /** In pixels: what it will need once it is there. */
  readonly height: number
  readonly className?: string | undefined
}

/** A chart with its words, its table, and its own way to fail: the others stay as they are. */
export function ChartCard<Data>(props: Props<Data>) {
  const { name, title, operation, query, words, chart, table, height, className } = props
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
        <ScopeLabel operation={operation} />
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
          <p className={styles.words}>{words(data)}</p>
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
