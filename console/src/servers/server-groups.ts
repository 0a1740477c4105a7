import type { ServerStatistics } from '@muster/contract'
import { groupTerm } from './grouping.ts'
import type { Row } from './row.ts'
import { listedValues, unlistedCount } from './value-counts.ts'

type Sums = Pick<ServerStatistics['total'], 'count' | 'vcpu_count' | 'vmem_size'>

/** The servers with one value of a field or a tag. */
export interface ServerGroup extends Sums {
  /** The filter for its servers; undefined for all values that the API does not list. */
  readonly term: string | undefined
  /** `null`: without the tag. */
  readonly value: string | null
  /** How many servers are running; undefined if the API does not list the value. */
  readonly running: number | undefined
}

/** The groups in the statistics of all servers, with those of the running ones. */
export function toServerGroups(
  groupBy: string,
  all: ServerStatistics,
  running: ServerStatistics,
): readonly ServerGroup[] {
  const values = all.groups[groupBy] ?? []
  const runningValues = running.groups[groupBy] ?? []
  const counts = new Map(listedValues(runningValues).map(({ value, count }) => [value, count]))
  const ifMissing = unlistedCount(runningValues) === undefined ? 0 : undefined
  // Servers may start between the two responses.
  const atMost = (most: number, count: number | undefined) => count && Math.min(most, count)
  const groups = listedValues(values).map(({ value, count, vcpu_count, vmem_size }) => {
    const text = value === null ? null : String(value)
    const sums = { count, vcpu_count, vmem_size }
    return {
      ...sums,
      term: groupTerm(groupBy, text),
      value: text,
      running: atMost(count, counts.get(value) ?? ifMissing),
    }
  })
  const others = values[groups.length]
  if (!others) return groups
  const isKnown = groups.every((group) => group.running !== undefined)
  const listed = groups.reduce((sum, group) => sum + (group.running ?? 0), 0)
  return [
    ...groups,
    {
      ...others,
      term: undefined,
      value: null,
      running: isKnown ? atMost(others.count, running.total.count - listed) : undefined,
    },
  ]
}

/** A row of the list that stands for a group. */
export interface GroupRow extends Row {
  readonly group: ServerGroup
  readonly isOpen: boolean
  /** It stands below the first servers of the group, and leads to all of them. */
  readonly isRest: boolean
}

export const isGroupRow = (row: Row): row is GroupRow => 'group' in row

/** How many servers of an open group are listed. */
export const serversPerGroup = 20

/** The rows of a grouped list; undefined for servers that are not loaded yet. */
export const groupRows = (
  groups: readonly ServerGroup[],
  /** The first servers of each open group, by its term. */
  opened: ReadonlyMap<string, readonly Row[] | undefined>,
): readonly (Row | undefined)[] =>
  groups.flatMap((group): readonly (Row | undefined)[] => {
    const { term, count } = group
    const isOpen = term !== undefined && opened.has(term)
    const head: GroupRow = { id: term ?? '', group, isOpen, isRest: false }
    if (!isOpen) return [head]
    const servers =
      opened.get(term) ?? Array.from({ length: Math.min(count, serversPerGroup) }, () => undefined)
    const rest: GroupRow = { ...head, id: `${term} `, isRest: true }
    return [head, ...servers, ...(count > servers.length ? [rest] : [])]
  })
