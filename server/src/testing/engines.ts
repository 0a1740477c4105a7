import { randomBytes } from 'node:crypto'
import { chmodSync, copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe } from 'node:test'
import pg from 'pg'
import { openPostgres } from '../storage/postgres/open.ts'
import { openSqlite } from '../storage/sqlite/open.ts'
import { createOutdatedServers } from '../storage/servers/server-writer.ts'
import { ensureServerIndexes } from '../storage/servers/ensure-indexes.ts'

export type Engine = 'sqlite' | 'postgres'

const migrated = 'muster_migrated'
const databaseFile = 'muster.db'

async function createDatabase(server: string, name: string, template?: string): Promise<string> {
  const client = new pg.Client(server)
  await client.connect()
  const [database, original] = [name, template ?? 'template1'].map((text) =>
    client.escapeIdentifier(text),
  )
  // The default writes every page of the copy to the log as well.
  await client.query(`create database ${database} template ${original} strategy file_copy`)
  await client.end()
  return server.replace(/[^/]+$/, name)
}

/** A database of each engine with Muster's tables. Copying one takes a tenth of migrating. */
export async function prepareDatabases(server: string, folder: string): Promise<void> {
  const inspect = async () => {}
  const url = await createDatabase(server, migrated)
  for (const database of [await openPostgres(url, inspect), await openSqlite(folder, inspect)]) {
    await ensureServerIndexes(database)
    // Otherwise every platform would write it in the background shortly after its start.
    await createOutdatedServers(database).recordAllRewritten()
    await database.close()
  }
  process.env['TEST_POSTGRES_URL'] = server
  process.env['TEST_SQLITE_FOLDER'] = folder
}

/** Puts a SQLite file with Muster's tables into a data directory, which is created. */
export function copyMigratedFile(directory: string): void {
  const folder = process.env['TEST_SQLITE_FOLDER']
  if (folder === undefined) return
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  copyFileSync(join(folder, databaseFile), join(directory, databaseFile))
  chmodSync(join(directory, databaseFile), 0o600)
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
