import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { timestamp } from '../../domain/timestamp.ts'
import { onBothEngines } from '../../testing/engines.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

onBothEngines('Prefer: respond-async', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 30 })
  })
  after(() => fleet.platform.close())

  const ask = (path: string, prefer: string) =>
    fetch(fleet.url + path, { headers: { 'x-auth-token': fleet.callers.admin.token, prefer } })
  const change = async () => {
    const { facts } = fleet.world.facts()[0] ?? assert.fail()
    await fleet.record([{ ...facts, name: `changed ${fleet.now()}` }])
  }
  /** A time that nothing else asked for. The newest moment may be built already: others are copied from it. */
  const moment = async () => {
    await change()
    const time = timestamp(fleet.tick())
    await change()
    return time
  }

  test('answers with 202, and leads to the same answer as waiting', async () => {
    for (const path of [
      '/servers?scope=system&limit=5',
      '/servers?scope=system&format=csv&field=id',
      '/servers/statistics?scope=system',
      '/hosts?limit=5',
      '/sd/prometheus?scope=system',
    ]) {
      const time = await moment()
      const pending = await ask(`${path}&as_of=${time}`, 'respond-async, wait=0')
      assert.equal(pending.status, 202, path)
      assert.equal(pending.headers.get('preference-applied'), 'respond-async')
      assert.equal(pending.headers.get('retry-after'), '1')
      const { moment: told } = (await pending.json()) as {
        moment: { as_of: string; progress: number }
      }
      assert.equal(told.as_of, time)
      assert.ok(told.progress >= 0 && told.progress <= 1)
      const next = pending.headers.get('location') ?? ''
      const answer = await ask(next, 'respond-async; foo="bar", wait="60"')
      assert.equal(answer.status, 200, next)
      const waited = await ask(`${path}&as_of=${time}`, 'handling=lenient')
      assert.deepEqual(await answer.text(), await waited.text())
    }
  })

  test('refuses a wrong query before it builds a moment', async () => {
    const time = await moment()
    for (const path of ['/servers?q=', '/servers/statistics?q=', '/sd/prometheus?q=']) {
      const answer = await ask(`${path}vcpu>=many&as_of=${time}`, 'respond-async, wait=0')
      assert.equal(answer.status, 400, path)
    }
  })

  test('pins a relative time', async () => {
    fleet.tick()
    await moment()
    for (let minute = 0; minute < 120; minute += 1) fleet.tick()
    const pending = await ask('/servers?scope=system&as_of=-1m', 'Respond-Async,wait=0')
    assert.equal(pending.status, 202)
    assert.match(pending.headers.get('location') ?? '', /as_of=2\d{3}-.*Z$/)
  })

  test('changes nothing without as_of, and waits for a moment without it', async () => {
    assert.equal((await ask('/servers?scope=system', 'respond-async, wait=0')).status, 200)
    const time = await moment()
    assert.equal((await ask(`/servers?scope=system&as_of=${time}`, 'wait=0')).status, 200)
  })
})
