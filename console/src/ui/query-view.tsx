import type { ReactNode } from 'react'
import { retryConnection, useConnection } from '../api/connection.ts'
import { isOutage, isOwnFailure, viewOf, type Refetchable } from '../api/query-result.ts'
import { useMessages } from '../messages/use-messages.ts'
import { ErrorNotice } from './error-notice.tsx'
import styles from './query-view.module.css'
import { SkeletonRows } from './skeleton.tsx'

interface Props<Data> {
  readonly query: Refetchable<Data>
  /** The empty state. Without it, `children` renders empty data too. */
  readonly empty?: ReactNode
  /** Whether data has no items. Default: whether it is an empty array. */
  readonly isEmpty?: ((data: Data) => boolean) | undefined
  /** Shown until there is data. */
  readonly skeleton?: ReactNode
  /** Replaces the default error notice. */
  readonly failure?: (error: unknown) => ReactNode
  readonly className?: string | undefined
  readonly children: (data: Data) => ReactNode
}

/** Renders a query by the rule of `viewOf`: data, skeleton, empty state or error. */
export function QueryView<Data>(props: Props<Data>) {
  const { query, empty, isEmpty, skeleton = <SkeletonRows rows={3} />, failure } = props
  const { className, children } = props
  const { isConnected } = useConnection()
  const view = viewOf(query, isConnected, isEmpty)
  const retry = () => {
    retryConnection()
    void query.refetch()
  }
  const notice = (error: unknown) =>
    failure?.(error) || <ErrorNotice error={error} onRetry={retry} />
  if (view.kind === 'loading') return skeleton
  if (view.kind === 'failed') return notice(view.error)
  if (view.kind === 'empty')
    return empty ?? (query.data === undefined ? null : children(query.data))
  const { data, isOutdated } = view
  // Also while a failed request is repeated.
  const isRunning = isOutdated && query.error === null && isConnected
  // The banner above the page shows a lost connection.
  const isShownAbove = isOutage(query.error) && !(isConnected && isOwnFailure(query.error))
  const hasOwnProblem = query.error !== null && !isShownAbove
  return (
    <div
      className={[styles.view, className].filter(Boolean).join(' ')}
      aria-busy={isRunning}
      data-outdated={isOutdated}
    >
      {isRunning && <RunningQuery />}
      {hasOwnProblem && <div className={styles.problem}>{notice(query.error)}</div>}
      {children(data)}
    </div>
  )
}

/** A progress bar with a text for screen readers. */
function RunningQuery() {
  const t = useMessages()
  return (
    <div className={styles.running} role="status">
      <span className="visuallyHidden">{t.connection.searching}</span>
    </div>
  )
}
