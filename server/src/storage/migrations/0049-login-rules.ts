import { sql, type Kysely } from 'kysely'

const noRules = '{"token_lifetime":null,"session_lifetime":null,"session_idle":null,"networks":[]}'

/** The rules of domains about logins, and of each token the login that it comes from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  await schema
    .alterTable('domains')
    .addColumn('login_rules', 'text', (column) => column.notNull().defaultTo(noRules))
    .execute()
  await schema
    .alterTable('tokens')
    .addColumn('login_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await schema
    .alterTable('tokens')
    .addColumn('login_method', 'text', (column) => column.notNull().defaultTo(''))
    .execute()
  await sql`with recursive logins as (
      select id, issued_at as login_at, method as login_method from tokens where parent_id is null
      union all
      select tokens.id, logins.login_at, logins.login_method
      from tokens join logins on tokens.parent_id = logins.id
    )
    update tokens set
      login_at = (select logins.login_at from logins where logins.id = tokens.id),
      login_method = (select logins.login_method from logins where logins.id = tokens.id)`.execute(
    db,
  )
}
