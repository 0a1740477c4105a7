import { referencedKinds, referenceTo, resourceOf } from '../../domain/inventory/kinds.ts'
import type { DatabaseReader } from '../database.ts'
import { longestFolded } from '../sql-parts.ts'

/** Columns with an index for filters. The indexes have live servers only, because most queries are about those. */
const filtered = [
  'billing_type',
  'brand',
  'hypervisor',
  'instance_type',
  'is_gpu',
  'os_type',
  'provider',
] as const

/** Columns with the ids of accounts and resources, and those with their names. */
const references: readonly (readonly [id: string, name: string])[] = [
  ['account_id', 'account'],
  ...referencedKinds.flatMap((kind) => {
    const name = resourceOf(kind).fields['name']?.fromServer
    return name === undefined ? [] : [[referenceTo(kind).field, name] as const]
  }),
]

/** Columns with an index for sorting. */
const sorted = ['created_at', 'name', 'status', 'updated_at'] as const
export type SortedColumn = (typeof sorted)[number]

/**
 * Columns that the index by creation time covers on SQLite, so that a scan of all servers need not read
 * the rows. Other indexes do not: every write would repeat the columns in each of them, at 160 bytes and
 * 7 µs per index and server. A page in another order looks up at most 10,000 servers of its sort index. If
 * that does not fill the page, this index is scanned and the matches are sorted: 0.1 s for a million
 * servers.
 */
export const coveredColumns: ReadonlySet<string> = new Set([
  ...filtered,
  'account_id',
  'account',
  'cloudregion_id',
  'region',
  'host_id',
  'host',
  'manager_id',
  'manager',
  'zone_id',
  'zone',
  ...sorted,
  'vcpu_count',
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

/** The index that covers many columns on SQLite. */
export const coveringIndex = 'servers_sorted_by_created_at'

/** The index of live servers in the order of a column. */
export const sortIndex = (column: SortedColumn): string =>
  column === 'created_at' ? coveringIndex : `servers_by_${column}`

/** The index for filters by a column. For two columns it is the sort index. */
export const filterIndexes: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [...filtered, ...references.map(([id]) => id)].map((column) => [
      column,
      `servers_by_${column}`,
    ]),
  ),
  name: sortIndex('name'),
  status: sortIndex('status'),
  project_id: 'servers_by_project_id',
  domain_id: 'servers_by_domain_id',
}

/** No index: a scan of the whole table in storage order. */
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

/** PostgreSQL's trigram index, if the extension is installed. One for each column is written half as fast. */
export const trigramIndex: Index = {
  name: 'server_texts_joined_trigrams',
  create:
    'create index if not exists server_texts_joined_trigrams on server_texts using gin ((text || starts) gin_trgm_ops)',
}

/** Indexes whose columns changed on PostgreSQL, where they have another name since then. */
const changed = [
  coveringIndex,
  'servers_by_project_id',
  'servers_by_domain_id',
  'server_tags_by_value',
  'server_addresses_by_address',
] as const

/** Indexes of earlier versions. */
export const obsoleteIndexes = (engine: DatabaseReader['engine']): readonly string[] => [
  'server_texts_trigrams',
  'servers_sorted_by_name',
  'servers_sorted_by_status',
  'servers_sorted_by_updated_at',
  'servers_sorted_by_vcpu_count',
  'servers_by_vcpu_count',
  ...(engine === 'postgres' ? changed : []),
]

/**
 * All indexes except keys. Those of PostgreSQL cover what finds a page in the default order, so that
 * it need not read the rows before it: a project's page takes 0.15 instead of 0.44 ms. Index-only scans
 * need autovacuum, which is on by default. The tag index of PostgreSQL has no sizes, which would double
 * its own size, so statistics by tag read the table. Addresses are compared by code point, so their index
 * has the collation `C`.
 */
export function serverIndexes(engine: DatabaseReader['engine']): readonly Index[] {
  const found = engine === 'postgres' ? ['revision', 'seq'] : ['revision']
  const covered =
    engine === 'sqlite'
      ? [...coveredColumns].filter((column) => !['created_at', 'seq', 'id'].includes(column))
      : found
  const text = (column: string) =>
    engine === 'postgres' && ['id', 'name', 'status', 'address'].includes(column)
      ? `${column} collate "C"`
      : column
  const id = text('id')
  const nameOf = (name: string) =>
    engine === 'postgres' && changed.some((other) => other === name) ? `${name}_2` : name
  return [
    ...filtered.map((column) => index(`servers_by_${column}`, 'servers', column, inUse)),
    ...references.map(([id, name]) =>
      index(`servers_by_${id}`, 'servers', `${id}, ${name}`, inUse),
    ),
    ...sorted.map((column) =>
      index(
        nameOf(sortIndex(column)),
        'servers',
        [text(column), id, ...(column === 'created_at' ? covered : [])].join(', '),
        inUse,
      ),
    ),
    ...['project_id', 'domain_id'].map((column) =>
      index(
        nameOf(`servers_by_${column}`),
        'servers',
        [column, 'state', 'created_at', id, ...found].join(', '),
      ),
    ),
    index('servers_recycled', 'servers', `created_at, ${id}`, ' where state = 1'),
    index('servers_deleted', 'servers', `created_at, ${id}`, ' where state = 2'),
    index(
      nameOf('server_tags_by_value'),
      'server_tags',
      `key, value, origin, state, server${engine === 'sqlite' ? ', vcpu_count, vmem_size, disk' : ''}`,
    ),
    index(
      nameOf('server_addresses_by_address'),
      'server_addresses',
      `${text('address')}, state, server`,
    ),
    index('server_places_by_id', 'server_places', 'place, id'),
    // Without the longest texts: a PostgreSQL index entry is limited to a third of a page.
    index('words_by_folded', 'words', 'folded', ` where length(folded) <= ${longestFolded}`),
  ]
}
