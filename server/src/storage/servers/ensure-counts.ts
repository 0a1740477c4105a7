import type { DatabaseReader, DatabaseWriter } from '../database.ts'
import { combinedColumns, facets, isFacet, type Facet } from './counts.ts'
import { columnOf, storageClassOf } from './field-columns.ts'

/** Counts all live servers, unless another process has done it meanwhile. */
function countFacet(facet: Facet): string {
  const column = columnOf(facet)
  const [value, source] =
    storageClassOf(column) === 'dictionary'
      ? [`servers.${column}`, 'servers']
      : ['words.code', `servers join words on words.word = servers.${column}`]
  return `insert into server_counts (facet, project_id, value, domain_id, servers, vcpu_count, vmem_size, disk)
    select '${facet}', project_id, ${value}, min(domain_id), count(*), sum(vcpu_count), sum(vmem_size), sum(disk)
    from ${source} where state = 0 and not exists (select 1 from server_counts where facet = '${facet}')
    group by project_id, ${value}`
}

const countCombinations = `insert into server_combinations (${combinedColumns.join()}, servers, vcpu_count, vmem_size, disk)
  select ${combinedColumns.join()}, count(*), sum(vcpu_count), sum(vmem_size), sum(disk)
  from servers where state = 0 and not exists (select 1 from server_combinations)
  group by ${combinedColumns.join()}`

/**
 * Counts the stored servers by each field that has become a counted one, and by combination after an
 * upgrade. Deletes the counts of fields that are no longer counted. Afterwards every write of servers maintains the counts.
 */
export async function ensureServerCounts(database: DatabaseReader & DatabaseWriter): Promise<void> {
  const { db, engine } = database
  const rows = await db.selectFrom('server_counts').select('facet').distinct().execute()
  const there = rows.map(({ facet }) => facet)
  const live = await db
    .selectFrom('servers')
    .select('seq')
    .where('state', '=', 0)
    .limit(1)
    .execute()
  const missing = live.length > 0 ? facets.filter((facet) => !there.includes(facet)) : []
  const combined = await db.selectFrom('server_combinations').select('servers').limit(1).execute()
  const counted = facets.map((facet) => `'${facet}'`).join()
  const statements = [
    ...(there.every(isFacet) ? [] : [`delete from server_counts where facet not in (${counted})`]),
    ...missing.map(countFacet),
    ...(live.length > 0 && combined.length === 0 ? [countCombinations] : []),
  ]
  if (statements.length === 0) return
  // Other processes may write servers: the lock waits for their commits and delays new ones.
  const lock = 'lock table servers in share mode'
  await database.maintain(
    engine === 'postgres' ? [['begin', lock, ...statements, 'commit'].join('; ')] : statements,
  )
}
