import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { sql, type Kysely } from 'kysely'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { createKysely } from '../sqlite/bridge.ts'
import { openFile } from '../sqlite/file.ts'
import { addServerColumn, type NewField } from './server-columns.ts'

const fields: Readonly<Record<string, NewField>> = {
  sample: { storage: 'dictionary', default: '' },
  sample_row: { storage: 'dictionary', default: 'A word that no server has: ΣΊΣΥΦΟΣ' },
  remark: { storage: 'text', default: 'none' },
  note: { storage: 'text', default: 'No ΣΊΣΥΦΟΣ' },
  height: { storage: 'number', default: 42 },
  is_tall: { storage: 'boolean', default: true },
  moved_at: { storage: 'timestamp' },
}

/** The platform's own connection to SQLite cannot write. */
function openForMigration({ platform: { database, folder } }: InventoryWorld) {
  const own = database.engine === 'postgres' ? undefined : openFile(join(folder, 'data/muster.db'))
  const db = (own ? createKysely(own) : database.db) as unknown as Kysely<unknown>
  return { db, done: async () => (own ? db.destroy() : undefined) }
}

onEngineOfLane('a column of a new field', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
  })
  after(() => fleet.platform.close())

  test('has the default value of the field for every stored server', async () => {
    const { inventory } = fleet.platform
    const present = Array.from({ length: 3 }, () => minimalServer(fleet.projects[0]?.id ?? ''))
    await inventory.recordServers({ present, gone: [] })
    const { db, done } = openForMigration(fleet)
    for (const [name, field] of Object.entries(fields)) await addServerColumn(db, name, field)
    const { rows } = await sql`
      select (select word from words where code = sample) as sample,
        (select word from words where code = sample_row) as sample_row,
        (select folded from words where code = sample_row) as sample_folded,
        note, note_folded,
        remark, remark_folded, height, is_tall, moved_at from servers`.execute(db)
    const filled = {
      sample: '',
      sample_row: 'A word that no server has: ΣΊΣΥΦΟΣ',
      sample_folded: 'a word that no server has: σίσυφοσ',
      note: 'No ΣΊΣΥΦΟΣ',
      note_folded: 'no σίσυφοσ',
      remark: 'none',
      remark_folded: null,
      height: 42,
      is_tall: 1,
      moved_at: null,
    }
    assert.deepEqual(
      rows.map((row) => ({ ...(row as object) })),
      [filled, filled, filled],
    )
    await done()
  })
})
