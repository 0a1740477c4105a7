import type { DatabaseReader } from '../database.ts'
import { longestFolded } from './sql-parts.ts'

/**
 * What people filter by, each found by an index of its own; a place by its id. Servers in use are
 * most of all queries, so the indexes hold no others.
 */
const filtered = [
  'billing_type',
  'brand',
  'hypervisor',
  'instance_type',
  'is_gpu',
  'os_type',
  'provider',
] as const

/** Places, by their ids with their names beside them. */
const places = {
  account_id: 'account',
  cloudregion_id: 'region',
  host_id: 'host',
  manager_id: 'manager',
  zone_id: 'zone',
} as const

/** What people sort by. */
const sorted = ['created_at', 'name', 'status', 'updated_at', 'vcpu_count'] as const
export type SortedColumn = (typeof sorted)[number]

/**
 * What SQLite can check while it walks an index in order, without looking at the row: with these
 * beside the sort key the longest walk is a twentieth of a second.
 */
export const coveredColumns: ReadonlySet<string> = new Set([
  ...filtered,
  ...Object.entries(places).flat(),
  ...sorted,
  'seq',
  'id',
  'revision',
  'state',
  'project_id',
  'domain_id',
  'cloud_env',
  'disk',
  'os_name',
  'vmem_size',
  'vpc_id',
])

export const isSorted = (column: string): column is SortedColumn =>
  (sorted as readonly string[]).includes(column)

/** The index that has the servers in use in the order of a column. */
export const sortIndex = (column: SortedColumn): string => `servers_sorted_by_${column}`

/** The indexes by which a column's value leads to its servers; two are sorted by anyway. */
export const filterIndexes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [...filtered, ...Object.keys(places)].map((column) => [column, `servers_by_${column}`]),
  ),
  name: sortIndex('name'),
  status: sortIndex('status'),
  project_id: 'servers_by_project_id',
  domain_id: 'servers_by_domain_id',
}

/** No index at all: every server is looked at, one after the other as they lie. */
export const everyServer = Symbol('every server')

interface Index {
  readonly name: string
  readonly create: string
}

const index = (name: string, table: string, columns: string, condition = ''): Index => ({
  name,
  create: `create index if not exists ${name} on ${table} (${columns})${condition}`,
})

const inUse = ' where state = 0'

/** PostgreSQL's index of three characters in a row, where it has the extension for it. */
export const trigramIndex: Index = {
  name: 'server_texts_trigrams',
  create:
    'create index if not exists server_texts_trigrams on server_texts using gin (text gin_trgm_ops, starts gin_trgm_ops)',
}

/** Every index besides the keys. PostgreSQL looks at rows as it walks: nothing need be covered there. */
export function serverIndexes(engine: DatabaseReader['engine']): readonly Index[] {
  const covering = (column: string) =>
    engine === 'sqlite'
      ? [...coveredColumns].filter((other) => other !== column && other !== 'seq' && other !== 'id')
      : ['revision']
  const text = (column: string) =>
    engine === 'postgres' && (column === 'name' || column === 'status')
      ? `${column} collate "C"`
      : column
  const id = engine === 'postgres' ? 'id collate "C"' : 'id'
  return [
    ...filtered.map((column) => index(`servers_by_${column}`, 'servers', column, inUse)),
    ...Object.entries(places).map(([id, name]) =>
      index(`servers_by_${id}`, 'servers', `${id}, ${name}`, inUse),
    ),
    ...sorted.map((column) =>
      index(
        sortIndex(column),
        'servers',
        [text(column), id, ...covering(column)].join(', '),
        inUse,
      ),
    ),
    ...['project_id', 'domain_id'].map((column) =>
      index(`servers_by_${column}`, 'servers', `${column}, state, created_at, ${id}, revision`),
    ),
    index('servers_recycled', 'servers', `created_at, ${id}`, ' where state = 1'),
    index('servers_deleted', 'servers', `created_at, ${id}`, ' where state = 2'),
    index(
      'server_tags_by_value',
      'server_tags',
      'key, value, origin, state, server, vcpu_count, vmem_size, disk',
    ),
    index('server_addresses_by_address', 'server_addresses', 'address, state, server'),
    index('server_places_by_id', 'server_places', 'place, id'),
    // Without the longest: PostgreSQL's index takes no text longer than a third of a page.
    index('words_by_folded', 'words', 'folded', ` where length(folded) <= ${longestFolded}`),
  ]
}
