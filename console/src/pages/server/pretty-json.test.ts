import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { prettyJson } from './pretty-json.ts'

describe('formatted JSON', () => {
  it('escapes characters that reorder text', () => {
    assert.equal(prettyJson({ name: 'a\u202eb\u200bc' }), '{\n  "name": "a\\u202eb\\u200bc"\n}')
  })

  it('has the same value as its input', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(JSON.stringify(JSON.parse(prettyJson(value))), JSON.stringify(value))
      }),
    )
  })
})
