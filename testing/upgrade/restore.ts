import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { createTestDatabase, type Engine } from '../../server/src/testing/engines.ts'

/** Puts the database of a state where a platform finds it. */
export async function restore(engine: Engine, data: Buffer, secretKey: string) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-upgrade-'))
  mkdirSync(join(folder, 'data'), { mode: 0o700 })
  writeFileSync(join(folder, 'secret.key'), secretKey, { mode: 0o600 })
  if (engine === 'sqlite') writeFileSync(join(folder, 'data/muster.db'), data, { mode: 0o600 })
  const databaseUrl = engine === 'postgres' ? await createTestDatabase() : undefined
  if (databaseUrl !== undefined) {
    const client = new pg.Client(databaseUrl)
    await client.connect()
    await client.query(data.toString())
    await client.end()
  }
  return { folder, databaseUrl }
}

/** Reads from a restored database before it is upgraded. */
export async function readRestored<Row>(
  { folder, databaseUrl }: Awaited<ReturnType<typeof restore>>,
  query: string,
): Promise<Row[]> {
  if (databaseUrl === undefined) {
    const database = new DatabaseSync(join(folder, 'data/muster.db'), { readOnly: true })
    const rows = database.prepare(query).all() as Row[]
    database.close()
    return rows
  }
  const client = new pg.Client(databaseUrl)
  await client.connect()
  const { rows } = await client.query<Row & pg.QueryResultRow>(query)
  await client.end()
  return rows
}
