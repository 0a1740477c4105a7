import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import pg from 'pg'
import { createTestDatabase } from '../../testing/engines.ts'
import { startDatabaseProxy } from '../../testing/tcp-proxy.ts'
import { readDatabaseUrl } from './hosts.ts'
import { openPostgres } from './open.ts'

describe('a database URL', () => {
  const good: Record<string, [names: string[], sessionAttribute: string]> = {
    'postgres://u:p@a/db': [['a'], 'any'],
    'postgresql:///db?host=/run/postgresql': [[''], 'any'],
    'postgres://u@a,b/db': [['a', 'b'], 'read-write'],
    'postgres://a:1,[::1]:2,b/db?sslmode=disable&target_session_attrs=primary': [
      ['a:1', '[::1]:2', 'b'],
      'primary',
    ],
    'postgres://a,b/db?target_session_attrs=any': [['a', 'b'], 'any'],
  }
  for (const [url, [names, sessionAttribute]] of Object.entries(good)) {
    test(`${url} names ${names.join(' and ')}`, () => {
      const read = readDatabaseUrl(url)
      assert.deepEqual(
        read.hosts.map(({ name }) => name),
        names,
      )
      assert.equal(read.sessionAttribute, sessionAttribute)
    })
  }

  const bad = [
    'mysql://a/db',
    'postgres://a,,b/db',
    'postgres://a:x/db',
    'postgres://a,b:99999/db',
    'postgres://u:secret@a,b/db?target_session_attrs=standby',
  ]
  for (const url of bad) {
    test(`${url} is rejected by an error without the password`, () => {
      assert.throws(
        () => readDatabaseUrl(url),
        ({ message }: Error) => !message.includes('secret'),
      )
    })
  }
})

describe('several hosts in one database URL', () => {
  const portOf = (url: string) => new URL(url).port
  const nobody = '127.0.0.1:1'

  test('REL-06: are tried in order until one answers and accepts writes', async (t) => {
    const url = await createTestDatabase()
    const readOnly = await createTestDatabase()
    const client = new pg.Client(readOnly)
    await client.connect()
    const name = new URL(readOnly).pathname.slice(1)
    await client.query(`alter database ${name} set default_transaction_read_only = on`)
    await client.end()

    const both = `postgres://muster@${nobody},127.0.0.1:${portOf(url)}/`
    const database = await openPostgres(`${both}${new URL(url).pathname.slice(1)}`, async () => {})
    t.after(() => database.close())
    await database.ping()

    await assert.rejects(
      openPostgres(`${both}${name}?target_session_attrs=read-write`, async () => {}),
      ({ cause }: Error) => /none of the servers/.test(String(cause)),
    )
  })

  test('REL-06: are switched when the one in use stops', async (t) => {
    const url = await createTestDatabase()
    const first = await startDatabaseProxy(t, url)
    const second = await startDatabaseProxy(t, url)
    const { pathname } = new URL(url)
    const several = `postgres://muster@127.0.0.1:${first.port},127.0.0.1:${second.port}${pathname}`
    const database = await openPostgres(several, async () => {})
    t.after(() => database.close())
    const put = (key: string) =>
      database.commit([database.db.insertInto('settings').values({ key, value: '' }).compile()])
    await put('before')

    first.cut()
    // Running work fails. The next request finds the other server.
    await put('during').catch(() => {})
    await put('after')
    const rows = await database.db.selectFrom('settings').select('key').execute()
    assert.ok(rows.some(({ key }) => key === 'after'))
    const end = performance.now() + 5_000
    while (database.currentVersion() === undefined && performance.now() < end) {
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    assert.notEqual(database.currentVersion(), undefined)
  })
})
