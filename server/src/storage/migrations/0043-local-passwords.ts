import { sql, type Kysely } from 'kysely'

/** Who may log in with a password of Muster: everybody of a domain, as before, or its break-glass users only. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('domains')
    .addColumn('local_passwords', 'text', (column) =>
      column
        .notNull()
        .defaultTo('on')
        .check(sql`local_passwords in ('on', 'break_glass')`),
    )
    .execute()
  await schema.alterTable('domains').addColumn('local_passwords_since', 'bigint').execute()
  await schema
    .alterTable('users')
    .addColumn('break_glass', 'integer', (column) =>
      column
        .notNull()
        .defaultTo(0)
        .check(sql`break_glass in (0, 1)`),
    )
    .execute()
}
