import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask, loginAdmin } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

onEngineOfLane('health and readiness', (engine) => {
  let platform: TestPlatform
  before(async () => {
    platform = await startPlatform({ engine })
  })
  after(() => platform.close())

  test('are public and return one word', async () => {
    for (const [path, status] of [
      ['/healthz', 'ok'],
      ['/readyz', 'ready'],
    ] as const) {
      const answer = await ask(platform.url, path)
      assert.equal(answer.status, 200)
      assert.deepEqual(answer.body, { status })
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=UTF-8')
      const head = await ask(platform.url, path, { method: 'HEAD' })
      assert.deepEqual([head.status, head.text], [200, ''])
    }
  })

  test('REL-16: while draining: alive, not ready, and every response closes its connection', async () => {
    platform.drain()
    const ready = await ask(platform.url, '/readyz')
    assert.equal(ready.status, 503)
    assert.match(ready.headers.get('retry-after') ?? '', /^[1-9]\d*$/)
    assert.equal(ready.body.class, 'ServiceUnavailable')
    const health = await ask(platform.url, '/healthz')
    assert.equal(health.status, 200)
    for (const { headers } of [ready, health, await ask(platform.url, '/nowhere')]) {
      assert.equal(headers.get('connection'), 'close')
    }
  })
})

onEngineOfLane('a clock that is wrong', (engine) => {
  test('REL-10: makes a process unready where others share the database, until it is right again', async (context) => {
    let offset = 600_000
    const platform = await startPlatform({ engine, clock: () => Date.now() + offset })
    context.after(() => platform.close())
    const answer = await ask(platform.url, '/readyz')
    if (engine === 'sqlite') return assert.equal(answer.status, 200)
    assert.equal(answer.status, 503)
    assert.match(
      answer.body.details,
      /^The clock of this machine is (599|600)\.\d s ahead of that of the database\./,
    )
    assert.equal((await ask(platform.url, '/healthz')).status, 200)
    offset = 0
    await eventually(
      'the process is ready',
      async () => (await ask(platform.url, '/readyz')).status === 200,
    )
  })

  test('REL-10: ends no token early where others share the database, and revives none elsewhere', async (context) => {
    const platform = await startPlatform({ engine, flags: ['--token-ttl=5m'] })
    context.after(() => platform.close())
    const token = await loginAdmin(platform.url)
    const isValid = async () => {
      const { status } = await ask(platform.url, '/servers', { token })
      assert.ok([200, 401].includes(status))
      return status === 200
    }
    assert.ok(await isValid())
    const readClock = Date.now
    let offset = 600_000
    context.mock.method(Date, 'now', () => readClock() + offset)
    assert.equal(await isValid(), engine === 'postgres')
    offset = 0
    assert.equal(await isValid(), engine === 'postgres')
  })
})
