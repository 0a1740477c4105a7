import { fieldsUsedFor, servers, type FieldUsedFor, type Server } from '@muster/contract'
import type { ServerWrite } from '../../domain/inventory/ports.ts'
import type { DatabaseReader, Statement } from '../database.ts'
import { createInsertRows } from '../insert-rows.ts'
import { code, stateOf } from './rows.ts'
import type { Codes } from './text-dictionary.ts'

/** Fields with stored counts, because statistics often group by them. */
export const facets = fieldsUsedFor(servers, 'count')
export type Facet = FieldUsedFor<typeof servers, 'count'>

export const isFacet = (name: string): name is Facet => (facets as readonly string[]).includes(name)

/** The total is the sum over any facet. This one has the fewest values. */
export const wholeFacet: Facet = 'os_type'

/** The dictionary words in the counts of a server. */
export const countedWords = (server: Server): string[] => [
  server.project_id,
  server.domain_id,
  ...facets.map((facet) => server[facet]),
]

interface Count {
  readonly facet: Facet
  readonly project: string
  readonly value: string
  readonly domain: string
  servers: number
  vcpuCount: number
  vmemSize: number
  disk: number
}

/** Sums the changes of the counts, by facet, project and value. */
function sumUp(writes: readonly ServerWrite[]): readonly Count[] {
  const counts = new Map<string, Count>()
  function add(server: Server, sign: 1 | -1): void {
    if (stateOf(server) !== 0) return
    const { project_id: project, domain_id: domain } = server
    for (const facet of facets) {
      const value = server[facet]
      const key = `${facet} ${project} ${value}`
      let count = counts.get(key)
      if (!count) {
        count = { facet, project, value, domain, servers: 0, vcpuCount: 0, vmemSize: 0, disk: 0 }
        counts.set(key, count)
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
  return [...counts.values()]
}

/** A fixed order of rows, so that concurrent commits do not deadlock. */
const byKey = ([facetA, projectA, valueA]: CountKey, [facetB, projectB, valueB]: CountKey) =>
  facets.indexOf(facetA) - facets.indexOf(facetB) || projectA - projectB || valueA - valueB
type CountKey = readonly [facet: Facet, project: number, value: number, ...rest: number[]]

/**
 * Increments the stored counts. The difference is computed from the servers as they were read, so the
 * commit must also require that they are unchanged. Increments commute. The rows stay locked until the
 * commit, so these statements come late.
 */
export function createCountStatements(database: Pick<DatabaseReader, 'engine' | 'db'>) {
  const insert = createInsertRows(
    database,
    'server_counts',
    ['facet', 'project_id', 'value', 'domain_id', 'servers', 'vcpu_count', 'vmem_size', 'disk'],
    { add: ['servers', 'vcpu_count', 'vmem_size', 'disk'] },
    ['facet', 'project_id', 'value'],
  )
  return function countStatements(writes: readonly ServerWrite[], codes: Codes): Statement[] {
    const rows = sumUp(writes)
      .filter((count) => count.servers || count.vcpuCount || count.vmemSize || count.disk)
      .map(({ facet, project, value, domain, servers, vcpuCount, vmemSize, disk }): CountKey => [
        facet,
        code(codes, project),
        code(codes, value),
        code(codes, domain),
        servers,
        vcpuCount,
        vmemSize,
        disk,
      ])
    return insert(rows.toSorted(byKey))
  }
}
