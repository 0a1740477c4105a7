import { sql, type Kysely } from 'kysely'
import { withCreatedAt, withEnabled, withId, withName, withOwner } from './column-types.ts'
import { engineOf, requireIntactReferences } from './engine.ts'

interface Provider {
  readonly id: string
  readonly name: string
  readonly name_key: string
  readonly driver: string
  readonly domain_id: string
  readonly enabled: number
  readonly mapping: string
  readonly created_at: number
}

interface OldProvider extends Provider {
  readonly url: string
  readonly service_url: string
  readonly protocol: number
  readonly ca: string
}

type NewProvider = Provider & { readonly options: string }

const moved = ['url', 'service_url', 'protocol', 'ca'] as const

function toNew({ url, service_url, protocol, ca, ...common }: OldProvider): NewProvider {
  return { ...common, options: JSON.stringify({ url, service_url, protocol, ca }) }
}

/**
 * SQLite cannot drop a constraint, so the table is rebuilt. `migrate` turns foreign keys off, or
 * dropping the old table would delete the rows that refer to it.
 */
async function rebuild(db: Kysely<unknown>, providers: readonly NewProvider[]): Promise<void> {
  const { schema } = db
  await schema
    .createTable('new_identity_providers')
    .$call(withId)
    .$call(withName)
    .addColumn('driver', 'text', (column) => column.notNull())
    .addColumn('options', 'text', (column) => column.notNull())
    .$call(withOwner)
    .$call(withEnabled)
    .addColumn('mapping', 'text', (column) => column.notNull())
    .$call(withCreatedAt)
    .addUniqueConstraint('identity_providers_name', ['name_key'])
    .execute()
  const tables = db as Kysely<{ new_identity_providers: NewProvider }>
  for (const provider of providers) {
    await tables.insertInto('new_identity_providers').values(provider).execute()
  }
  await schema.dropTable('identity_providers').execute()
  await schema.alterTable('new_identity_providers').renameTo('identity_providers').execute()
  await schema
    .createIndex('identity_providers_domain')
    .on('identity_providers')
    .column('domain_id')
    .execute()
  await requireIntactReferences(db)
}

async function alter(db: Kysely<unknown>, providers: readonly NewProvider[]): Promise<void> {
  const { schema } = db
  const table = () => schema.alterTable('identity_providers')
  await table().dropConstraint('identity_providers_driver_check').execute()
  await table()
    .addColumn('options', 'text', (column) => column.notNull().defaultTo('{}'))
    .execute()
  for (const { id, options } of providers) {
    await sql`update identity_providers set options = ${options} where id = ${id}`.execute(db)
  }
  for (const column of moved) await table().dropColumn(column).execute()
}

/** Replaces the columns for CAS with the options of any driver, as JSON. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const rows = await (db as Kysely<{ identity_providers: OldProvider }>)
    .selectFrom('identity_providers')
    .selectAll()
    .execute()
  const providers = rows.map(toNew)
  await (engineOf(db) === 'sqlite' ? rebuild(db, providers) : alter(db, providers))
}
