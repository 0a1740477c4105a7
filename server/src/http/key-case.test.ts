import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PlatformError } from '../domain/error.ts'
import { lowerCaseKeys, asSpelled } from './key-case.ts'

const keys = ['domain', 'id', 'name']

describe('lowerCaseKeys', () => {
  test('converts the given keys to lower case at every level, and no others', () => {
    const body = { Domain: { Id: 'A', NAME: 'B' }, Password: { dOmAiN: { iD: 'C' } } }
    assert.deepEqual(lowerCaseKeys(body, keys), {
      domain: { id: 'A', name: 'B' },
      Password: { domain: { id: 'C' } },
    })
  })

  test('leaves values, lists and the given body unchanged', () => {
    const body = { Id: ['Id', { Name: 'x' }], name: null }
    assert.deepEqual(lowerCaseKeys(body, keys), { id: ['Id', { Name: 'x' }], name: null })
    assert.deepEqual(Object.keys(body), ['Id', 'name'])
    for (const value of [null, 'Id', 3, true, ['Id']])
      assert.deepEqual(lowerCaseKeys(value, keys), value)
  })

  test('rejects two spellings of one key, naming the second as written', () => {
    for (const pair of [
      { id: 1, Id: 2 },
      { ID: 1, id: 1 },
      { Id: null, iD: null },
    ]) {
      const second = Object.keys(pair)[1]
      assert.throws(
        () => lowerCaseKeys({ a: { B: pair } }, keys),
        (error) =>
          error instanceof PlatformError &&
          error.class === 'InputParameterError' &&
          error.fields?.[0]?.path === `a.B.${second}`,
      )
    }
  })

  test('handles names of inherited object properties as ordinary keys', () => {
    const body = JSON.parse('{"constructor":{"Id":1},"toString":2,"hasOwnProperty":3}') as object
    assert.deepEqual(Object.entries(lowerCaseKeys(body, keys) as object), [
      ['constructor', { id: 1 }],
      ['toString', 2],
      ['hasOwnProperty', 3],
    ])
  })

  test('does not fold similar letters of other alphabets', () => {
    // A dotless i, a full-width i, and one with a dot that lower case splits in two.
    const body = { ıd: 1, ｉd: 2, İd: 3 }
    assert.deepEqual(lowerCaseKeys(body, keys), body)
  })
})

describe('asSpelled', () => {
  test('returns the path in the spelling of the caller', () => {
    const body = { auth: { Domain: { ID: 1 } } }
    assert.deepEqual(asSpelled(body, ['auth', 'domain', 'id']), ['auth', 'Domain', 'ID'])
  })

  test('returns unknown parts unchanged', () => {
    assert.deepEqual(asSpelled({ auth: 1 }, ['auth', 'domain', 'id']), ['auth', 'domain', 'id'])
    assert.deepEqual(asSpelled({}, ['constructor', 'name']), ['constructor', 'name'])
    assert.deepEqual(asSpelled(null, ['id']), ['id'])
    assert.deepEqual(asSpelled({}, []), [])
  })

  test('follows lists by index', () => {
    assert.deepEqual(asSpelled({ methods: ['a'] }, ['methods', '0']), ['methods', '0'])
  })
})
