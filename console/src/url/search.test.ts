import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseSearch, stringifySearch } from './search.ts'

describe('the part of an address after ?', () => {
  it('is read by people', () => {
    assert.equal(
      stringifySearch({ q: 'status:running ip:10.4.0.0/16 tag:env=prod vcpu>=8', sort: undefined }),
      '?q=status:running+ip:10.4.0.0/16+tag:env=prod+vcpu%3E=8',
    )
    assert.equal(stringifySearch({ q: '' }), '')
  })

  it('gives back what it was made of', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (q) => {
        assert.deepEqual(parseSearch(stringifySearch({ q, view: 'x' })), { q, view: 'x' })
      }),
    )
  })
})
