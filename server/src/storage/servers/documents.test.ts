import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCacheMemory } from '../../domain/cache.ts'
import type { Database } from '../database.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { startInventoryWorld } from '../../testing/inventory-world/start-inventory-world.ts'
import { createDocuments } from './documents.ts'

/** How many numbers a parameter has: an array for PostgreSQL, JSON for SQLite. */
const sizeOf = (numbers: unknown): number =>
  (typeof numbers === 'string' ? (JSON.parse(numbers) as unknown[]) : (numbers as unknown[])).length

onBothEngines('rendered servers', (engine) => {
  test('are read in chunks, so that other requests do not wait for a large page', async (t) => {
    const { platform } = await startInventoryWorld(engine, { servers: 150 })
    t.after(() => platform.close())
    const { database } = platform
    const sizes: number[] = []
    const run: Database['run'] = (queries, priority) => {
      sizes.push(...queries.map(({ parameters: [numbers] }) => sizeOf(numbers)))
      return database.run(queries, priority)
    }
    const rows = await database.db.selectFrom('servers').select(['seq', 'revision']).execute()
    const load = createDocuments({ ...database, run }, createCacheMemory(0))
    const parts = await load(rows)
    assert.equal(parts?.length, 150)
    assert.deepEqual(sizes, [128, 22])
  })
})
