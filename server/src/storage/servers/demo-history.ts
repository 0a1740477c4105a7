import { maxTimelineDays } from '@muster/contract'
import { sql } from 'kysely'
import type { DatabaseReader, DatabaseWriter } from '../database.ts'
import { wholeFacet } from './counts.ts'

/** Fills the timeline of a demo with made-up daily counts: projects grow or shrink, with a weekly pattern. */
export async function writeDemoHistory(
  database: DatabaseReader & DatabaseWriter,
  today: number,
): Promise<void> {
  const share = sql`(2000 - ago * (project_id % 6 - 1) - (ago + project_id) % 7 * 4) / 2000`
  const past = sql`insert into fleet_days (project_id, day, domain_id, servers, vcpu_count, vmem_size, disk)
    with recursive days (ago) as (
      select 1 union all select ago + 1 from days where ago < ${sql.lit(maxTimelineDays)}
    )
    select project_id, ${sql.lit(today)} - ago, min(domain_id), sum(servers) * ${share},
      sum(vcpu_count) * ${share}, sum(vmem_size) * ${share}, sum(disk) * ${share}
    from server_counts, days where facet = ${wholeFacet} group by project_id, ago
    on conflict (project_id, day) do nothing`
  await database.commit([past.compile(database.db)])
}
