import type { Kysely } from 'kysely'

/** When a sync disabled the user of a person whom the identity provider no longer has. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('subjects').addColumn('ended_at', 'bigint').execute()
}
