import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { countNew } from './count-new.ts'

describe('the number of new events', () => {
  const newest = [{ id: '0c' }, { id: '0b' }, { id: '0a' }]

  it('counts events newer than the first one shown', () => {
    assert.equal(countNew(newest, '0c'), 0)
    assert.equal(countNew(newest, '0a'), 2)
  })

  it('counts all if the list was empty, or if its first event is further down', () => {
    assert.equal(countNew(newest, '00'), 3)
    assert.equal(countNew(newest, undefined), 3)
    assert.equal(countNew([], undefined), 0)
  })

  it('is 0 if the list is newer than the last poll', () => {
    assert.equal(countNew(newest, '0d'), 0)
  })
})
