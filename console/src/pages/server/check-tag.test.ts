import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changeOf, checkTag } from './check-tag.ts'

const keyProblem = (key: string, others: readonly string[] = []) =>
  checkTag({ key, value: '' }, others).key

describe('tag validation', () => {
  it('accepts keys and values within the limits', () => {
    assert.deepEqual(checkTag({ key: 'k'.repeat(128), value: 'v'.repeat(1024) }, ['env']), {})
    assert.deepEqual(checkTag({ key: '<b>环境</b>', value: '' }, []), {})
    assert.deepEqual(checkTag({ key: `user:${'k'.repeat(128)}`, value: '' }, []), {})
  })

  it('reports errors per field', () => {
    assert.deepEqual(checkTag({ key: '', value: 'v'.repeat(1025) }, []), {
      key: 'missing',
      value: 'tooLong',
    })
    assert.equal(keyProblem('user:'), 'missing')
    assert.equal(keyProblem('a\nb'), 'control')
    assert.equal(keyProblem('ext:Name'), 'readOnly')
    assert.equal(keyProblem('sys:synced_at'), 'readOnly')
    assert.equal(keyProblem('k'.repeat(129)), 'tooLong')
  })

  it('rejects a key that already exists', () => {
    assert.equal(keyProblem('env', ['env']), 'taken')
    assert.equal(keyProblem('user:env', ['env']), 'taken')
  })

  it('stores keys with a prefix, and renames in one request', () => {
    assert.deepEqual(changeOf(undefined, { key: 'env', value: 'prod' }), { 'user:env': 'prod' })
    assert.deepEqual(changeOf({ key: 'env', value: 'a' }, { key: 'user:env', value: 'b' }), {
      'user:env': 'b',
    })
    assert.deepEqual(changeOf({ key: 'env', value: 'a' }, { key: 'stage', value: 'a' }), {
      'user:env': null,
      'user:stage': 'a',
    })
  })
})
