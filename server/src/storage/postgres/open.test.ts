import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, test, type TestContext } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { PlatformError } from '../../domain/error.ts'
import { createTestDatabase } from '../../testing/engines.ts'
import { createStorageLocation } from '../../testing/open-storage.ts'
import { startDatabaseProxy, throughProxy } from '../../testing/tcp-proxy.ts'
import { createStatementTemplate } from '../statement-template.ts'
import { defaultLimits, openPostgres } from './open.ts'

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

/** The server takes a moment to notice who has gone. */
const noConnectionsLeft = (url: string) =>
  // By itself, an idle connection ends after 10 s.
  eventually('no connections are left', async () => (await countConnections(url)) === 0, {
    deadline: 5,
  })

/** Replaces the number of the process that PostgreSQL reports when a connection is ready. */
function replaceProcess(response: Buffer): Buffer {
  for (let at = 0; at + 9 <= response.length; at += 1 + response.readInt32BE(at + 1)) {
    if (response[at] === 'K'.charCodeAt(0)) response.writeInt32BE(1, at + 5)
  }
  return response
}

/** The address of a pooler in front of a database: it reports a process of its own. */
async function startPooler(t: TestContext, databaseUrl: string): Promise<string> {
  const { hostname, port } = new URL(databaseUrl)
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    near.pipe(far)
    far.once('data', (response: Buffer) => {
      near.write(replaceProcess(response))
      far.pipe(near)
    })
    for (const [socket, other] of [[near, far] as const, [far, near] as const]) {
      socket.on('error', () => {})
      socket.on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return url.href
}

describe('a PostgreSQL', () => {
  for (const way of ['directly', 'through a pooler'] as const) {
    test(`${way === 'directly' ? 'prepares' : 'does not prepare'} statements if it is reached ${way}`, async (t) => {
      const url = await createTestDatabase()
      const database = await openPostgres(
        way === 'directly' ? url : await startPooler(t, url),
        async () => {},
        { ...defaultLimits, connections: 1 },
      )
      t.after(() => database.close())
      const query = createStatementTemplate<{ n: number }>(['n'], ({ n }) =>
        sql`select ${n}::integer + 1 as n`.compile(database.db),
      )
      for (const n of [1, 2]) {
        assert.deepEqual(await database.run([query({ n })], 'quick'), [[{ n: n + 1 }]])
        assert.equal((await database.commit([query({ n })]))[0]?.rows[0]?.['n'], n + 1)
      }
      const prepared = sql<{ text: string }>`select statement as text from pg_prepared_statements`
      const { rows } = await prepared.execute(database.db)
      const texts = rows.map(({ text }) => text).filter((text) => text.includes('::integer + 1'))
      assert.equal(texts.length, way === 'directly' ? 1 : 0)
    })
  }

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

  test('REL-08: whose connections are all in use causes a 503, and no further connections', async (t) => {
    const url = await createTestDatabase()
    const limits = { ...defaultLimits, connections: 2 }
    const database = await openPostgres(url, async () => {}, limits)
    t.after(() => database.close())
    const slow = sql`select pg_sleep(3)`.compile(database.db)
    const holders = [database.commit([slow]), database.commit([slow])]
    await eventually(
      'both connections are used',
      () => database.counts().pools['requests']?.used === 2,
    )
    const quick = { sql: 'select 1', parameters: [] }
    const waiting = Array.from({ length: 20 }, () => database.run([quick], 'quick'))
    for (const result of await Promise.allSettled(waiting)) {
      assert.equal(result.status, 'rejected')
      assert.ok(result.reason instanceof PlatformError)
      assert.deepEqual([result.reason.class, result.reason.retryAfter], ['ServiceUnavailable', 1])
    }
    assert.equal(database.counts().pools['requests']?.used, 2)
    await Promise.all(holders)
    await database.run([quick], 'quick')
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
      const isUnconfirmed = /may have been made/.test(result.reason.message)
      assert.equal(result.reason.retryAfter, isUnconfirmed ? undefined : 1)
    }
    proxy.restore()
    await database.ping()
  })
})
