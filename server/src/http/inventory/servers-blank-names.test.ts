import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server } from '@muster/contract'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { listServers, projectAt } from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

const names = [' web', 'web', 'web ', '  db 1', '\tdb 1'] as const

onEngineOfLane('server names with leading or trailing blanks', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    await fleet.record(
      names.map((name) => minimalServer(projectAt(fleet, 0).id, { name, tags: {} })),
    )
  })
  after(() => fleet.platform.close())

  const found = async (query: Readonly<Record<string, string>>) => {
    const asked = new URLSearchParams({ scope: 'max', ...query }).toString()
    const { servers } = await listServers(fleet.callers.admin, asked)
    return servers.map(({ name = '' }) => name).sort((a, b) => (a < b ? -1 : 1))
  }

  for (const name of names) {
    test(`${JSON.stringify(name)} is stored and found unchanged`, async () => {
      for (const query of [
        { name },
        { q: `name:"${name}"` },
        { filter: `name.equals('${name}')` },
        { filter: `name.in('${name}')` },
      ]) {
        assert.deepEqual(await found(query), [name], JSON.stringify(query))
      }
      const { body } = await fleet.callers.admin.call<{ server: Server }>('getServer', {
        path: { id: name },
      })
      assert.equal(body.server.name, name)
    })
  }

  test('differ by prefix from names without blanks', async () => {
    assert.deepEqual(await found({ filter: "name.startswith(' web')" }), [' web'])
    assert.deepEqual(await found({ filter: "name.endswith('web ')" }), ['web '])
    assert.deepEqual(await found({ filter: "name.contains(' web')" }), [' web'])
  })

  test('are found by their words', async () => {
    assert.deepEqual(await found({ search: 'web' }), [' web', 'web', 'web '])
    assert.deepEqual(await found({ q: '" web"' }), [' web'])
    assert.deepEqual(await found({ search: 'db 1' }), ['\tdb 1', '  db 1'])
  })
})
