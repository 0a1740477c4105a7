import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Operation } from '@muster/contract'
import { Type } from 'typebox'
import { PlatformError } from '../domain/error.ts'
import { createQueryReader } from './query.ts'

const operation = {
  id: 'listServers',
  method: 'GET',
  path: '/servers',
  access: 'token',
  tag: '',
  summary: '',
  query: Type.Object(
    {
      limit: Type.Optional(Type.Integer({ minimum: 1 })),
      name: Type.Optional(Type.String({ maxLength: 5 })),
      sort_dir: Type.Optional(Type.Enum(['asc', 'desc'])),
      with_meta: Type.Optional(Type.Boolean()),
    },
    { additionalProperties: false },
  ),
  answers: {},
} as const satisfies Operation
const readQuery = createQueryReader(operation)
const read = (query: string) => readQuery(`/servers${query}`)

const refuses = (query: string, errorClass: string, path?: string) =>
  assert.throws(
    () => read(query),
    (error) =>
      error instanceof PlatformError &&
      error.class === errorClass &&
      error.fields?.[0]?.path === path,
    query,
  )

describe('the reader of a query', () => {
  test('reads each known parameter once', () => {
    assert.deepEqual(read('?limit=5&name=a'), { limit: 5, name: 'a' })
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

  test('reads a flag as Keystone clients write it: alone, in Python spelling, as a digit', () => {
    for (const text of ['', '=true', '=True', '=1']) {
      assert.deepEqual(read(`?with_meta${text}`), { with_meta: true }, text)
    }
    for (const text of ['=false', '=False', '=0']) {
      assert.deepEqual(read(`?with_meta${text}`), { with_meta: false }, text)
    }
    for (const text of ['', 'yes', 'TRUE', '2', 'tru', ' true', 'toString', '__proto__']) {
      refuses(`?with_meta=${encodeURIComponent(text)}`, 'InputParameterError', 'with_meta')
    }
  })

  test('reads an integer, and nothing that only looks like one', () => {
    assert.deepEqual(read('?limit=007'), { limit: 7 })
    const wrong = ['', '1.5', '1e3', '0x10', ' 1', '1 ', '+1', '--1', 'a', 'NaN', '9'.repeat(16)]
    for (const text of wrong) {
      refuses(`?limit=${encodeURIComponent(text)}`, 'InputParameterError', 'limit')
    }
  })

  test('holds each value to its schema', () => {
    assert.deepEqual(read('?sort_dir=desc'), { sort_dir: 'desc' })
    refuses('?limit=0', 'InputParameterError', 'limit')
    refuses('?limit=-1', 'InputParameterError', 'limit')
    refuses('?name=abcdef', 'InputParameterError', 'name')
    refuses('?sort_dir=up', 'InputParameterError', 'sort_dir')
    refuses('?sort_dir', 'InputParameterError', 'sort_dir')
  })

  test('knows no parameter where the operation has none', () => {
    const { query: _, ...bare } = operation
    const readNothing = createQueryReader(bare)
    assert.deepEqual(readNothing('/servers'), {})
    assert.deepEqual(readNothing('/servers?'), {})
    assert.throws(() => readNothing('/servers?name=a'), PlatformError)
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
