import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { prettyJson } from './pretty-json.ts'

describe('JSON to read', () => {
  it('shows what would turn a name around', () => {
    assert.equal(prettyJson({ name: 'a\u202eb\u200bc' }), '{\n  "name": "a\\u202eb\\u200bc"\n}')
  })

  it('says the same as before', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        assert.equal(JSON.stringify(JSON.parse(prettyJson(value))), JSON.stringify(value))
      }),
    )
  })
})
