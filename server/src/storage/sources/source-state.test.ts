import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setImmediate as breathe } from 'node:timers/promises'
import { sql } from 'kysely'
import { newId } from '../../domain/new-id.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { createStorageLocation, type StorageLocation } from '../../testing/open-storage.ts'
import type { Database } from '../database.ts'
import { createSourceState } from './source-state.ts'

onBothEngines('what sources store', (engine) => {
  let location: StorageLocation
  let database: Database
  before(async () => {
    location = await createStorageLocation(engine, 'migrated')
    database = await location.open()
  })
  after(() => location.remove())

  async function addAccount(): Promise<string> {
    const id = newId()
    const insert = sql`insert into cloudaccounts (id, name, name_key, provider, brand, credentials,
      options, project_id, period, enabled, mapping, created_at, revision)
      values (${id}, ${id}, ${id}, 'Simulator', '', '', '{}', '', 30, 1, '[]', 0, 1)`
    await database.commit([insert.compile(database.db)])
    return id
  }
  const open = (id: string, at = database) => createSourceState(at)(id)

  test('is read back by key, and by version', async () => {
    const state = open(await addAccount())
    const other = open(await addAccount())
    assert.deepEqual(await state.changes(0), [])
    assert.deepEqual(await state.get(['a']), [])
    assert.ok(await state.put({ key: 'a', value: '1', version: 0 }))
    assert.ok(await other.put({ key: 'a', value: 'of another account', version: 0 }))
    assert.ok(await state.put({ key: 'b', value: '2', version: 0 }))
    const [a, b] = await state.changes(0)
    assert.deepEqual([a?.key, a?.value, b?.key, b?.value], ['a', '1', 'b', '2'])
    assert.ok(await state.put({ key: 'a', value: '3', version: a?.version ?? 0 }))
    const later = await state.changes(b?.version ?? 0)
    assert.deepEqual(
      later.map(({ key, value }) => [key, value]),
      [['a', '3']],
    )
    assert.deepEqual(await state.get(['a', 'c']), later)
  })

  test('is written by one of two writers that have read the same version', async () => {
    const state = open(await addAccount())
    const put = (value: string, version: number) => state.put({ key: 'a', value, version })
    const first = await Promise.all(['x', 'y', 'z'].map((value) => put(value, 0)))
    assert.deepEqual(first.filter(Boolean).length, 1)
    const [entry] = await state.get(['a'])
    assert.ok(await put('next', entry?.version ?? 0))
    assert.equal(await put('outdated', entry?.version ?? 0), false)
    assert.equal((await state.get(['a']))[0]?.value, 'next')
  })

  test('is complete for a reader of changes beside writers', async () => {
    const id = await addAccount()
    const second = engine === 'postgres' ? await location.open() : database
    const keys = Array.from({ length: 40 }, (_, number) => `key ${number}`)
    let isDone = false
    const writing = Promise.all(
      keys.map((key, number) =>
        open(id, number % 2 === 0 ? database : second).put({ key, value: '', version: 0 }),
      ),
    ).finally(() => (isDone = true))
    const seen: string[] = []
    let version = 0
    for (let isLast = false; !isLast;) {
      await breathe()
      isLast = isDone
      for (const entry of await open(id).changes(version)) {
        seen.push(entry.key)
        version = entry.version
      }
    }
    assert.ok((await writing).every(Boolean))
    assert.deepEqual(seen.toSorted(), keys.toSorted())
  })

  test('survives a restart, and goes with its account', async () => {
    const id = await addAccount()
    await open(id).put({ key: 'a', value: 'stays', version: 0 })
    await database.close()
    database = await location.open()
    assert.equal((await open(id).get(['a']))[0]?.value, 'stays')
    const { db } = database
    await database.commit([db.deleteFrom('cloudaccounts').where('id', '=', id).compile()])
    assert.deepEqual(await open(id).changes(0), [])
    await assert.rejects(open(id).put({ key: 'a', value: 'late', version: 0 }))
  })
})
