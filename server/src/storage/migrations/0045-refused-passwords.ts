import type { Kysely } from 'kysely'

/** Since when a user depends on an identity provider, if that is later than the rule of the domain. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('users').addColumn('password_refused_at', 'bigint').execute()
}
