import { isTransitional } from './status.ts'

export const quick = 3_000
const usual = 60_000
/** What takes longer than that is no news. */
const patience = 30_000

interface Moving {
  readonly id: string
  readonly status?: string
}

/**
 * Often for half a minute after a server was first seen in a state that it only passes through,
 * seldom otherwise: one that is stuck there keeps nobody busy, and hides no other that sets out.
 */
export function createRefreshInterval(clock: () => number = Date.now) {
  const seen = new WeakMap<
    object,
    { readonly under: ReadonlySet<string>; readonly since: number }
  >()

  /** `of` is what it is remembered by: the query whose rows they are. */
  return function refreshInterval(of: object, rows: readonly Moving[]): number {
    const before = seen.get(of)
    const under = new Set(
      rows.flatMap(({ id, status = '' }) => (isTransitional(status) ? [`${id} ${status}`] : [])),
    )
    const hasNews = [...under].some((state) => !before?.under.has(state))
    const since = hasNews || !before ? clock() : before.since
    seen.set(of, { under, since })
    return under.size > 0 && clock() - since < patience ? quick : usual
  }
}

export const refreshInterval = createRefreshInterval()
