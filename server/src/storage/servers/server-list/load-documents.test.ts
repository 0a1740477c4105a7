import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createCacheMemory } from '../../../domain/cache.ts'
import { covers, type ScopeOrNone } from '../../../domain/scope.ts'
import type { Database } from '../../database.ts'
import { onBothEngines } from '../../../testing/engines.ts'
import { startInventoryWorld } from '../../../testing/inventory-world/start-inventory-world.ts'
import type { TestPlatform } from '../../../testing/start-platform.ts'
import { createLoadDocuments } from './load-documents.ts'
import { createLoadById } from '../load-by-id.ts'

/** How many numbers a parameter has: an array for PostgreSQL, JSON for SQLite. */
const sizeOf = (numbers: unknown): number =>
  (typeof numbers === 'string' ? (JSON.parse(numbers) as unknown[]) : (numbers as unknown[])).length

onBothEngines('rendered servers', (engine) => {
  let platform: TestPlatform
  before(async () => {
    platform = (await startInventoryWorld(engine, { servers: 150 })).platform
  })
  after(() => platform.close())

  test('are read in chunks, so that other requests do not wait for a large page', async () => {
    const { database } = platform
    const sizes: number[] = []
    const run: Database['run'] = (queries, priority) => {
      sizes.push(...queries.map(({ parameters: [numbers] }) => sizeOf(numbers)))
      return database.run(queries, priority)
    }
    const rows = await database.db.selectFrom('servers').select(['seq', 'revision']).execute()
    const load = createLoadDocuments({ ...database, run }, createCacheMemory(0))
    const parts = await load(rows)
    assert.equal(parts?.length, 150)
    assert.deepEqual(sizes, [128, 22])
  })

  test('are read by id in their scope and state only, many at a time', async () => {
    const { database } = platform
    const { db, commit } = database
    const seqs = await db.selectFrom('servers').select('seq').orderBy('seq').execute()
    const states = [0, 1, 2]
    await commit(
      states.map((state) => {
        const ofState = seqs.map(({ seq }) => seq).filter((seq) => seq % 3 === state)
        return db
          .updateTable('server_documents')
          .set({ state })
          .where('server', 'in', ofState)
          .compile()
      }),
    )
    const rows = await db
      .selectFrom('server_documents')
      .select(['id', 'state', 'project_id as projectId', 'domain_id as domainId'])
      .orderBy('server')
      .limit(30)
      .execute()
    const scopes = new Map<string, ScopeOrNone>([
      ['system', { kind: 'system' }],
      ['none', { kind: 'none' }],
    ])
    for (const { projectId, domainId } of rows) {
      scopes.set(projectId, { kind: 'project', projectId, domainId })
      scopes.set(domainId, { kind: 'domain', domainId })
    }
    assert.ok(scopes.size >= 6)
    const loadById = createLoadById(database, createLoadDocuments(database, createCacheMemory(0)))
    await Promise.all(
      [...scopes.values()].flatMap((scope) =>
        [false, true].flatMap((withDeleted) =>
          rows.map(async (row) => {
            const parts = await loadById(scope, row.id, withDeleted)
            const isVisible = covers(scope, row) && (withDeleted || row.state < 2)
            assert.equal(parts?.id, isVisible ? row.id : undefined)
            if (parts) assert.equal(parts.isDeleted, row.state === 2)
          }),
        ),
      ),
    )
  })
})
