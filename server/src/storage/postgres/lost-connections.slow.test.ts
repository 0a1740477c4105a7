import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from 'kysely'
import { createTestDatabase } from '../../testing/engines.ts'
import { startDatabaseProxy, throughProxy } from '../../testing/tcp-proxy.ts'
import { defaultLimits, joinPostgres, openPostgres } from './open.ts'

const second = 1_000
const hour = 3_600 * second

describe('a PostgreSQL that does not answer', () => {
  test('on one connection ends the change that waits for it, and no slow one', async (t) => {
    const url = await createTestDatabase('migrated')
    const proxy = await startDatabaseProxy(t, url)
    const limits = { ...defaultLimits, wait: 20 * second, timeout: second, syncTimeout: hour }
    const database = await openPostgres(throughProxy(url, proxy), async () => {}, limits)
    t.after(() => database.close())
    const change = sql`select 'a change'`.compile(database.db)
    let lost = 0
    proxy.loseAt((chunk) => lost === 0 && chunk.includes('commit') && (lost += 1) === 1)
    await assert.rejects(database.commitServers([change], new Set()), /may have been made/)
    assert.equal(lost, 1)
    const slow = sql`select pg_sleep(4)`.compile(database.db)
    await database.commitServers([slow], new Set())
  })

  test('is not waited for when another thread opens it', async (t) => {
    const url = await createTestDatabase('migrated')
    const proxy = await startDatabaseProxy(t, url)
    proxy.silenceAt((chunk) => /^[QP]/.test(String(chunk)), false)
    await assert.rejects(
      joinPostgres(throughProxy(url, proxy), () => {}),
      /timeout/,
    )
  })
})
