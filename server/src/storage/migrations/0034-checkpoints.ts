import { sql, type Kysely } from 'kysely'

/** Changes with a whole former version, from which the versions before it are rebuilt. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('server_changes_versions')
    .on('server_changes')
    .columns(['server', 'revision'])
    .where(sql`former_version`, 'is not', null)
    .execute()
}
