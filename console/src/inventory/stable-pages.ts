/** An item of a list. */
export interface ListItem {
  readonly id: string
}

export interface LoadedPage<Item extends ListItem> {
  readonly index: number
  readonly total: number
  readonly rows: readonly Item[]
}

export interface Page<Item extends ListItem> extends LoadedPage<Item> {
  readonly loadedAt: number
}

interface ListRequest {
  /** The query and all else that defines the list. */
  readonly query: string
  /** Goes up each time the user chooses to see what has changed. */
  readonly revision: number
  /** When the user last pressed refresh. */
  readonly refreshedAt: number
}

/** The visible list. Rows keep their position while the user reads them. */
interface ShownList<Item extends ListItem> {
  readonly key: string
  readonly total: number
  readonly countedAt: number
  readonly pages: ReadonlyMap<number, Page<Item>>
}

interface ListView<Item extends ListItem> {
  /** The list of the previous query until the first page of the new one is loaded. */
  readonly shown: ShownList<Item> | undefined
  readonly isOutdated: boolean
  /** How many more items match by now (or fewer), and whether the loaded rows differ from those shown. */
  readonly difference: number
  readonly isReordered: boolean
}

/** Pages kept in memory on either side of the visible ones. */
const around = 10

const isSame = (before: readonly ListItem[], now: readonly ListItem[]) =>
  before.length === now.length && before.every(({ id }, at) => now[at]?.id === id)

/** The same rows in the same order, with their latest values. */
function updateRows<Item extends ListItem>(before: Page<Item>, now: Page<Item>): Page<Item> {
  const fresh = new Map(now.rows.map((row) => [row.id, row]))
  return { ...before, rows: before.rows.map((row) => fresh.get(row.id) ?? row) }
}

function dropDistant(
  pages: Map<number, unknown>,
  loaded: readonly { readonly index: number }[],
): void {
  const indexes = loaded.map(({ index }) => index)
  const [first, last] = [Math.min(...indexes) - around, Math.max(...indexes) + around]
  for (const index of pages.keys()) if (index < first || index > last) pages.delete(index)
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
): ListView<Item> {
  const isNew = before?.key !== key
  const pages = new Map(isNew ? [] : before.pages)
  let isReordered = false
  for (const page of loaded) {
    const old = pages.get(page.index)
    const canReplace = !old || old.loadedAt < since || isSame(old.rows, page.rows)
    isReordered ||= !canReplace
    pages.set(page.index, canReplace ? page : updateRows(old, page))
  }
  dropDistant(pages, loaded)
  const latest = loaded.reduce((one, other) => (other.loadedAt > one.loadedAt ? other : one))
  const { total, countedAt } =
    isNew || before.countedAt < since ? { total: latest.total, countedAt: latest.loadedAt } : before
  const shown = { key, total, countedAt, pages }
  return { shown, isOutdated: false, difference: latest.total - total, isReordered }
}

const keyOf = ({ query, revision }: ListRequest) => `${revision} ${query}`

/**
 * Keeps the rows on the screen between renders. Pages loaded at most `freshFor` milliseconds before a
 * query count as its result.
 */
export function createStablePages<Item extends ListItem>(
  freshFor: number,
  clock: () => number = Date.now,
) {
  let shown: ShownList<Item> | undefined
  let current: { readonly query: string; readonly since: number } | undefined
  return function mergePages(request: ListRequest, loaded: readonly Page<Item>[]): ListView<Item> {
    const { query, refreshedAt } = request
    if (current?.query !== query) current = { query, since: clock() - freshFor }
    if (loaded.length > 0) {
      const since = Math.max(current.since, refreshedAt)
      const view = mergeLoaded(shown, keyOf(request), since, loaded)
      shown = view.shown
      return view
    }
    return {
      shown,
      isOutdated: shown !== undefined && shown.key !== keyOf(request),
      difference: 0,
      isReordered: false,
    }
  }
}
