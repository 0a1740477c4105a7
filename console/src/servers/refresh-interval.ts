import { isTransitional } from './status.ts'

export const fastInterval = 3_000
const slowInterval = 60_000
/** After this time a server in a transitional status counts as stuck. */
const stuckAfter = 30_000

interface Moving {
  readonly id: string
  readonly status?: string
}

/**
 * Polls fast for half a minute after a server enters a transitional status, and slowly otherwise. A
 * server that is stuck does not keep the fast polling alive, and another that starts restarts it.
 */
export function createRefreshInterval(clock: () => number = Date.now) {
  const seen = new WeakMap<
    object,
    { readonly under: ReadonlySet<string>; readonly since: number }
  >()

  /** `of`: the query that the rows belong to. */
  return function refreshInterval(of: object, rows: readonly Moving[]): number {
    const before = seen.get(of)
    const under = new Set(
      rows.flatMap(({ id, status = '' }) => (isTransitional(status) ? [`${id} ${status}`] : [])),
    )
    const hasNews = [...under].some((state) => !before?.under.has(state))
    const since = hasNews || !before ? clock() : before.since
    seen.set(of, { under, since })
    return under.size > 0 && clock() - since < stuckAfter ? fastInterval : slowInterval
  }
}

export const refreshInterval = createRefreshInterval()
