import * as list from '../inventory/list-state.ts'
import type { Search } from '../url/search.ts'
import type { Sort } from '../url/sort.ts'
import { readTerms } from '../filter/terms.ts'
import { columnNames, defaultColumns, type ColumnName } from './columns.ts'
import { readGroupBy } from './grouping.ts'

/** The state of the server list, stored in the address so that it can be shared. */
export interface ListState extends list.ListState<ColumnName> {
  /** Only the servers in the recycle bin, instead of all others. */
  readonly isBin: boolean
  /** The moment of the past that is shown; undefined for now. */
  readonly asOf: string | undefined
  /** What the servers are grouped by, as the API names it; undefined for one list. */
  readonly groupBy: string | undefined
  /** The terms of the open groups. */
  readonly openGroups: readonly string[]
  /** The saved view that it started from. */
  readonly view: string | undefined
  /** The server whose panel is open, and at which tab. */
  readonly panel: string | undefined
  readonly tab: string
}

export const defaultSort: Sort = { by: 'created_at', order: 'desc' }

const defaults = { names: columnNames, columns: defaultColumns, sort: defaultSort }

export const readListState = (search: Search): ListState => ({
  ...list.readListState(search, defaults),
  isBin: search['bin'] === 'true',
  asOf: search['as_of'] || undefined,
  groupBy: readGroupBy(search['group_by']),
  openGroups: readTerms(search['open'] ?? '').map(({ raw }) => raw),
  view: search['view'],
  panel: search['panel'],
  tab: search['tab'] ?? 'overview',
})

export function writeListState(state: ListState): Search {
  const { isBin, asOf, groupBy, openGroups, view, panel, tab } = state
  return list.withoutEmpty({
    ...list.writeListState(state, defaults),
    bin: isBin ? 'true' : undefined,
    as_of: asOf,
    group_by: groupBy,
    open: groupBy === undefined ? undefined : openGroups.join(' '),
    view,
    panel,
    tab: panel === undefined || tab === 'overview' ? undefined : tab,
  })
}
