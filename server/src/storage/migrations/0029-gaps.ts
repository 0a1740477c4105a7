import { sql, type Kysely } from 'kysely'

/** When accounts were not observed. What happened before the last complete scan of today is not known. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .createTable('account_observations')
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('cloudaccounts.id').onDelete('cascade'),
    )
    .addColumn('region', 'text', (column) => column.notNull())
    .addColumn('observed_at', 'bigint', (column) => column.notNull())
    .addColumn('fresh_until', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('account_observations_key', ['account_id', 'region'])
    .execute()
  // No foreign key: the gaps of a deleted account stay as long as the changes of its servers.
  await schema
    .createTable('account_gaps')
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('region', 'text', (column) => column.notNull())
    .addColumn('from', 'bigint', (column) => column.notNull())
    .addColumn('until', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('account_gaps_key', ['account_id', 'until', 'region'])
    .execute()
  await schema.createIndex('account_gaps_until').on('account_gaps').column('until').execute()
  // An account that fails now, or a Muster that was down for the upgrade, has a gap until the next scan.
  await sql`insert into account_observations (account_id, region, observed_at, fresh_until)
    select account_id, '', coalesce(finished_at, 0),
      coalesce(finished_at + period * 1250 + duration_ms * 2 + 5000, 0)
    from account_syncs inner join cloudaccounts on cloudaccounts.id = account_id`.execute(db)
}
