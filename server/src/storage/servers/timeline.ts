import { sql, type CompiledQuery } from 'kysely'
import type { ScopeOrNone } from '../../domain/scope.ts'
import type { Sum } from '../../domain/inventory/ports.ts'
import type { TimelineStore, TimelineFilter } from '../../domain/inventory/timeline-store.ts'
import type { DatabaseReader, DatabaseWriter, Row } from '../database.ts'
import { wholeFacet } from './counts.ts'
import { coveringIndex, filterIndexes } from './indexes.ts'
import { allOf, amongWords, codeOf, nothing, type Sql } from '../sql-parts.ts'
import { sums, toSum } from './sums.ts'

const byDay = (rows: readonly Row[] = []): ReadonlyMap<number, Sum> =>
  new Map(rows.map((row) => [Number(row['day']), toSum(row)]))

function within(scope: ScopeOrNone): readonly Sql[] {
  switch (scope.kind) {
    case 'system':
      return []
    case 'domain':
      return [sql`domain_id = ${codeOf(scope.domainId)}`]
    case 'project':
      return [sql`project_id = ${codeOf(scope.projectId)}`]
    case 'none':
      return [nothing]
  }
}

/** Days, counts and servers have the same columns for these conditions. */
const conditionsOf = ({ scope, projectIds, domainIds }: TimelineFilter): readonly Sql[] => [
  ...within(scope),
  ...(projectIds ? [amongWords(sql.ref('project_id'), projectIds)] : []),
  ...(domainIds ? [amongWords(sql.ref('domain_id'), domainIds)] : []),
]

/** The index hint for SQLite. One index covers the columns for a scan of all servers. */
function indexFor({ scope, projectIds, domainIds }: TimelineFilter): string | undefined {
  if (scope.kind === 'project' || projectIds) return filterIndexes['project_id']
  if (scope.kind === 'domain' || domainIds) return filterIndexes['domain_id']
  return coveringIndex
}

/** Stores daily server counts and sizes by project. */
export function createTimelineStore(database: DatabaseReader & DatabaseWriter): TimelineStore {
  const { db, engine } = database

  const counted = (filter: TimelineFilter) =>
    sql`select day, sum(servers) as count, ${sums} from fleet_days
      where ${allOf(conditionsOf(filter))} group by day`.compile(db)

  const now = (filter: TimelineFilter) =>
    sql`select sum(servers) as count, ${sums} from server_counts
      where facet = ${wholeFacet} and ${allOf(conditionsOf(filter))}`.compile(db)

  /** Timestamps are stored in microseconds. */
  const made = (filter: TimelineFilter) => {
    const hint = engine === 'sqlite' ? sql.raw(` indexed by ${indexFor(filter)}`) : sql``
    return sql`select coalesce(created_at, 0) / 86400000000 as day, count(*) as count, ${sums}
      from servers${hint} where state = 0 and ${allOf(conditionsOf(filter))} group by 1`.compile(db)
  }

  return {
    async count(day) {
      // Rows are locked in a fixed order, so that concurrent processes do not deadlock.
      const count = sql`insert into fleet_days (project_id, day, domain_id, servers, vcpu_count, vmem_size, disk)
        select project_id, ${sql.lit(day)}, min(domain_id), sum(servers), sum(vcpu_count), sum(vmem_size), sum(disk)
        from server_counts where facet = ${wholeFacet} group by project_id order by project_id
        on conflict (project_id, day) do update set
          domain_id = excluded.domain_id, servers = excluded.servers,
          vcpu_count = excluded.vcpu_count, vmem_size = excluded.vmem_size, disk = excluded.disk`
      await database.commit([count.compile(db)])
    },

    async forget(before) {
      await database.commit([db.deleteFrom('fleet_days').where('day', '<', before).compile()])
    },

    async read(filter, since, requester) {
      const run = (...queries: CompiledQuery[]) => database.run(queries, requester)
      const [days, present] = await run(counted(filter), now(filter))
      const known = byDay(days)
      const isComplete = Math.min(...known.keys()) <= since
      const [created] = isComplete ? [] : await run(made(filter))
      return { now: toSum(present?.[0]), counted: known, made: byDay(created) }
    },
  }
}
