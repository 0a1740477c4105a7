import { fieldsUsedFor, servers, type FieldUsedFor, type Server } from '@muster/contract'
import type { ServerWrite } from '../../domain/inventory/ports.ts'
import type { DatabaseReader, Statement } from '../database.ts'
import { createInsertRows } from '../insert-rows.ts'
import type { Column } from './field-columns.ts'
import { code, stateOf } from './rows.ts'
import type { Codes } from './text-dictionary.ts'

/** Fields with stored counts, because statistics often group by them. */
export const facets = fieldsUsedFor(servers, 'count')
export type Facet = FieldUsedFor<typeof servers, 'count'>

export const isFacet = (name: string): name is Facet => (facets as readonly string[]).includes(name)

/** The total is the sum over any facet. This one has the fewest values. */
export const wholeFacet: Facet = 'os_type'

/**
 * Fields whose combinations have stored counts: filters by several of them, and statistics of such
 * filters, need not read the servers. Most are the same for many servers of an account.
 */
export const combinedColumns = [
  'status',
  'domain_id',
  'account_id',
  'account',
  'brand',
  'provider',
  'hypervisor',
  'cloudregion_id',
  'region',
  'zone_id',
  'zone',
  'os_type',
  'instance_type',
] as const satisfies readonly Column[]

export const isCombinedColumn = (name: string): boolean =>
  (combinedColumns as readonly string[]).includes(name)

/** The dictionary words in the counts of a server. */
export const countedWords = (server: Server): string[] => [
  server.project_id,
  ...facets.map((facet) => server[facet]),
  ...combinedColumns.map((column) => server[column]),
]

interface Count {
  readonly key: readonly string[]
  servers: number
  vcpuCount: number
  vmemSize: number
  disk: number
}

/** Sums the changes of the counts, by the keys of each server. */
function sumUp(
  writes: readonly ServerWrite[],
  keysOf: (server: Server) => readonly (readonly string[])[],
): readonly Count[] {
  const counts = new Map<string, Count>()
  function add(server: Server, sign: 1 | -1): void {
    if (stateOf(server) !== 0) return
    for (const key of keysOf(server)) {
      const text = key.join('\0')
      let count = counts.get(text)
      if (!count) {
        count = { key, servers: 0, vcpuCount: 0, vmemSize: 0, disk: 0 }
        counts.set(text, count)
      }
      count.servers += sign
      count.vcpuCount += sign * server.vcpu_count
      count.vmemSize += sign * server.vmem_size
      count.disk += sign * server.disk
    }
  }
  for (const { stored, server } of writes) {
    if (stored) add(stored.server, -1)
    add(server, 1)
  }
  return [...counts.values()].filter(
    (count) => count.servers || count.vcpuCount || count.vmemSize || count.disk,
  )
}

/** A fixed order of rows, so that concurrent commits do not deadlock. */
function byKey({ key: a }: Count, { key: b }: Count): number {
  const at = a.findIndex((word, index) => word !== b[index])
  return (a[at] ?? '') < (b[at] ?? '') ? -1 : 1
}

const sumColumns = ['servers', 'vcpu_count', 'vmem_size', 'disk']
const facetKey = ['facet', 'project_id', 'value']

/**
 * Increments the stored counts. The difference is computed from the servers as they were read, so the
 * commit must also require that they are unchanged. Increments commute. The rows stay locked until the
 * commit, so these statements come late.
 */
export function createCountStatements(database: Pick<DatabaseReader, 'engine' | 'db'>) {
  const inserting = (
    table: 'server_counts' | 'server_combinations',
    key: readonly string[],
    others: readonly string[] = [],
  ) =>
    createInsertRows(database, table, [...key, ...others, ...sumColumns], { add: sumColumns }, key)
  const insertCounts = inserting('server_counts', facetKey, ['domain_id'])
  const insertCombinations = inserting('server_combinations', combinedColumns)

  return function countStatements(writes: readonly ServerWrite[], codes: Codes): Statement[] {
    const rowOf = ({ key: [first, ...words], servers, vcpuCount, vmemSize, disk }: Count) => [
      first,
      ...words.map((word) => code(codes, word)),
      servers,
      vcpuCount,
      vmemSize,
      disk,
    ]
    const facetsOf = (server: Server) =>
      facets.map((facet) => [facet, server.project_id, server[facet], server.domain_id])
    const combinationOf = (server: Server) => [combinedColumns.map((column) => server[column])]
    const rows = (keysOf: Parameters<typeof sumUp>[1]) =>
      sumUp(writes, keysOf).toSorted(byKey).map(rowOf)
    return [...insertCounts(rows(facetsOf)), ...insertCombinations(rows(combinationOf))]
  }
}
