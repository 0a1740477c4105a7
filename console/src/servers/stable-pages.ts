import type { Server } from '@muster/contract'

export type Row = Partial<Server> & { readonly id: string }

export interface Page {
  readonly index: number
  readonly total: number
  readonly rows: readonly Row[]
  readonly loadedAt: number
}

/** What is asked for. */
interface Asked {
  /** The query, and everything else that makes another list. */
  readonly query: string
  /** How often the reader has let in what came since. */
  readonly turn: number
  /** When the reader last asked for news of it. */
  readonly refreshedAt: number
}

/** What is on the screen: rows stay where they are while somebody reads them. */
interface Held {
  readonly key: string
  readonly total: number
  /** When the total was told. */
  readonly toldAt: number
  readonly pages: ReadonlyMap<number, Page>
}

interface Holding {
  /** Of the query before, as long as nothing of the new one is there. */
  readonly held: Held | undefined
  readonly isBehind: boolean
  /** How many more there are by now, or fewer; and whether others would be here. */
  readonly news: number
  readonly isMoved: boolean
}

/** So many pages on either side of those in sight are kept. */
const around = 10

const isSame = (before: readonly Row[], now: readonly Row[]) =>
  before.length === now.length && before.every(({ id }, at) => now[at]?.id === id)

/** New values in the rows that are there. */
function renew({ index, total, rows, loadedAt }: Page, now: Page): Page {
  const fresh = new Map(now.rows.map((row) => [row.id, row]))
  return { index, total, rows: rows.map((row) => fresh.get(row.id) ?? row), loadedAt }
}

function keepNear(pages: Map<number, Page>, loaded: readonly Page[]): void {
  const indexes = loaded.map(({ index }) => index)
  const [first, last] = [Math.min(...indexes) - around, Math.max(...indexes) + around]
  for (const index of pages.keys()) if (index < first || index > last) pages.delete(index)
}

/**
 * Takes in what was just loaded. New values go to the rows that are there; rows that came, went or
 * would stand elsewhere wait until the reader asks for them. What is older than the query itself
 * nobody has asked for: it gives way to what the query brings.
 */
function takeIn(
  before: Held | undefined,
  key: string,
  since: number,
  loaded: readonly Page[],
): Holding {
  const isNew = before?.key !== key
  const pages = new Map(isNew ? [] : before.pages)
  let isMoved = false
  for (const page of loaded) {
    const old = pages.get(page.index)
    const canReplace = !old || old.loadedAt < since || isSame(old.rows, page.rows)
    isMoved ||= !canReplace
    pages.set(page.index, canReplace ? page : renew(old, page))
  }
  keepNear(pages, loaded)
  const latest = loaded.reduce((one, other) => (other.loadedAt > one.loadedAt ? other : one))
  const { total, toldAt } =
    isNew || before.toldAt < since ? { total: latest.total, toldAt: latest.loadedAt } : before
  const held = { key, total, toldAt, pages }
  return { held, isBehind: false, news: latest.total - total, isMoved }
}

const keyOf = ({ query, turn }: Asked) => `${turn} ${query}`

/**
 * Remembers what is on the screen from one drawing to the next. `freshFor`: what was loaded so
 * shortly before a query is its answer, and is not loaded again.
 */
export function createStablePages(freshFor: number, clock: () => number = Date.now) {
  let held: Held | undefined
  let asking: { readonly query: string; readonly since: number } | undefined
  return function hold(asked: Asked, loaded: readonly Page[]): Holding {
    const { query, refreshedAt } = asked
    if (asking?.query !== query) asking = { query, since: clock() - freshFor }
    if (loaded.length > 0) {
      const since = Math.max(asking.since, refreshedAt)
      const holding = takeIn(held, keyOf(asked), since, loaded)
      held = holding.held
      return holding
    }
    return {
      held,
      isBehind: held !== undefined && held.key !== keyOf(asked),
      news: 0,
      isMoved: false,
    }
  }
}
