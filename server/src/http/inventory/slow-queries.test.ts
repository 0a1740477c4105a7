import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { ask } from '../../testing/client.ts'
import { assertError } from '../../testing/assert-error.ts'
import { openSocket } from '../../testing/raw-socket.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const search = '/servers?scope=system&q=-tag:a%20-tag:b'

/** A lock on the servers table delays queries for as long as it is held. */
describe('a slow search', () => {
  let fleet: InventoryWorld
  let hasty: TestPlatform
  let client: pg.Client
  before(async () => {
    fleet = await startInventoryWorld('postgres', { servers: 20, flags: ['--query-timeout=1h'] })
    hasty = await startPlatform({ beside: fleet.platform, flags: ['--query-timeout=1s'] })
    client = new pg.Client(fleet.platform.databaseUrl)
    await client.connect()
    await client.query('begin; lock table servers in access exclusive mode')
  })
  after(async () => {
    await client.end()
    await hasty.close()
    await fleet.platform.close()
  })

  const waiting = async () => {
    const { rows } = await client.query<{ n: number }>(
      `select count(*)::int as n from pg_locks where not granted and relation = 'servers'::regclass`,
    )
    return rows[0]?.n ?? 0
  }

  test('is stopped with 503 and Retry-After', async () => {
    const paths = [search, '/servers/statistics?scope=system&q=-tag:a', '/servers/some-name']
    const { token } = fleet.callers.auditor
    for (const answer of await Promise.all(paths.map((path) => ask(hasty.url, path, { token })))) {
      assertError(answer, 'ServiceUnavailable')
      assert.ok(Number(answer.headers.get('retry-after')) > 0)
    }
    await eventually('no query waits', async () => (await waiting()) === 0)
  })

  test('is stopped at once when the client disconnects', async () => {
    const { token } = fleet.callers.auditor
    const socket = openSocket(fleet.url)
    socket.write(`GET ${search} HTTP/1.1\r\nHost: localhost\r\nX-Auth-Token: ${token}\r\n\r\n`)
    await eventually('a query waits', async () => (await waiting()) > 0)
    socket.destroy()
    await eventually('no query waits', async () => (await waiting()) === 0)
  })
})
