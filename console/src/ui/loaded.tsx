import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'
import { SkeletonRows } from './skeleton.tsx'

interface Props<Data> {
  readonly query: UseQueryResult<Data>
  /** How many rows there will probably be. */
  readonly rows?: number
  readonly children: (data: Data) => ReactNode
}

/** What was asked for, once it is there; until then its outline, or why it did not come. */
export function Loaded<Data>({ query, rows = 3, children }: Props<Data>) {
  if (query.data !== undefined) return <>{children(query.data)}</>
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
  return <SkeletonRows rows={rows} />
}
