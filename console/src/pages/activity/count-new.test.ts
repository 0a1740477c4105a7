import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countNew } from './count-new.ts'

describe('what is new in the log', () => {
  const newest = [{ id: '0c' }, { id: '0b' }, { id: '0a' }]

  it('is what has come after the first that is shown', () => {
    assert.equal(countNew(newest, '0c'), 0)
    assert.equal(countNew(newest, '0a'), 2)
  })

  it('is all where there was none, or it is further down', () => {
    assert.equal(countNew(newest, '00'), 3)
    assert.equal(countNew(newest, undefined), 3)
    assert.equal(countNew([], undefined), 0)
  })

  it('is nothing where the list is ahead of what was asked for last', () => {
    assert.equal(countNew(newest, '0d'), 0)
  })
})
