import type { Generated } from '../api/generation.ts'
import type { FilterValueCounts } from '../servers/value-counts.ts'
import { latestRows, type ListItem, type LoadedPage } from './stable-pages.ts'

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
  /** Each request of the newest generation has ended, those for missing rows included. */
  readonly isAnswered: boolean
  /** None of them has failed. */
  readonly isComplete: boolean
  readonly followed: FollowedRows<Item> | undefined
  /** How many items there are without a filter; undefined if there is none. */
  readonly size: number | undefined
  readonly counts: FilterValueCounts
  /** Whether the counts are consistent with a total and these rows. */
  readonly agree: (counts: FilterValueCounts, total: number, rows: readonly Item[]) => boolean
}

export interface SettledList<Item extends ListItem> {
  readonly key: string
  readonly count: number
  /** Never less than `count`. */
  readonly size: number
  readonly counts: FilterValueCounts
  /** The list that the counts belong to. */
  readonly countsKey: string
  /** Some responses are missing, are older than others, or contradict them. */
  readonly isUpdating: boolean
  /** The responses contradict each other: all of them are requested again. */
  readonly isRetrying: boolean
  /** The generations that contradicted themselves since the last one that did not. */
  readonly contradictory: ReadonlySet<number>
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

/** Limits the retries for a fleet that changes all the time. */
const maxRetries = 3

/**
 * The numbers of a list and the state of its rows. Responses arrive in any order and show different states,
 * so the numbers change together, once all responses of a generation have arrived and agree. If a request
 * fails or retries do not help, the latest numbers are shown as still updating.
 */
function settleList<Item extends ListItem>(
  before: SettledList<Item> | undefined,
  responses: ListResponses<Item>,
): SettledList<Item> | undefined {
  const { key, pages, visible, isAnswered, isComplete, size = 0, counts, agree } = responses
  const last = before?.key === key ? before : undefined
  const newest = pages.reduce<LoadedPage<Item> | undefined>(
    (one, other) => (one && one.generation >= other.generation ? one : other),
    undefined,
  )
  if (!newest) return before
  const { total, generation } = newest
  const listed = listedIn(pages)
  const followed = followRows(last?.followed ?? new Map(), responses.followed, listed)
  const matching = [...new Set(visible.map(({ id }) => id))].filter(
    (id) => followed.get(id)?.state === undefined,
  )
  const isConsistent =
    isComplete &&
    matching.length <= total &&
    pages.every((page) => page.total === total) &&
    (responses.size === undefined || size >= total) &&
    agree(counts, total, [...latestRows(pages).values()])
  const contradictory = new Set(isConsistent ? [] : last?.contradictory)
  if (isComplete && !isConsistent) contradictory.add(generation)
  const isRetrying = isComplete && !isConsistent && contradictory.size <= maxRetries
  const isFinal = isAnswered && !isRetrying
  const numbers =
    isFinal || !last
      ? { count: total, size: Math.max(size, total) }
      : { count: last.count, size: last.size }
  // The counts of the previous list stay visible until all counts of this one have arrived.
  const values =
    isFinal && counts.every((count) => count !== undefined)
      ? { counts, countsKey: key }
      : { counts: before?.counts ?? [], countsKey: before?.countsKey ?? '' }
  const isUpdating = !isConsistent
  return { key, ...numbers, ...values, isUpdating, isRetrying, contradictory, followed }
}

/** Keeps the numbers of a list between renders. */
export function createSettledList<Item extends ListItem>() {
  let settled: SettledList<Item> | undefined
  return (responses: ListResponses<Item>) => (settled = settleList(settled, responses))
}
