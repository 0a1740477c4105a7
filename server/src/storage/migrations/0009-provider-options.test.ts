import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { Migrator, type Migration } from 'kysely/migration'
import pg from 'pg'
import { createTestDatabase, onBothEngines } from '../../testing/engines.ts'
import { createKysely } from '../sqlite/bridge.ts'
import { openFile } from '../sqlite/file.ts'
import type { Tables } from '../tables.ts'
import { migrate } from './migrate.ts'

/** The migrations of the version before. */
async function getEarlierMigrations(): Promise<Record<string, Migration>> {
  const names = readdirSync(import.meta.dirname)
    .filter((file) => /^000[1-8]-[a-z-]+\.ts$/.test(file))
    .map((file) => file.replace(/\.ts$/, ''))
  const modules = names.map(async (name) => [name, (await import(`./${name}.ts`)) as Migration])
  return Object.fromEntries(await Promise.all(modules)) as Record<string, Migration>
}

/** What refers to a provider and would go with it: a login, a mapped role and tokens. */
const rows = [
  `insert into domains (id, name, name_key, enabled, created_at) values ('d', 'D', 'd', 1, 1)`,
  `insert into users (id, domain_id, name, name_key, enabled, created_at) values ('u', 'd', 'U', 'u', 1, 1)`,
  `insert into roles (id, domain_id, name, name_key, created_at) values ('r', 'd', 'R', 'r', 1)`,
  `insert into identity_providers (id, name, name_key, driver, url, service_url, protocol, domain_id, enabled, ca, mapping, created_at)
    values ('p', 'P', 'p', 'cas', 'https://cas.test/cas', 'https://muster.test/', 2, 'd', 1, 'PEM', '[]', 7)`,
  `insert into subjects (provider_id, subject, user_id) values ('p', 'ada', 'u')`,
  `insert into assignments (id, role_id, user_id, domain_id, provider_id) values ('a', 'r', 'u', 'd', 'p')`,
  `insert into tokens (id, user_id, method, generation, issued_at, expires_at, ip, source, provider_id)
    values ('t', 'u', 'cas', 0, 1, 2, '', 'web', 'p')`,
  `insert into tokens (id, user_id, method, parent_id, generation, issued_at, expires_at, ip, source)
    values ('child', 'u', 'token', 't', 1, 1, 2, '', 'web')`,
]

onBothEngines('0009-provider-options', (engine) => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-migration-'))
  let db: Kysely<Tables>

  before(async () => {
    db =
      engine === 'sqlite'
        ? createKysely(openFile(join(folder, 'muster.db')))
        : new Kysely<Tables>({
            dialect: new PostgresDialect({
              pool: new pg.Pool({ connectionString: await createTestDatabase(), max: 2 }),
            }),
          })
    const earlier = await getEarlierMigrations()
    const migrator = new Migrator({ db, provider: { getMigrations: async () => earlier } })
    const { error } = await migrator.migrateToLatest()
    if (error) throw error
    for (const row of rows) await sql.raw(row).execute(db)
    await migrate(db)
  })
  after(async () => {
    await db.destroy()
    rmSync(folder, { recursive: true })
  })

  const count = async (table: keyof Tables) => {
    const found = await db
      .selectFrom(table)
      .select(sql<number>`count(*)`.as('rows'))
      .execute()
    return Number(found[0]?.rows)
  }

  test('keeps the rows that refer to a provider', async () => {
    assert.deepEqual(
      [await count('subjects'), await count('assignments'), await count('tokens')],
      [1, 1, 2],
    )
  })

  test('counts the logins of before as confirmed at the upgrade, so that access keys go on', async () => {
    const { confirmed_at } = await db.selectFrom('subjects').selectAll().executeTakeFirstOrThrow()
    assert.ok(Date.now() - confirmed_at < 600_000)
  })

  test("moves the address, the protocol and the certificate to the driver's options", async () => {
    const provider = await db.selectFrom('identity_providers').selectAll().executeTakeFirstOrThrow()
    const { options, ...columns } = provider
    assert.deepEqual(JSON.parse(options), {
      url: 'https://cas.test/cas',
      service_url: 'https://muster.test/',
      protocol: 2,
      ca: 'PEM',
    })
    assert.deepEqual(
      { ...columns, created_at: String(columns.created_at) },
      {
        id: 'p',
        name: 'P',
        name_key: 'p',
        driver: 'cas',
        domain_id: 'd',
        enabled: 1,
        mapping: '[]',
        created_at: '7',
        secrets: null,
      },
    )
  })

  test('allows any driver, and rejects duplicate names', async () => {
    const { id: _, ...provider } = await db
      .selectFrom('identity_providers')
      .selectAll()
      .executeTakeFirstOrThrow()
    const insert = (name_key: string) =>
      db
        .insertInto('identity_providers')
        .values({ ...provider, id: name_key, name_key, driver: 'another' })
        .execute()
    await insert('q')
    await assert.rejects(insert('p'), /unique/i)
  })

  test('still deletes dependent rows with a provider', async () => {
    await db.deleteFrom('identity_providers').execute()
    assert.deepEqual(
      [await count('subjects'), await count('assignments'), await count('tokens')],
      [0, 0, 0],
    )
  })
})
