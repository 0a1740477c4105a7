import { sql, type Kysely } from 'kysely'

/** Options of identity providers that are stored encrypted, and the sessions of providers that can be ended. */
export async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('identity_providers').addColumn('secrets', 'text').execute()
  await schema.alterTable('tokens').addColumn('provider_session', 'text').execute()
  await schema
    .createIndex('tokens_provider_session')
    .on('tokens')
    .column('provider_session')
    .where(sql.ref('provider_session'), 'is not', null)
    .execute()
}
