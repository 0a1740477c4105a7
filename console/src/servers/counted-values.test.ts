import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toldValues, untoldCount } from './counted-values.ts'

describe('the values that are counted', () => {
  it('are all told where they are few, one called "other" too', () => {
    const groups = [
      { value: 'web', count: 7 },
      { value: 'other', count: 3 },
    ]
    assert.deepEqual(toldValues(groups), groups)
    assert.equal(untoldCount(groups), undefined)
  })

  it('end with the sum of those that are not told', () => {
    const told = Array.from({ length: 100 }, (_, at) => ({ value: `v${at}`, count: 2 }))
    const groups = [...told, { value: 'other', count: 41 }]
    assert.deepEqual(toldValues(groups), told)
    assert.equal(untoldCount(groups), 41)
  })
})
