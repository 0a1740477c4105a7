import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseSearch, stringifySearch } from './search.ts'

describe('the query string of the address', () => {
  it('is readable', () => {
    assert.equal(
      stringifySearch({ q: 'status:running ip:10.4.0.0/16 tag:env=prod vcpu>=8', sort: undefined }),
      '?q=status:running+ip:10.4.0.0/16+tag:env=prod+vcpu%3E=8',
    )
    assert.equal(stringifySearch({ q: '' }), '')
  })

  it('survives a round trip', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (q) => {
        assert.deepEqual(parseSearch(stringifySearch({ q, view: 'x' })), { q, view: 'x' })
      }),
    )
  })
})
