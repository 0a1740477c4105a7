import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PlatformError } from '../domain/error.ts'
import { readQuery } from './query.ts'

const known = ['limit', 'name', 'with_meta']
const read = (query: string) => Object.fromEntries(readQuery(`/servers${query}`, known))

const refuses = (query: string, errorClass: string, path?: string) =>
  assert.throws(
    () => read(query),
    (error) =>
      error instanceof PlatformError &&
      error.class === errorClass &&
      error.fields?.[0]?.path === path,
    query,
  )

describe('readQuery', () => {
  test('reads each known parameter once', () => {
    assert.deepEqual(read('?limit=5&name=a'), { limit: '5', name: 'a' })
    assert.deepEqual(read('?name='), { name: '' })
    assert.deepEqual(read('?name'), { name: '' })
    assert.deepEqual(read('?name=a=b'), { name: 'a=b' })
    assert.deepEqual(read('?name=a?b'), { name: 'a?b' })
  })

  test('reads no query, and an empty one', () => {
    for (const query of ['', '?', '?&', '?&&']) assert.deepEqual(read(query), {})
  })

  test('decodes names and values, and + as a blank', () => {
    assert.deepEqual(read('?n%61me=%C3%A9+%2B%26'), { name: 'é +&' })
  })

  test('refuses an unknown parameter, naming it', () => {
    refuses('?limt=5', 'InputParameterError', 'limt')
    refuses('?Limit=5', 'InputParameterError', 'Limit')
    refuses('?limit[]=5', 'InputParameterError', 'limit[]')
    refuses('?=5', 'InputParameterError', '')
    for (const inherited of ['__proto__', 'constructor', 'toString']) {
      refuses(`?${inherited}=1`, 'InputParameterError', inherited)
    }
  })

  test('refuses a parameter given twice, even with one value and in another spelling', () => {
    refuses('?limit=1&limit=9999', 'InputParameterError', 'limit')
    refuses('?limit=1&limit=1', 'InputParameterError', 'limit')
    refuses('?limit=1&l%69mit=1', 'InputParameterError', 'limit')
    refuses('?name&name', 'InputParameterError', 'name')
  })

  test('refuses broken percent-encoding in names and values', () => {
    for (const broken of ['%', '%4', '%zz', '%ff', '%c3', '%c0%af', '%ed%a0%80']) {
      refuses(`?name=${broken}`, 'InvalidFormatError')
      refuses(`?${broken}=1`, 'InvalidFormatError')
    }
  })

  test('refuses NUL', () => {
    refuses('?name=a%00b', 'InvalidFormatError')
    refuses('?na%00me=a', 'InvalidFormatError')
  })
})
