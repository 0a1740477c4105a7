import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Server } from '@muster/contract'
import { timestamp } from '../../domain/timestamp.ts'
import { startInventoryWorld } from '../../testing/inventory-world/start-inventory-world.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'

const day = 86_400_000

onEngineOfLane('the first moment that can be asked', (engine) => {
  async function startFleet(t: TestContext, servers: number) {
    const fleet = await startInventoryWorld(engine, {
      servers,
      flags: ['--history-retention=10d'],
    })
    t.after(() => fleet.platform.close())
    const { admin } = fleet.callers
    const read = async (path: string) => {
      const response = await fetch(`${fleet.url}${path}`, {
        headers: { 'x-auth-token': admin.token },
      })
      const text = await response.text()
      return { status: response.status, text }
    }
    const list = async (asOf = '') => {
      const { status, text } = await read(
        `/servers?scope=system&limit=100&field=id&field=name${asOf && `&as_of=${asOf}`}`,
      )
      assert.equal(status, 200, text)
      const { servers: found } = JSON.parse(text) as { servers: Server[] }
      return found
    }
    const rename = async (name: string) => {
      const { facts } = fleet.world.facts()[0] ?? assert.fail()
      await fleet.record([{ ...facts, name }])
    }
    return { ...fleet, read, list, rename }
  }

  for (const servers of [0, 3]) {
    test(`is the start of recording, with ${servers} servers and no change`, async (t) => {
      const fleet = await startFleet(t, servers)
      const { database } = fleet.platform
      const { db } = database
      // So it is after an upgrade.
      await database.commit([
        db.deleteFrom('server_changes').compile(),
        db.deleteFrom('change_commits').compile(),
      ])
      const then = timestamp(fleet.now())
      const now = await fleet.list()
      assert.equal(now.length, servers)
      for (const asOf of [then, '-0m']) assert.deepEqual(await fleet.list(asOf), now, asOf)
      const diff = await fleet.read(`/servers/diff?scope=system&from=-0m&to=${then}`)
      assert.equal(diff.status, 200, diff.text)
      assert.match((await fleet.read('/servers?as_of=1999-01-01')).text, /recorded change, at 20/)

      fleet.skip(60_000)
      await fleet.record([fleet.samples.facts()])
      fleet.tick()
      assert.equal((await fleet.list()).length, servers + 1)
      assert.deepEqual(await fleet.list(then), now)
    })
  }

  test('after a purge is the last change that was purged', async (t) => {
    const fleet = await startFleet(t, 3)
    await fleet.rename('purged')
    const early = fleet.now() - 60_000
    fleet.skip(2 * day)
    const then = timestamp(fleet.now())
    const expected = await fleet.list()
    const { text } = await fleet.read('/servers/changes?scope=system&after=now')
    const { position } = JSON.parse(text) as { position: string }
    fleet.skip(11 * day)
    await fleet.rename('stored')
    fleet.tick()
    await fleet.platform.inventory.purgeChanges()
    assert.deepEqual(await fleet.list(then), expected)
    const earlier = await fleet.read(`/servers?scope=system&as_of=${timestamp(early)}`)
    assert.equal(earlier.status, 400, earlier.text)

    // The commit of the position is purged, but none after it.
    const followed = await fleet.read(`/servers/changes?scope=system&after=${position}`)
    assert.match(followed.text, /"stored"/)
    fleet.skip(11 * day)
    await fleet.rename('last')
    await fleet.platform.inventory.purgeChanges()
    const late = await fleet.read(`/servers/changes?scope=system&after=${position}`)
    assert.deepEqual([late.status, /older than the stored/.test(late.text)], [400, true])
  })
})
