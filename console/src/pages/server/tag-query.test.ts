import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { serverFields } from '../../../../server/src/domain/inventory/fields.ts'
import { parseQ } from '../../../../server/src/domain/query/parse-q.ts'
import { tagQuery } from './tag-query.ts'

describe('the query for a tag', () => {
  it('is readable', () => {
    assert.equal(tagQuery('own', { key: 'env', value: 'prod' }), 'tag:env=prod')
    assert.equal(tagQuery('source', { key: 'Name', value: 'web 7' }), 'tag:ext:Name="web 7"')
    assert.equal(tagQuery('own', { key: 'cost centre', value: '7' }), 'tag:"cost centre=7"')
  })

  it('is undefined for a key with an operator in it', () => {
    assert.equal(tagQuery('own', { key: 'a=b', value: 'c' }), undefined)
  })

  it('is undefined for the age, which is not stored', () => {
    const tag = { key: 'synced_at', value: '2026-05-04T08:00:00.000000Z' }
    assert.equal(tagQuery('notes', tag), undefined)
    assert.equal(tagQuery('notes', { key: 'tenant', value: 'x' }), 'tag:sys:tenant=x')
  })

  it('SEC-53: matches exactly this tag, for any key and value', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(
        text.filter((key) => !key.includes('=')),
        text,
        (key, value) => {
          assert.deepEqual(parseQ(serverFields, tagQuery('source', { key, value }) ?? ''), [
            { kind: 'tag', key: `ext:${key}`, value },
          ])
        },
      ),
    )
  })
})
