import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { markerOf } from './marker-of.ts'

describe('the marker of the next page', () => {
  it('is taken from the next link', () => {
    const next = 'http://127.0.0.1:8400/v3/users?limit=2&marker=%5B%22a+b%22%5D'
    assert.equal(markerOf(next), '["a b"]')
    assert.equal(markerOf('/v3/users?marker=m1'), 'm1')
  })

  it('is undefined on the last page', () => {
    assert.equal(markerOf(null), undefined)
    assert.equal(markerOf('/v3/users?limit=2'), undefined)
  })
})
