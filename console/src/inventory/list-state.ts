import type { ScopeParameter } from '@muster/contract'
import type { Search } from '../url/search.ts'
import type { Sort } from '../url/sort.ts'

export const scopeValues = ['max', 'project', 'domain', 'system'] as const

/** The state of a list, stored in the address so that it can be shared. */
export interface ListState<Column extends string> {
  readonly q: string
  readonly sort: Sort
  readonly columns: readonly Column[]
  readonly scope: ScopeParameter
}

export interface ListDefaults<Column extends string> {
  /** All columns, and those that are shown by default. */
  readonly names: readonly Column[]
  readonly columns: readonly Column[]
  readonly sort: Sort
}

const sortText = ({ by, order }: Sort) => `${order === 'desc' ? '-' : ''}${by}`

/** `name` for ascending, `-name` for descending. */
function readSort(text: string | undefined, fallback: Sort): Sort {
  if (text === undefined || !/^-?[a-z_]+$/.test(text)) return fallback
  return text.startsWith('-') ? { by: text.slice(1), order: 'desc' } : { by: text, order: 'asc' }
}

function readColumns<Column extends string>(
  text: string | undefined,
  { names, columns }: ListDefaults<Column>,
): readonly Column[] {
  const isColumn = (name: string): name is Column => names.some((other) => other === name)
  const named = [...new Set((text ?? '').split(',').filter(isColumn))]
  if (named.length === 0) return columns
  // The name column is always shown.
  return [...names.filter((name) => name === 'name'), ...named.filter((name) => name !== 'name')]
}

export const readListState = <Column extends string>(
  search: Search,
  defaults: ListDefaults<Column>,
): ListState<Column> => ({
  q: search['q'] ?? '',
  sort: readSort(search['sort'], defaults.sort),
  columns: readColumns(search['columns'], defaults),
  scope: scopeValues.find((scope) => scope === search['scope']) ?? 'max',
})

/** Default values are left out to keep addresses short. */
export function writeListState<Column extends string>(
  { q, sort, columns, scope }: ListState<Column>,
  defaults: ListDefaults<Column>,
): Search {
  const unless = (text: string, usual: string) => (text === usual ? undefined : text)
  return withoutEmpty({
    q,
    sort: unless(sortText(sort), sortText(defaults.sort)),
    columns: unless(columns.join(','), defaults.columns.join(',')),
    scope: unless(scope, 'max'),
  })
}

export const withoutEmpty = (search: Search): Search =>
  Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined && value !== ''),
  )
