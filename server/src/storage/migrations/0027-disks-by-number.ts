import { sql, type Kysely } from 'kysely'
import { diskColumns } from './0022-disks.ts'
import { createResourceTable } from './resource-table.ts'

/**
 * Keys disks by the number of their server instead of its id. Ids are random, so each new disk changed other
 * pages.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  for (const index of ['disks_id', 'disks_name']) await schema.dropIndex(index).execute()
  await schema.alterTable('disks').renameTo('earlier_disks').execute()
  await createResourceTable(db, 'disks', { ...diskColumns, parent: 'server' })
  const { texts, numbers } = diskColumns
  const columns = [
    ...['id', ...texts].flatMap((name) => [name, `${name}_folded`]),
    ...numbers,
    'created_at',
    'updated_at',
  ]
  const earlier = columns.map((name) => sql.ref(`earlier_disks.${name}`))
  await sql`insert into disks (server, ${sql.join(columns.map((name) => sql.ref(name)))})
    select seq, ${sql.join(earlier)}
    from earlier_disks inner join servers on servers.id = guest_id
    order by seq, earlier_disks.id`.execute(db)
  await schema.dropTable('earlier_disks').execute()
}
