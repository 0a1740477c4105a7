import { sql, type Kysely } from 'kysely'
import type { Statement } from '../database.ts'
import type { Tables } from '../tables.ts'

/** What statistics are usually asked for: how many there are of each is always known. */
export const facets = [
  'status',
  'provider',
  'brand',
  'account',
  'region',
  'zone',
  'os_type',
  'hypervisor',
] as const
export type Facet = (typeof facets)[number]

export const isFacet = (name: string): name is Facet => (facets as readonly string[]).includes(name)

/** The whole is the sum of any of them: this one has the fewest values to add up. */
export const wholeFacet: Facet = 'os_type'

const valueOf = (facet: Facet) =>
  facet === 'status' ? sql`(select code from words where word = servers.status)` : sql.ref(facet)

/** Adds to the counts, or takes from them, what these servers come to as they are in the table now. */
export function countStatements(
  read: Kysely<Tables>,
  seqs: readonly number[],
  sign: 1 | -1,
): Statement[] {
  if (seqs.length === 0) return []
  const signed = sql.raw(sign === 1 ? '' : '-')
  return facets.map((facet) =>
    // In the order of the key, so that two who count at once never wait for each other in a circle.
    sql`insert into server_counts (facet, project_id, value, domain_id, servers, vcpu_count, vmem_size, disk)
      select ${sql.lit(facet)}, project_id, ${valueOf(facet)} as value, domain_id, ${signed}count(*), ${signed}sum(vcpu_count), ${signed}sum(vmem_size), ${signed}sum(disk)
      from servers where state = 0 and seq in (${sql.join(seqs)})
      group by project_id, ${valueOf(facet)}, domain_id
      order by project_id, value
      on conflict (facet, project_id, value) do update set
        servers = server_counts.servers + excluded.servers,
        vcpu_count = server_counts.vcpu_count + excluded.vcpu_count,
        vmem_size = server_counts.vmem_size + excluded.vmem_size,
        disk = server_counts.disk + excluded.disk`.compile(read),
  )
}
