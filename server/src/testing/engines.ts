import { randomBytes } from 'node:crypto'
import { describe } from 'node:test'
import pg from 'pg'
import { openPostgres } from '../storage/postgres/open.ts'
import { ensureServerIndexes } from '../storage/servers/ensure-indexes.ts'

export type Engine = 'sqlite' | 'postgres'

const migrated = 'muster_migrated'

async function createDatabase(server: string, name: string, template?: string): Promise<string> {
  const client = new pg.Client(server)
  await client.connect()
  const [database, original] = [name, template ?? 'template1'].map((text) =>
    client.escapeIdentifier(text),
  )
  await client.query(`create database ${database} template ${original}`)
  await client.end()
  return server.replace(/[^/]+$/, name)
}

/** A database with Muster's tables, for others to be copied from: that takes a tenth of making them. */
export async function prepareDatabases(server: string): Promise<void> {
  const database = await openPostgres(await createDatabase(server, migrated), async () => {})
  await ensureServerIndexes(database)
  await database.close()
}

/** A database of its own in the PostgreSQL that the test run started: empty, or with Muster's tables. */
export async function createTestDatabase(kind: 'empty' | 'migrated' = 'empty'): Promise<string> {
  const server = process.env['TEST_POSTGRES_URL']
  if (server === undefined) throw new Error('run the tests by "npm test": it starts PostgreSQL')
  const name = `test_${randomBytes(6).toString('hex')}`
  return await createDatabase(server, name, kind === 'migrated' ? migrated : undefined)
}

/** Runs a suite once on each engine. */
export function onBothEngines(name: string, suite: (engine: Engine) => void): void {
  for (const engine of ['sqlite', 'postgres'] as const) {
    void describe(`${name} (${engine})`, () => suite(engine))
  }
}
