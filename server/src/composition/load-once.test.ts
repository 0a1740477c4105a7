import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { loadOnce } from './load-once.ts'

describe('lazy loading', () => {
  test('loads once for all callers', async () => {
    let loads = 0
    const load = loadOnce(async () => (loads += 1))
    assert.equal(loads, 0)
    assert.deepEqual(await Promise.all([load(), load()]), [1, 1])
    assert.equal(await load(), 1)
  })

  test('loads again after a failure, which all waiting callers get', async () => {
    let loads = 0
    const load = loadOnce(async () => {
      loads += 1
      if (loads === 1) throw new Error('not now')
      return loads
    })
    const both = await Promise.allSettled([load(), load()])
    assert.deepEqual(
      both.map(({ status }) => status),
      ['rejected', 'rejected'],
    )
    assert.equal(await load(), 2)
    assert.equal(await load(), 2)
  })
})
