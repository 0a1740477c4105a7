import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listedValues, unlistedCount } from './value-counts.ts'

describe('the values that are counted', () => {
  it('are all told where they are few, one called "other" too', () => {
    const groups = [
      { value: 'web', count: 7 },
      { value: 'other', count: 3 },
    ]
    assert.deepEqual(listedValues(groups), groups)
    assert.equal(unlistedCount(groups), undefined)
  })

  it('end with the sum of those that are not told', () => {
    const told = Array.from({ length: 100 }, (_, at) => ({ value: `v${at}`, count: 2 }))
    const groups = [...told, { value: 'other', count: 41 }]
    assert.deepEqual(listedValues(groups), told)
    assert.equal(unlistedCount(groups), 41)
  })
})
