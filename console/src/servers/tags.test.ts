import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ownerOf, tagsOf, tagTerm } from './tags.ts'

const metadata = {
  'user:team': 'web',
  'user:env': 'prod',
  'ext:env': 'test',
  'sys:synced_at': '2026-05-04T08:00:00.000000Z',
}

describe('the tags of a server', () => {
  it('are grouped by origin', () => {
    assert.deepEqual(tagsOf(metadata, 'own'), [
      { key: 'env', value: 'prod' },
      { key: 'team', value: 'web' },
    ])
    assert.deepEqual(tagsOf(metadata, 'source'), [{ key: 'env', value: 'test' }])
  })

  it('have queries that distinguish source tags from own tags', () => {
    const tag = { key: 'env', value: 'prod' }
    assert.equal(tagTerm('own', tag), 'env=prod')
    assert.equal(tagTerm('source', tag), 'ext:env=prod')
    assert.equal(tagTerm('own', { key: 'a=b', value: 'c' }), undefined)
  })

  it('name the owner, by the own tag before that of the source', () => {
    assert.equal(ownerOf({ 'user:owner': 'ann', 'ext:owner': 'bob' }), 'ann')
    assert.equal(ownerOf({ 'ext:owner': 'bob' }), 'bob')
    assert.equal(ownerOf({ 'sys:owner': 'system' }), '')
  })
})
