import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import type { Database } from '../../server/src/storage/database.ts'
import { openPostgres } from '../../server/src/storage/postgres/open.ts'
import { ensureServerIndexes } from '../../server/src/storage/servers/ensure-indexes.ts'
import { createTestDatabase } from '../../server/src/testing/engines.ts'
import { runAdminCommand } from '../../server/src/testing/run-admin-command.ts'
import { startPlatform } from '../../server/src/testing/start-platform.ts'
import { startPgBouncer } from './start.ts'

const limits = {
  wait: 20_000,
  connections: 10,
  timeout: 1_000,
  slowConnections: 2,
  slowTimeout: 1_000,
  syncConnections: 4,
  syncTimeout: 5_000,
  retryTime: 5_000,
}

describe('PostgreSQL behind PgBouncer in transaction mode', () => {
  let pooler: Awaited<ReturnType<typeof startPgBouncer>>
  const through = (url: URL) => `postgres://muster@127.0.0.1:${pooler.port}${url.pathname}`
  let near: Database
  let far: Database
  before(async () => {
    const url = new URL(await createTestDatabase())
    pooler = await startPgBouncer(url.href)
    const open = () => openPostgres(through(url), async () => {}, limits)
    near = await open()
    far = await open()
  })
  after(async () => {
    await near.close()
    await far.close()
    await pooler.stop()
  })

  const put = (key: string) => near.db.insertInto('settings').values({ key, value: '' }).compile()

  test('is migrated by two processes at once', async () => {
    await Promise.all([ensureServerIndexes(near), ensureServerIndexes(far)])
    await near.maintain(['analyze settings'])
  })

  test('accepts concurrent commits and notifies other processes', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        (index % 2 ? near : far).commitServers([put(`fleet-${index}`)], new Set(['scope'])),
      ),
    )
    await near.commitIdentity([put('news-1'), put('news-2')])
    const version = near.currentVersion()
    await eventually('the news are heard', () => far.currentVersion() === version)
    await eventually('the servers are heard of', () => (far.serversVersion('scope') ?? 0) > 0)
  })

  const ask = async (text: string) =>
    (await far.run([{ sql: text, parameters: [] }], 'quick'))[0]?.[0]

  test('cancels slow queries, and leaves no timeout on the connection', async () => {
    const slow = { sql: 'select pg_sleep(60)', parameters: [] }
    const isUnavailable = { class: 'ServiceUnavailable' }
    await assert.rejects(near.run([slow], 'quick'), isUnavailable)
    await assert.rejects(near.run([slow], { user: 'somebody' }), isUnavailable)
    await assert.rejects(near.commit([slow, put('never')]), isUnavailable)
    await eventually('they are stopped', async () => {
      const row = await ask(`select count(*)::int as n from pg_stat_activity
        where datname = current_database() and state = 'active' and query = 'select pg_sleep(60)'`)
      return row?.['n'] === 0
    })
    for (let index = 0; index < 20; index += 1) {
      const row = await ask(`select current_setting('statement_timeout') as bound`)
      assert.equal(row?.['bound'], '0')
    }
  })

  test('has no prepared statements', async () => {
    const row = await ask('select count(*)::int as n from pg_prepared_statements')
    assert.equal(row?.['n'], 0)
  })

  test('is administered while the server runs', async (t) => {
    const { folder, databaseUrl, close } = await startPlatform({ engine: 'postgres' })
    t.after(() => close())
    const installation = { folder, databaseUrl: through(new URL(databaseUrl ?? '')) }
    const backup = join(folder, 'backup')
    for (const command of [['backup', backup], ['check'], ['rotate-key']]) {
      const { status, stderr } = await runAdminCommand(installation, ...command)
      assert.equal(status, 0, stderr)
    }
  })
})
