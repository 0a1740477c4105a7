import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { onBothEngines } from '../../testing/engines.ts'
import { openStorage, type TestStorage } from '../../testing/open-storage.ts'
import { createNumbers } from './numbers.ts'

onBothEngines('numbers', (engine) => {
  let storage: TestStorage
  before(async () => {
    storage = await openStorage(engine)
  })
  after(() => storage.close())

  test('are given out once, also to concurrent callers', async () => {
    const takers = [0, 1, 2].map(() => createNumbers(storage.database))
    const wishes = Array.from({ length: 60 }, (_, at) => ({ at, count: 1 + (at % 7) * 5 }))
    const taken = await Promise.all(
      wishes.map(async ({ at, count }) => {
        const { server } = await (takers[at % 3] ?? assert.fail())({ server: count })
        return Array.from({ length: count }, (_, offset) => server + offset)
      }),
    )
    const all = taken.flat()
    assert.equal(new Set(all).size, all.length)
  })

  test('include a revision higher than the previous one, also between processes', async () => {
    const [one, other] = [createNumbers(storage.database), createNumbers(storage.database)]
    let last = 0
    for (let round = 0; round < 200; round += 1) {
      const { revision } = await (round % 3 === 0 ? one : other)({ revision: 1 }, last)
      assert.ok(revision > last, `${revision} follows ${last}`)
      last = revision
    }
  })

  test('can be allocated again after a failure', async () => {
    let isDown = true
    const take = createNumbers({
      ...storage.database,
      commit: (statements) =>
        isDown ? Promise.reject(new Error('down')) : storage.database.commit(statements),
    })
    await assert.rejects(take({ word: 3 }), /down/)
    isDown = false
    assert.ok((await take({ word: 3 })).word > 0)
  })
})
