import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Server } from '@muster/contract'
import { timestamp } from '../../domain/timestamp.ts'
import { startInventoryWorld } from '../../testing/inventory-world/start-inventory-world.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'

onEngineOfLane('lists of a moment ordered by names of owners', (engine) => {
  test('are in the order of the names of today, also after names were exchanged', async (t) => {
    const fleet = await startInventoryWorld(engine, { servers: 20 })
    t.after(() => fleet.platform.close())
    const { database } = fleet.platform
    const then = timestamp(fleet.tick())
    const list = async (query: string) => {
      const { servers } = await fleet.callers.admin.get<{ servers: Server[] }>('listServers', {
        query: `scope=system&details=true&limit=100&${query}`,
      })
      return servers.map(({ id, project, project_domain: domain }) => [id, project, domain])
    }
    const rename = (table: 'projects' | 'domains', names: readonly (readonly string[])[]) =>
      database.commitIdentity([
        database.db
          .updateTable(table)
          .set((row) => ({ name_key: row.ref('id') }))
          .compile(),
        ...names.map(([id = '', name = '']) =>
          database.db
            .updateTable(table)
            .set({ name, name_key: `new ${name}` })
            .where('id', '=', id)
            .compile(),
        ),
      ])
    const [first, , third, fourth] = fleet.projects
    assert.ok(first && third && fourth)
    const steps = [
      async () => {},
      // The copy is older than this.
      () =>
        rename('projects', [
          [first.id, third.name],
          [third.id, first.name],
        ]),
      () =>
        rename('domains', [
          [first.domainId, fourth.domain],
          [fourth.domainId, first.domain],
        ]),
    ]
    for (const [step, change] of steps.entries()) {
      await change()
      for (const field of ['project', 'tenant', 'project_domain']) {
        for (const order of ['asc', 'desc']) {
          const query = `order_by=${field}&order=${order}`
          const past = await list(`${query}&as_of=${then}`)
          assert.deepEqual(past, await list(query), `${query} after step ${step}`)
        }
      }
    }
  })
})
