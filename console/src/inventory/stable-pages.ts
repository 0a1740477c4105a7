import type { Generated } from '../api/generation.ts'

/** An item of a list. */
export interface ListItem {
  readonly id: string
}

export interface LoadedPage<Item extends ListItem> extends Generated {
  readonly index: number
  readonly total: number
  readonly rows: readonly Item[]
}

export interface Page<Item extends ListItem> extends LoadedPage<Item> {
  readonly loadedAt: number
}

export interface ListRequest {
  /** The query and all else that defines the list. */
  readonly query: string
  /** Goes up each time the user chooses to see what has changed. */
  readonly revision: number
  /** When the user last pressed refresh. */
  readonly refreshedAt: number
}

/**
 * The visible list. Rows keep their position while the user reads them, so that nobody clicks on the
 * wrong row: a refresh updates values in place, and rows that appeared, disappeared or moved wait
 * behind a button. The rows of the previous query stay until the next results arrive.
 */
export interface ShownList<Item extends ListItem> {
  readonly key: string
  /** The number of rows, which defines the height of the table. */
  readonly rowCount: number
  readonly total: number
  readonly countedAt: number
  readonly pages: ReadonlyMap<number, Page<Item>>
}

interface ListView<Item extends ListItem> {
  /** The list of the previous query until the first page of the new one is loaded. */
  readonly shown: ShownList<Item> | undefined
  readonly isOutdated: boolean
  /** The loaded rows differ from those shown. */
  readonly isReordered: boolean
}

/** Pages kept in memory on either side of the visible ones. */
const around = 10

const isSame = (before: readonly ListItem[], now: readonly ListItem[]) =>
  before.length === now.length && before.every(({ id }, at) => now[at]?.id === id)

/** The latest values of rows, whichever page they are on by now. */
export function latestRows<Item extends ListItem>(
  pages: readonly LoadedPage<Item>[],
): ReadonlyMap<string, Item> {
  const byAge = pages.toSorted((one, other) => one.generation - other.generation)
  return new Map(byAge.flatMap(({ rows }) => rows.map((row) => [row.id, row] as const)))
}

function dropDistant(
  pages: Map<number, unknown>,
  loaded: readonly { readonly index: number }[],
): void {
  const indexes = loaded.map(({ index }) => index)
  const [first, last] = [Math.min(...indexes) - around, Math.max(...indexes) + around]
  for (const index of pages.keys()) if (index < first || index > last) pages.delete(index)
}

/** The list ends at the first page that is not full, whatever an older total says. */
function countRows(
  total: number,
  pageSize: number,
  pages: ReadonlyMap<number, LoadedPage<ListItem>>,
): number {
  const ends = [...pages.values()]
    .filter(({ rows }) => rows.length < pageSize)
    .map(({ index, rows }) => index * pageSize + rows.length)
  return Math.min(total, ...ends)
}

/**
 * Merges loaded pages into the visible list. Values are updated in place. Rows that were added,
 * removed or moved wait until the user asks for them, so that nothing jumps. Pages older than the
 * query itself (`since`) are replaced: they only filled the screen while it ran.
 */
function mergeLoaded<Item extends ListItem>(
  before: ShownList<Item> | undefined,
  key: string,
  since: number,
  loaded: readonly Page<Item>[],
  pageSize: number,
): ListView<Item> {
  const isNew = before?.key !== key
  const pages = new Map(isNew ? [] : before.pages)
  const latest = latestRows(loaded)
  let isReordered = false
  for (const page of loaded) {
    const old = pages.get(page.index)
    const canReplace =
      !old || old.rows.length === 0 || old.loadedAt < since || isSame(old.rows, page.rows)
    isReordered ||= !canReplace
    const { rows, ...rest } = canReplace ? page : old
    pages.set(page.index, { ...rest, rows: rows.map((row) => latest.get(row.id) ?? row) })
  }
  dropDistant(pages, loaded)
  const counted = loaded.reduce((one, other) => (other.loadedAt > one.loadedAt ? other : one))
  const { total, countedAt } =
    isNew || before.countedAt < since || before.total === 0
      ? { total: counted.total, countedAt: counted.loadedAt }
      : before
  const rowCount = countRows(total, pageSize, pages)
  return { shown: { key, rowCount, total, countedAt, pages }, isOutdated: false, isReordered }
}

const keyOf = ({ query, revision }: ListRequest) => `${revision} ${query}`

interface Options {
  readonly pageSize: number
  /** Pages loaded at most so many milliseconds before a query count as its result. */
  readonly freshFor: number
  readonly clock?: () => number
}

/** Keeps the rows on the screen between renders. */
export function createStablePages<Item extends ListItem>(options: Options) {
  const { pageSize, freshFor, clock = Date.now } = options
  let shown: ShownList<Item> | undefined
  let current: { readonly query: string; readonly since: number } | undefined
  return function mergePages(request: ListRequest, loaded: readonly Page<Item>[]): ListView<Item> {
    const { query, refreshedAt } = request
    if (current?.query !== query) current = { query, since: clock() - freshFor }
    if (loaded.length > 0) {
      const since = Math.max(current.since, refreshedAt)
      const view = mergeLoaded(shown, keyOf(request), since, loaded, pageSize)
      shown = view.shown
      return view
    }
    return {
      shown,
      isOutdated: shown !== undefined && shown.key !== keyOf(request),
      isReordered: false,
    }
  }
}

export interface Range {
  readonly first: number
  readonly last: number
}

/** The loaded rows of a range. */
export const rowsIn = <Item extends ListItem>(
  { pages, rowCount }: ShownList<Item>,
  { first, last }: Range,
  pageSize: number,
): readonly Item[] =>
  Array.from({ length: Math.max(0, Math.min(last + 1, rowCount) - first) }, (_, at) => {
    const index = first + at
    return pages.get(Math.floor(index / pageSize))?.rows[index % pageSize]
  }).filter((row) => row !== undefined)
