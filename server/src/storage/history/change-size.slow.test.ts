import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { onBothEngines } from '../../testing/engines.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

/** Bytes of a change of status with its indexes, if each commit has several. */
const most = { sqlite: 200, postgres: 300 }

const tables = ['change_commits', 'server_changes']

onBothEngines('the size of a change', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 150 })
  })
  after(() => fleet.platform.close())

  async function measure(): Promise<number> {
    const { db } = fleet.platform.database
    if (engine === 'postgres') {
      const sizes = sql.join(
        tables.map((table) => sql`pg_total_relation_size(${table})`),
        sql` + `,
      )
      const { rows } = await sql<{ bytes: number }>`select ${sizes} as bytes`.execute(db)
      return Number(rows[0]?.bytes)
    }
    const { rows } = await sql<{ bytes: number }>`select sum(pgsize) as bytes from dbstat
      where name in (select name from sqlite_master where tbl_name in (${sql.join(tables)}))`.execute(
      db,
    )
    return Number(rows[0]?.bytes)
  }

  test('of a status is small', async () => {
    const statuses = ['running', 'ready'] as const
    const flip = async (turn: number) => {
      const present = fleet.world.facts().map(({ facts }) => facts)
      for (const at of [0, 1, 2]) {
        const some = present.filter((_, index) => index % 3 === at)
        await fleet.record(
          some.map((facts) => ({ ...facts, status: statuses[turn % 2] ?? 'running' })),
        )
      }
    }
    await flip(0)
    const earlier = await measure()
    const turns = 8
    for (let turn = 1; turn <= turns; turn += 1) await flip(turn)
    const size = ((await measure()) - earlier) / (turns * 150)
    assert.ok(size > 20 && size <= most[engine], `${size} bytes`)
  })
})
