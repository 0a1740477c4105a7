import type { ReactNode } from 'react'
import { retryConnection, useConnection } from '../api/connection.ts'
import { isOutage, viewOf, type Refetchable } from '../api/query-view.ts'
import { useMessages } from '../messages/use-messages.ts'
import { ErrorNotice } from './error-notice.tsx'
import styles from './query-view.module.css'
import { SkeletonRows } from './skeleton.tsx'

interface Props<Data> {
  readonly query: Refetchable<Data>
  /** Shown in place of data without items; without it, `children` draws that too. */
  readonly empty?: ReactNode
  /** Whether data has no items; by default, whether it is an array without any. */
  readonly isEmpty?: ((data: Data) => boolean) | undefined
  /** Shown until there is data. */
  readonly skeleton?: ReactNode
  /** In place of the usual notice where a request failed. */
  readonly failure?: (error: unknown) => ReactNode
  readonly className?: string | undefined
  readonly children: (data: Data) => ReactNode
}

/** Draws a query by the one rule of `viewOf`: its data, its skeleton, its empty state or its error. */
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
  // A lost connection is said once, above the page.
  const hasOwnProblem = query.error !== null && !isOutage(query.error)
  return (
    <div className={[styles.view, className].filter(Boolean).join(' ')} aria-busy={view.isOutdated}>
      {view.isOutdated && <RunningQuery />}
      {hasOwnProblem && notice(query.error)}
      {children(view.data)}
    </div>
  )
}

/** A bar that moves, and a word for those who do not see it. */
function RunningQuery() {
  const t = useMessages()
  return (
    <div className={styles.running} role="status">
      <span className="visuallyHidden">{t.connection.searching}</span>
    </div>
  )
}
