import { randomBytes } from 'node:crypto'
import { describe } from 'node:test'
import pg from 'pg'

export type Engine = 'sqlite' | 'postgres'

/** An empty database in the PostgreSQL that the test run started. */
export async function createTestDatabase(): Promise<string> {
  const server = process.env['TEST_POSTGRES_URL']
  if (server === undefined) throw new Error('run the tests by "npm test": it starts PostgreSQL')
  const name = `test_${randomBytes(6).toString('hex')}`
  const client = new pg.Client(server)
  await client.connect()
  await client.query(`create database ${client.escapeIdentifier(name)}`)
  await client.end()
  return server.replace(/[^/]+$/, name)
}

/** Runs a suite once on each engine. */
export function onBothEngines(name: string, suite: (engine: Engine) => void): void {
  for (const engine of ['sqlite', 'postgres'] as const) {
    void describe(`${name} (${engine})`, () => suite(engine))
  }
}
