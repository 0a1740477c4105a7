import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import pg from 'pg'
import { createStorageLocation, type StorageLocation } from '../../testing/open-storage.ts'
import type { Database } from '../database.ts'
import { defaultLimits, joinPostgres, openPostgres } from './open.ts'

const gateNumber = 77

/** A lock that statements of a commit can wait for, until the test opens it. */
async function closeGate(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  await client.query('select pg_advisory_lock($1)', [gateNumber])
  return {
    waiting: async () => {
      const { rows } = await client.query<{ n: number }>(
        `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted`,
      )
      return rows[0]?.n ?? 0
    },
    async open() {
      await client.end()
    },
  }
}

describe('commits that change servers on PostgreSQL', () => {
  let location: StorageLocation
  let near: Database
  let far: Database
  before(async () => {
    location = await createStorageLocation('postgres')
    near = await location.open()
    far = await location.open()
  })
  after(() => location.remove())

  const pass = () => sql`select pg_advisory_xact_lock(${gateNumber})`.compile(near.db)
  const put = (key: string) => near.db.insertInto('settings').values({ key, value: '' }).compile()
  const isThere = async (key: string) =>
    (await far.db.selectFrom('settings').select('key').where('key', '=', key).execute()).length > 0

  test('do not wait for a commit that is still running, and get their versions in the order in which they end', async () => {
    const gate = await closeGate(location.url ?? '')
    const slow = near.commitServers([put('slow'), pass()], new Set(['slow']))
    await eventually('the slow one waits', async () => (await gate.waiting()) === 1)
    const start = { near: near.serversVersion() ?? 0, slow: far.serversVersion('slow') }

    // It begins later and commits earlier, also in another process.
    await near.commitServers([put('quick')], new Set(['quick']))
    await far.commitServers([put('other')], new Set(['other']))
    assert.equal(near.serversVersion('quick'), start.near + 1)
    await eventually('the quick one is heard of', () => (far.serversVersion('quick') ?? 0) > 0)

    // What is read now is without the slow one, and may be cached under these versions.
    const cached = { all: far.serversVersion(), slow: far.serversVersion('slow') }
    assert.equal(cached.slow, start.slow)
    assert.equal(await isThere('slow'), false)

    await gate.open()
    await slow
    assert.equal(near.serversVersion('slow'), start.near + 3)
    await eventually('the slow one is heard of', () => far.serversVersion('slow') !== cached.slow)
    assert.notEqual(far.serversVersion(), cached.all)
    assert.equal(await isThere('slow'), true)
  })

  test('of a scan are repeated after a timeout, for which no request waits', async (t) => {
    const limits = { ...defaultLimits, syncTimeout: 300 }
    const url = location.url ?? ''
    const process = await openPostgres(url, async () => {}, limits)
    t.after(() => process.close())
    const shared = process.share()
    assert.ok(shared.engine === 'postgres')
    const thread = await joinPostgres(shared.url, () => {}, shared.limits)
    t.after(() => thread.close())
    await sql`create sequence attempts`.execute(near.db)
    const slowAtFirst = sql`select pg_sleep(case nextval('attempts') when 1 then 2 else 0 end)`
    await thread.commitServers([slowAtFirst.compile(near.db), put('repeated')], new Set(['a']))
    assert.equal(await isThere('repeated'), true)
  })

  test('see in their serialized statements what earlier commits wrote, also if they began before', async () => {
    const gate = await closeGate(location.url ?? '')
    const requireNone = {
      ...sql`select 1 where not exists (select 1 from settings where key = 'first')`.compile(
        near.db,
      ),
      required: 'none',
    }
    const late = near.commitServers([pass()], new Set(), [requireNone, put('first')])
    const refused = assert.rejects(late, { reason: 'none' })
    await eventually('the late one waits', async () => (await gate.waiting()) === 1)
    await far.commitServers([], new Set(), [requireNone, put('first')])
    await gate.open()
    await refused
  })

  test('that deadlock are retried until both succeed', async () => {
    await near.commit([put('a'), put('b')])
    const touch = (key: string) =>
      sql`update settings set value = value || 'x' where key = ${key}`.compile(near.db)
    const nap = sql`select pg_sleep(0.2)`.compile(near.db)
    await Promise.all([
      near.commitServers([touch('a'), nap, touch('b')], new Set()),
      far.commitServers([touch('b'), nap, touch('a')], new Set()),
    ])
    const rows = await near.db
      .selectFrom('settings')
      .select('value')
      .where('key', 'in', ['a', 'b'])
      .execute()
    assert.deepEqual(
      rows.map(({ value }) => value),
      ['xx', 'xx'],
    )
  })
})
