import type { Sort } from '../url/sort.ts'
import type { Search } from '../url/search.ts'
import { columnNames, defaultColumns, type ColumnName } from './columns.ts'

/** The state of the server list, stored in the address so that it can be shared. */
export interface ListState {
  readonly q: string
  readonly sort: Sort
  readonly columns: readonly ColumnName[]
  readonly scope: Scope
  /** The saved view that it started from. */
  readonly view: string | undefined
  /** The server whose panel is open, and at which tab. */
  readonly panel: string | undefined
  readonly tab: string
}

export const scopes = ['max', 'project', 'domain', 'system'] as const
export type Scope = (typeof scopes)[number]

export const defaultSort: Sort = { by: 'created_at', order: 'desc' }

const isColumn = (name: string): name is ColumnName => (columnNames as string[]).includes(name)

/** `name` for ascending, `-name` for descending. */
function readSort(text: string | undefined): Sort {
  if (text === undefined || !/^-?[a-z_]+$/.test(text)) return defaultSort
  return text.startsWith('-') ? { by: text.slice(1), order: 'desc' } : { by: text, order: 'asc' }
}

function readColumns(text: string | undefined): readonly ColumnName[] {
  const named = [...new Set((text ?? '').split(',').filter(isColumn))]
  if (named.length === 0) return defaultColumns
  // The name column is always shown.
  return ['name', ...named.filter((name) => name !== 'name')]
}

export function readListState(search: Search): ListState {
  return {
    q: search['q'] ?? '',
    sort: readSort(search['sort']),
    columns: readColumns(search['columns']),
    scope: scopes.find((scope) => scope === search['scope']) ?? 'max',
    view: search['view'],
    panel: search['panel'],
    tab: search['tab'] ?? 'overview',
  }
}

/** Default values are left out to keep addresses short. */
export function writeListState(state: ListState): Search {
  const { q, sort, columns, scope, view, panel, tab } = state
  const sortText = `${sort.order === 'desc' ? '-' : ''}${sort.by}`
  const columnsText = columns.join(',')
  const pairs: [string, string | undefined][] = [
    ['q', q],
    ['sort', sortText === '-created_at' ? undefined : sortText],
    ['columns', columnsText === defaultColumns.join(',') ? undefined : columnsText],
    ['scope', scope === 'max' ? undefined : scope],
    ['view', view],
    ['panel', panel],
    ['tab', panel === undefined || tab === 'overview' ? undefined : tab],
  ]
  return Object.fromEntries(
    pairs.filter((pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ''),
  )
}
