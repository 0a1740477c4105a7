import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { PlatformError } from '../../domain/error.ts'
import { createTestDatabase } from '../../testing/engines.ts'
import { createStorageLocation } from '../../testing/open-storage.ts'
import { startDatabaseProxy, throughProxy } from '../../testing/tcp-proxy.ts'
import { openPostgres } from './open.ts'

/** How many connections Muster holds to this database. */
async function countConnections(url: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
      where datname = current_database() and application_name = 'muster'`,
  )
  await client.end()
  return rows[0]?.count ?? Number.NaN
}

async function noConnectionsLeft(url: string): Promise<void> {
  // The server takes a moment to notice who has gone.
  for (let tries = 0; tries < 100 && (await countConnections(url)) > 0; tries += 1) await pause(20)
  assert.equal(await countConnections(url), 0)
}

describe('a PostgreSQL', () => {
  test('has no connection left after close', async () => {
    const url = await createTestDatabase()
    const database = await openPostgres(url, async () => {})
    await database.ping()
    assert.ok((await countConnections(url)) > 0)
    await database.close()
    await noConnectionsLeft(url)
  })

  test('has no connection left after its data was rejected', async () => {
    const url = await createTestDatabase()
    const refused = new Error('not this data')
    await assert.rejects(
      openPostgres(url, async (db) => {
        await sql`select 1`.execute(db)
        throw refused
      }),
      refused,
    )
    await noConnectionsLeft(url)
  })

  test('REL-05: that disconnects during a read or a commit causes a 503, and the process goes on', async (t) => {
    const location = await createStorageLocation('postgres')
    t.after(() => location.remove())
    const proxy = await startDatabaseProxy(t, location.url ?? '')
    const database = await location.open(throughProxy(location.url ?? '', proxy))
    const slow = sql`select pg_sleep(3)`
    const work = [
      slow.execute(database.db),
      database.commit([slow.compile(database.db)]),
      database.commit([slow.compile(database.db), slow.compile(database.db)]),
    ]
    const settled = Promise.allSettled(work)
    await pause(200)
    proxy.cut()
    for (const result of await settled) {
      assert.equal(result.status, 'rejected')
      assert.ok(result.reason instanceof PlatformError)
      assert.equal(result.reason.class, 'ServiceUnavailable')
      assert.equal(result.reason.retryAfter, 1)
    }
    proxy.restore()
    await database.ping()
  })
})
