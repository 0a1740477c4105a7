import type { Generated } from '../api/generation.ts'
import type { ValueCounts } from '../servers/value-counts.ts'
import type { ListItem, LoadedPage } from './stable-pages.ts'

/** The result of a request for single rows. Those in neither list no longer exist. */
export interface FollowedRows<Item extends ListItem> extends Generated {
  readonly ids: readonly string[]
  readonly matching: readonly Item[]
  readonly others: readonly Item[]
}

/** Why a row is still shown although the list no longer has it. */
export type RowState = 'unmatched' | 'gone'

interface Followed<Item> extends Generated {
  /** Undefined if it no longer exists. */
  readonly row: Item | undefined
  readonly state: RowState | undefined
}

export interface ListResponses<Item extends ListItem> {
  /** Identifies the list. */
  readonly key: string
  readonly pages: readonly LoadedPage<Item>[]
  readonly visible: readonly Item[]
  /** Each request of the newest generation has a response, those for missing rows included. */
  readonly isAnswered: boolean
  readonly followed: FollowedRows<Item> | undefined
  /** How many items there are without a filter; undefined if there is none. */
  readonly size: number | undefined
  /** The number of items that the values of the filters add up to. */
  readonly counted: number | undefined
}

export interface SettledList<Item extends ListItem> {
  readonly key: string
  readonly count: number
  /** Never less than `count`. */
  readonly size: number
  /** Some responses are older than others, or contradict them: all of them are requested again. */
  readonly isUpdating: boolean
  readonly followed: ReadonlyMap<string, Followed<Item>>
}

function followRows<Item extends ListItem>(
  before: ReadonlyMap<string, Followed<Item>>,
  response: FollowedRows<Item> | undefined,
  listed: ReadonlyMap<string, number>,
): ReadonlyMap<string, Followed<Item>> {
  const rows = new Map(before)
  if (response) {
    const { ids, matching, others, generation } = response
    const found = (items: readonly Item[], id: string) => items.find((item) => item.id === id)
    for (const id of ids) {
      const row = found(matching, id) ?? found(others, id)
      const state = found(matching, id) ? undefined : row ? 'unmatched' : 'gone'
      rows.set(id, { row, state, generation })
    }
  }
  for (const [id, { generation }] of rows) if ((listed.get(id) ?? -1) >= generation) rows.delete(id)
  return rows
}

/** The newest generation of a page that has the row, by id. */
function listedIn(pages: readonly LoadedPage<ListItem>[]): ReadonlyMap<string, number> {
  const listed = new Map<string, number>()
  for (const { rows, generation } of pages)
    for (const { id } of rows) listed.set(id, Math.max(generation, listed.get(id) ?? 0))
  return listed
}

/** The visible rows that their pages no longer have. */
export function missingRows(
  pages: readonly LoadedPage<ListItem>[],
  visible: readonly ListItem[],
): readonly string[] {
  const listed = listedIn(pages)
  return [...new Set(visible.map(({ id }) => id))].filter((id) => !listed.has(id)).toSorted()
}

/**
 * The numbers of a list and the state of its rows. Responses come in any order and are of different
 * moments, so the numbers change together, once all responses of a generation are there and agree.
 */
function settleList<Item extends ListItem>(
  before: SettledList<Item> | undefined,
  responses: ListResponses<Item>,
): SettledList<Item> | undefined {
  const { key, pages, visible, isAnswered, size = 0, counted } = responses
  const last = before?.key === key ? before : undefined
  const newest = pages.reduce<LoadedPage<Item> | undefined>(
    (one, other) => (one && one.generation >= other.generation ? one : other),
    undefined,
  )
  if (!newest) return before
  const { total } = newest
  const listed = listedIn(pages)
  const followed = followRows(last?.followed ?? new Map(), responses.followed, listed)
  const matching = [...new Set(visible.map(({ id }) => id))].filter(
    (id) => followed.get(id)?.state === undefined,
  )
  const isConsistent =
    isAnswered &&
    matching.length <= total &&
    pages.every((page) => page.total === total) &&
    (responses.size === undefined || size >= total) &&
    (counted === undefined || counted === total)
  const numbers =
    isConsistent || !last
      ? { count: total, size: Math.max(size, total) }
      : { count: last.count, size: last.size }
  return { key, ...numbers, isUpdating: !isConsistent, followed }
}

/** Keeps the numbers of a list between renders, and the values of its filters as of the same moment. */
export function createSettledList<Item extends ListItem>() {
  let settled: SettledList<Item> | undefined
  let counts: readonly (ValueCounts | undefined)[] = []
  return function settle(
    responses: ListResponses<Item>,
    latestCounts: readonly (ValueCounts | undefined)[],
  ) {
    settled = settleList(settled, responses)
    if (settled?.isUpdating === false) counts = latestCounts
    return { settled, counts }
  }
}
