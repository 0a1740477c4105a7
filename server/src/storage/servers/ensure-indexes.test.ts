import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import { onBothEngines } from '../../testing/engines.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'
import { ensureServerIndexes } from './ensure-indexes.ts'
import { obsoleteIndexes, serverIndexes } from './indexes.ts'

onBothEngines('the indexes of servers', (engine) => {
  let storage: TestStorage
  before(async () => {
    storage = await openStorage(engine)
    await ensureServerIndexes(storage.database)
  })
  after(() => storage.close())

  async function indexes(): Promise<Map<string, string>> {
    const list =
      engine === 'postgres'
        ? sql<{
            name: string
            text: string
          }>`select indexname as name, indexdef as text from pg_indexes where schemaname = current_schema()`
        : sql<{
            name: string
            text: string
          }>`select name, sql as text from sqlite_master where type = 'index' and sql is not null`
    const { rows } = await list.execute(storage.database.db)
    return new Map(rows.map(({ name, text }) => [name, text]))
  }
  const wanted = serverIndexes(engine).map(({ name }) => name)

  test('all exist after the start', async () => {
    const there = await indexes()
    for (const name of wanted) assert.ok(there.has(name), name)
    const before = new Map(there)
    await ensureServerIndexes(storage.database)
    assert.deepEqual(await indexes(), before)
  })

  test('of earlier versions are dropped', async () => {
    const before = await indexes()
    const { commit, db } = storage.database
    const obsolete = obsoleteIndexes(engine)
    for (const name of obsolete) {
      await commit([sql`create index ${sql.ref(name)} on servers (id)`.compile(db)])
    }
    assert.equal((await indexes()).size, before.size + obsolete.length)
    await ensureServerIndexes(storage.database)
    assert.deepEqual(await indexes(), before)
  })

  test('are created only if they are missing', async () => {
    const [first = '', ...others] = wanted
    const before = await indexes()
    const drop = sql`drop index ${sql.ref(first)}`.compile(storage.database.db)
    await storage.database.commit([drop])
    assert.equal((await indexes()).has(first), false)
    await ensureServerIndexes(storage.database)
    assert.deepEqual(await indexes(), before)
    assert.ok(others.length > 10)
  })
})
