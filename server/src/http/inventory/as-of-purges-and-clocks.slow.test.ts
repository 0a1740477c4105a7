import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Server } from '@muster/contract'
import { timestamp } from '../../domain/timestamp.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { startInventoryWorld } from '../../testing/inventory-world/start-inventory-world.ts'

const minute = 60_000
const day = 24 * 60 * minute

onBothEngines('a moment of the past', (engine) => {
  async function startFleet(t: TestContext, flags: readonly string[] = []) {
    const fleet = await startInventoryWorld(engine, { servers: 5, flags })
    t.after(() => fleet.platform.close())
    return {
      ...fleet,
      async namesAt(time: number): Promise<Record<string, string>> {
        const query = `scope=system&limit=100&as_of=${timestamp(time)}`
        const response = await fetch(`${fleet.url}/servers?${query}`, {
          headers: { 'x-auth-token': fleet.callers.admin.token },
        })
        assert.equal(response.status, 200)
        const { servers } = (await response.json()) as { servers: readonly Server[] }
        return Object.fromEntries(servers.map(({ id, name }) => [id, name]))
      },
      /** Renames a server, and returns a time after it. */
      async rename(at: number, name: string): Promise<number> {
        const { facts } = fleet.world.facts()[at] ?? assert.fail()
        await fleet.record([{ ...facts, name }])
        return fleet.tick()
      },
    }
  }

  for (const opened of ['nothing', 'a moment of before', 'the moment itself']) {
    test(`is the same after a purge, with ${opened} open`, async (t) => {
      const fleet = await startFleet(t, ['--history-retention=10d', '--deleted-retention=5d'])
      const early = await fleet.rename(0, 'early')
      if (opened === 'a moment of before') await fleet.namesAt(early)
      fleet.skip(3 * day)
      await fleet.rename(1, 'in the purged part')
      await fleet.record([], [fleet.world.facts()[2]?.facts.id ?? ''])
      fleet.skip(22 * day)
      const time = await fleet.rename(3, 'late')
      const expected = Object.fromEntries(
        fleet.world.facts().flatMap(({ facts, isDeleted }) => {
          return isDeleted ? [] : [[facts.id, facts.name]]
        }),
      )
      if (opened === 'the moment itself') await fleet.namesAt(time)
      fleet.skip(day)
      // Now is farther away than the moment of before.
      for (let count = 0; count < 8; count += 1) await fleet.rename(0, `later ${count}`)
      fleet.skip(day)
      await fleet.platform.inventory.purgeChanges()
      assert.deepEqual(await fleet.namesAt(time), expected)
    })
  }

  test('follows the order of commits, also after a clock that was ahead', async (t) => {
    const fleet = await startFleet(t)
    const { id } = fleet.world.facts()[0]?.facts ?? assert.fail()
    const start = fleet.now()
    await fleet.rename(0, 'before')
    fleet.skip(60 * minute)
    await fleet.rename(0, 'ahead')
    fleet.skip(-55 * minute)
    await fleet.rename(0, 'right again')
    fleet.skip(25 * minute)
    await fleet.rename(0, 'last')
    fleet.skip(90 * minute)
    const expected = { 2: 'before', 10: 'right again', 40: 'last', 70: 'last', 110: 'last' }
    for (const [minutes, name] of Object.entries(expected)) {
      const names = await fleet.namesAt(start + Number(minutes) * minute)
      assert.equal(names[id], name, `after ${minutes} minutes`)
    }
  })
})
