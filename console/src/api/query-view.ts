import { ApiError, ConnectionError } from '@muster/sdk'

/** What of a query's result decides what may be drawn; several queries can be summed up in one. */
export interface QueryResult<Data> {
  readonly data: Data | undefined
  /** Of the last attempt. */
  readonly error: unknown
  /** Of the attempt under way, which is repeated. */
  readonly failureReason: unknown
  readonly isFetching: boolean
  /** The data answers the query before this one. */
  readonly isPlaceholderData: boolean
  /** The data came, or failed to come, since this query is on the page. */
  readonly isFetchedAfterMount: boolean
}

export interface Refetchable<Data> extends QueryResult<Data> {
  readonly refetch: () => unknown
}

export type QueryView<Data> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'empty' }
  | {
      readonly kind: 'shown'
      readonly data: Data
      /** What is shown answers the query before; this one runs. */
      readonly isOutdated: boolean
    }

const isEmptyList = (data: unknown): boolean => Array.isArray(data) && data.length === 0

const noAnswer = new ConnectionError('The API does not answer.')

/** No answer, or a server error: the page can only wait. Any other error is an answer to the request. */
export const isOutage = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500)

/**
 * The one rule for every list and chart. An empty state is drawn only from an answer to this very
 * query that is not being replaced: never from placeholder data, from a cache that is being
 * refreshed, or after a failed refresh. Rows stay in sight while the next query runs.
 */
export function viewOf<Data>(
  query: QueryResult<Data>,
  isConnected: boolean,
  isEmpty: (data: Data) => boolean = isEmptyList,
): QueryView<Data> {
  const { data, isPlaceholderData, isFetching, isFetchedAfterMount } = query
  const problem = query.error ?? query.failureReason ?? (isConnected ? null : noAnswer)
  const withoutData: QueryView<Data> =
    problem === null ? { kind: 'loading' } : { kind: 'failed', error: problem }
  if (data === undefined || (isPlaceholderData && problem !== null)) return withoutData
  if (!isEmpty(data)) return { kind: 'shown', data, isOutdated: isPlaceholderData }
  const isCurrent = !isPlaceholderData && (isFetchedAfterMount || !isFetching)
  return isCurrent && problem === null ? { kind: 'empty' } : withoutData
}

/** A list that is loaded page by page, as one query for its rows. */
export function rowsOf<Page, Row>(
  list: Refetchable<{ readonly pages: readonly Page[] }>,
  rowsOfPage: (page: Page) => readonly Row[],
): Refetchable<readonly Row[]> {
  return { ...list, data: list.data?.pages.flatMap(rowsOfPage) }
}
