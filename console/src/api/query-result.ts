import { ApiError, ConnectionError } from '@muster/sdk'

/** The parts of a query result that decide the view. Several queries can be merged into one. */
export interface QueryResult<Data> {
  readonly data: Data | undefined
  /** The error of the last attempt. */
  readonly error: unknown
  /** The error of the current attempt, which is being retried. */
  readonly failureReason: unknown
  readonly isFetching: boolean
  /** The data belongs to the previous query. */
  readonly isPlaceholderData: boolean
  /** A request has succeeded or failed since this query is on the page. */
  readonly isFetchedAfterMount: boolean
}

export interface Refetchable<Data> extends QueryResult<Data> {
  readonly refetch: () => unknown
}

export type ShownResult<Data> =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'empty' }
  | {
      readonly kind: 'shown'
      readonly data: Data
      /** The data belongs to the previous query, or could not be refreshed. */
      readonly isOutdated: boolean
    }

const isEmptyList = (data: unknown): boolean => Array.isArray(data) && data.length === 0

export const noAnswer = new ConnectionError('The API does not answer.')

/** No response, or a server error: the page can only wait. Any other error is a response to the request. */
export const isOutage = (error: unknown): boolean =>
  error instanceof ConnectionError || (error instanceof ApiError && error.status >= 500)

/** An error of Muster itself, in one operation: only what asked for it fails, unless probes fail too. */
export const isOwnFailure = (error: unknown): boolean =>
  error instanceof ApiError && error.status >= 500 && error.requestId !== undefined

/** A rate limit rejects the request for now. */
export const isLimited = (error: unknown): boolean =>
  error instanceof ApiError && error.status === 429

/**
 * The rule for every list and chart. An empty state makes a claim about the inventory, a skeleton makes
 * none. So the empty state is shown only for a current response to this
 * query: never for placeholder data, for a cache entry that is being refreshed, or after a failed
 * refresh. Rows stay visible while the next query runs, and after it has failed.
 */
export function viewOf<Data>(
  query: QueryResult<Data>,
  isConnected: boolean,
  isEmpty: (data: Data) => boolean = isEmptyList,
): ShownResult<Data> {
  const { data, isPlaceholderData, isFetching, isFetchedAfterMount } = query
  const problem = query.error ?? query.failureReason ?? (isConnected ? null : noAnswer)
  const withoutData: ShownResult<Data> =
    problem === null ? { kind: 'loading' } : { kind: 'failed', error: problem }
  if (data === undefined) return withoutData
  if (!isEmpty(data)) {
    return { kind: 'shown', data, isOutdated: isPlaceholderData || problem !== null }
  }
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
