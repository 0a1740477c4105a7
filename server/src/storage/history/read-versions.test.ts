import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { Server } from '@muster/contract'
import { upgradeServer } from '../../domain/inventory/build-server.ts'
import { background } from '../../domain/inventory/ports.ts'
import { onBothEngines } from '../../testing/engines.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { createReadVersions } from './read-versions.ts'

const turns = 150

onBothEngines('versions of servers with many changes', (engine) => {
  let fleet: InventoryWorld
  /** The versions after each commit, by the number of the server. */
  const recorded: { seq: number; commit: number; server: Server }[] = []
  const read = (wanted: readonly { seq: number; commit: number }[]) =>
    createReadVersions(fleet.platform.database)(wanted, background)

  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 3 })
    const { database, inventory } = fleet.platform
    const ids = fleet.world.facts().map(({ facts }) => facts.id)
    for (let turn = 0; turn < turns; turn += 1) {
      const facts = fleet.world.facts().map((each) => each.facts)
      // The second server changes only now and then.
      const changing = facts.filter((_, at) => at !== 1 || turn % 40 === 0)
      await fleet.record(changing.map((each) => ({ ...each, name: `name-${turn}` })))
      const { rows } = await sql<{
        last: number
      }>`select max(position) as last from change_commits`.execute(database.db)
      const stored = await inventory.serverWriter.findStored(ids)
      for (const { seq, server } of stored.values()) {
        recorded.push({ seq, commit: Number(rows[0]?.last), server: upgradeServer(server) })
      }
    }
  })
  after(() => fleet.platform.close())

  test('are rebuilt one by one and all at once', async () => {
    const { versionAt } = await read(recorded)
    for (const { server, ...version } of recorded) {
      assert.deepEqual(upgradeServer(versionAt(version) ?? {}), server)
    }
    for (const { server, ...version } of recorded.filter((_, at) => at % 37 === 0)) {
      assert.deepEqual(upgradeServer((await read([version])).versionAt(version) ?? {}), server)
    }
  })

  test('do not need the changes after the next whole version', async () => {
    const { database } = fleet.platform
    const { db } = database
    const [{ seq } = { seq: 0 }] = recorded
    const whole = await sql<{ revision: number }>`select revision from server_changes
      where server = ${seq} and former_version is not null order by revision`.execute(db)
    assert.equal(whole.rows.length, 2)
    const last = whole.rows.at(-1)?.revision ?? 0
    await database.commit([
      sql`update server_changes set diff = '{"name":["wrong","wrong"]}'
        where server = ${seq} and revision > ${last}`.compile(db),
    ])
    const own = recorded.filter((each) => each.seq === seq)
    const { versionAt } = await read(own)
    const right = own.filter(({ server, ...version }) => versionAt(version)?.name === server.name)
    assert.ok(right.length >= 100, `${right.length} of ${own.length} are right`)
  })
})
