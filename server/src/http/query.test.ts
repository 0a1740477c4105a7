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
  servedBy: ['platform'],
  throughGateway: false,
  cache: 'default',
  rateLimit: 'unlimited',
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
  responses: {},
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

describe('parsing a query', () => {
  test('parses each known parameter once', () => {
    assert.deepEqual(read('?limit=5&name=a'), { limit: 5, name: 'a' })
    assert.deepEqual(read('?name='), { name: '' })
    assert.deepEqual(read('?name'), { name: '' })
    assert.deepEqual(read('?name=a=b'), { name: 'a=b' })
    assert.deepEqual(read('?name=a?b'), { name: 'a?b' })
  })

  test('accepts a missing and an empty query', () => {
    for (const query of ['', '?', '?&', '?&&']) assert.deepEqual(read(query), {})
  })

  test('decodes names and values, and + as a blank', () => {
    assert.deepEqual(read('?n%61me=%C3%A9+%2B%26'), { name: 'é +&' })
  })

  test('parses booleans of Keystone clients: no value, Python spelling, digits', () => {
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

  test('parses integers only', () => {
    assert.deepEqual(read('?limit=007'), { limit: 7 })
    const wrong = ['', '1.5', '1e3', '0x10', ' 1', '1 ', '+1', '--1', 'a', 'NaN', '9'.repeat(16)]
    for (const text of wrong) {
      refuses(`?limit=${encodeURIComponent(text)}`, 'InputParameterError', 'limit')
    }
  })

  test('validates each value against its schema', () => {
    assert.deepEqual(read('?sort_dir=desc'), { sort_dir: 'desc' })
    refuses('?limit=0', 'InputParameterError', 'limit')
    refuses('?limit=-1', 'InputParameterError', 'limit')
    refuses('?name=abcdef', 'InputParameterError', 'name')
    refuses('?sort_dir=up', 'InputParameterError', 'sort_dir')
    refuses('?sort_dir', 'InputParameterError', 'sort_dir')
  })

  test('rejects every parameter if the operation has none', () => {
    const { query: _, ...bare } = operation
    const readNothing = createQueryReader(bare)
    assert.deepEqual(readNothing('/servers'), {})
    assert.deepEqual(readNothing('/servers?'), {})
    assert.throws(() => readNothing('/servers?name=a'), PlatformError)
  })

  test('rejects an unknown parameter by name', () => {
    refuses('?limt=5', 'InputParameterError', 'limt')
    refuses('?Limit=5', 'InputParameterError', 'Limit')
    refuses('?limit[]=5', 'InputParameterError', 'limit[]')
    refuses('?=5', 'InputParameterError', '')
    for (const inherited of ['__proto__', 'constructor', 'toString']) {
      refuses(`?${inherited}=1`, 'InputParameterError', inherited)
    }
  })

  test('rejects a repeated parameter, even with the same value or in another spelling', () => {
    refuses('?limit=1&limit=9999', 'InputParameterError', 'limit')
    refuses('?limit=1&limit=1', 'InputParameterError', 'limit')
    refuses('?limit=1&l%69mit=1', 'InputParameterError', 'limit')
    refuses('?name&name', 'InputParameterError', 'name')
  })

  test('rejects broken percent-encoding in names and values', () => {
    for (const broken of ['%', '%4', '%zz', '%ff', '%c3', '%c0%af', '%ed%a0%80']) {
      refuses(`?name=${broken}`, 'InvalidFormatError')
      refuses(`?${broken}=1`, 'InvalidFormatError')
    }
  })

  test('rejects NUL', () => {
    refuses('?name=a%00b', 'InputParameterError', 'name')
    refuses('?na%00me=a', 'InputParameterError', 'query')
  })
})

const listing = {
  ...operation,
  query: Type.Object(
    {
      ...operation.query.properties,
      status: Type.Optional(Type.Array(Type.String({ maxLength: 9 }), { maxItems: 3 })),
      vcpu_count: Type.Optional(Type.Array(Type.Integer())),
      is_gpu: Type.Optional(Type.Array(Type.Boolean())),
      tags: Type.Optional(
        Type.Array(
          Type.Array(
            Type.Object(
              { key: Type.String(), value: Type.Optional(Type.String()) },
              { additionalProperties: false },
            ),
          ),
        ),
      ),
      'user.id': Type.Optional(Type.String()),
    },
    { additionalProperties: false },
  ),
} as const satisfies Operation
const readListing = createQueryReader(listing)
const list = (query: string) => readListing(`/servers${query}`)

const complaint = (query: string) => {
  try {
    list(query)
  } catch (error) {
    assert.ok(error instanceof PlatformError, String(error))
    assert.equal(error.status, 400)
    return `${error.fields?.[0]?.path}: ${error.fields?.[0]?.problem}`
  }
  assert.fail(`${query} was taken`)
}

describe('parsing parameters with several values', () => {
  test('parses repeated parameters in order', () => {
    assert.deepEqual(list('?status=b'), { status: ['b'] })
    assert.deepEqual(list('?status=b&limit=1&status=a'), { status: ['b', 'a'], limit: 1 })
    assert.deepEqual(list('?status=a&status=a'), { status: ['a', 'a'] })
    assert.deepEqual(list('?vcpu_count=8&vcpu_count=04'), { vcpu_count: [8, 4] })
    assert.deepEqual(list('?is_gpu&is_gpu=0'), { is_gpu: [true, false] })
  })

  test('parses repeated parameters with brackets, where several values are accepted', () => {
    assert.deepEqual(list('?status[]=b&limit=1&status%5B%5D=a'), { status: ['b', 'a'], limit: 1 })
    assert.deepEqual(list('?status[]=b&status=a'), { status: ['b', 'a'] })
    assert.deepEqual(list('?vcpu_count[]=8'), { vcpu_count: [8] })
    for (const name of ['limit[]', 'user.id[]', 'status[][]', 'status[0]', 'toString[]', '[]']) {
      assert.match(complaint(`?${name}=1`), /: is not a known parameter/)
    }
    assert.equal(
      complaint('?status[]=a&status.0=b'),
      'status: mixes numbered and unnumbered values',
    )
  })

  test('parses numbered parameters in order of their numbers', () => {
    assert.deepEqual(list('?status.0=a'), { status: ['a'] })
    assert.deepEqual(list('?status.10=c&status.2=b&status.0=a'), { status: ['a', 'b', 'c'] })
    assert.deepEqual(list('?vcpu_count.1=8'), { vcpu_count: [8] })
  })

  test('parses nested numbered parameters with members', () => {
    const query = '?tags.1.0.key=c&tags.0.1.key=b&tags.0.0.value=x&tags.0.0.key=a'
    assert.deepEqual(list(query), {
      tags: [[{ key: 'a', value: 'x' }, { key: 'b' }], [{ key: 'c' }]],
    })
  })

  test('prefers a parameter whose name contains a dot', () => {
    assert.deepEqual(list('?user.id=1'), { 'user.id': '1' })
  })

  test('rejects malformed and invalid parameters by name', () => {
    assert.equal(complaint('?status.0=a&status.0=b'), 'status.0: is given twice')
    assert.equal(complaint('?status.0=a&status.00=b'), 'status.0: is given twice')
    assert.equal(complaint('?status=a&status.0=b'), 'status: mixes numbered and unnumbered values')
    assert.equal(complaint('?vcpu_count.0=x'), 'vcpu_count.0: must be an integer')
    assert.equal(complaint('?vcpu_count=1&vcpu_count=x'), 'vcpu_count: must be an integer')
    assert.equal(complaint('?status=0123456789'), 'status.0: must be at most 9 characters')
    assert.equal(
      complaint('?status=1&status=2&status=3&status=4'),
      'status: must have at most 3 items, not 4',
    )
    assert.equal(complaint('?tags.0.0.value=x'), 'tags.0.0.key: is required')
    assert.equal(complaint('?tags.0.0.key=a&tags.0.0.key=b'), 'tags.0.0.key: is given twice')
    assert.equal(complaint('?tags=a'), 'tags.0: must be an array')
    assert.equal(complaint('?tags.0.0=a'), 'tags.0.0: must be an object')
    for (const name of [
      'limit.0',
      'status.a',
      'status.-1',
      'status.',
      'status.0.0',
      'tags.0.0.kee',
    ]) {
      assert.match(complaint(`?${name}=1`), /: is not a known parameter/)
    }
    for (const name of ['status.__proto__', 'tags.0.0.__proto__', 'tags.0.0.toString']) {
      assert.match(complaint(`?${name}=1`), /: is not a known parameter/)
    }
  })
})

describe('hints for unknown parameters', () => {
  test('suggest the nearest name, if one is near', () => {
    assert.equal(complaint('?stauts=a'), 'stauts: is not a known parameter: did you mean "status"?')
    assert.equal(complaint('?Limit=1'), 'Limit: is not a known parameter: did you mean "limit"?')
    assert.equal(complaint('?colour=a'), 'colour: is not a known parameter')
    assert.equal(complaint(`?${'a'.repeat(8000)}=a`).length < 8100, true)
  })

  test('very long queries fail only with a client error', () => {
    for (const part of [
      'status=a&',
      'status.1=a&',
      'tags.0.0.key=a&',
      '&',
      '=',
      'a.',
      'status.0.',
    ]) {
      try {
        list(`?${part.repeat(2000)}`)
      } catch (error) {
        assert.ok(error instanceof PlatformError)
      }
    }
  })
})
