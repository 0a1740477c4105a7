import { sql, type Kysely } from 'kysely'

const minute = 60_000

/**
 * Since when changes are recorded, and the last commit whose changes were purged. What was purged before is not
 * known, so the oldest stored commit stands for it. Times ago are rounded to the minute, and so is the start.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const name of ['recorded_since', 'purged_position']) {
    await db.schema
      .alterTable('fleet_numbers')
      .addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0))
      .execute()
  }
  const now = Math.floor(Date.now() / minute) * minute
  const oldest = (column: string) =>
    sql`(select min(${sql.ref(column)}) from change_commits where position > 0)`
  await sql`update fleet_numbers set recorded_since = coalesce(${oldest('time')}, cast(${now} as bigint)),
    purged_position = coalesce(${oldest('position')}, 0)`.execute(db)
  // Disks show the time of change of their server.
  await db.schema.alterTable('disks').dropColumn('updated_at').execute()
}
