import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listedValues, unlistedCount } from './value-counts.ts'

describe('value counts', () => {
  it('list all values if there are few, including one named "other"', () => {
    const groups = [
      { value: 'web', count: 7 },
      { value: 'other', count: 3 },
    ]
    assert.deepEqual(listedValues(groups), groups)
    assert.equal(unlistedCount(groups), undefined)
  })

  it('end with the sum of the values that are not listed', () => {
    const told = Array.from({ length: 100 }, (_, at) => ({ value: `v${at}`, count: 2 }))
    const groups = [...told, { value: 'other', count: 41 }]
    assert.deepEqual(listedValues(groups), told)
    assert.equal(unlistedCount(groups), 41)
  })
})
