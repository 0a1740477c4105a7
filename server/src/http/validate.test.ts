import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { operations, type Operation } from '@muster/contract'
import { Type } from 'typebox'
import { PlatformError } from '../domain/error.ts'
import { createBodyReader } from './validate.ts'

const Body = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 3 }),
    kind: Type.Optional(Type.Enum(['a', 'b'])),
    list: Type.Optional(Type.Array(Type.Integer(), { minItems: 1, maxItems: 2 })),
    inner: Type.Optional(Type.Object({ id: Type.Boolean() }, { additionalProperties: false })),
  },
  { additionalProperties: false },
)

const operation = {
  id: 'sample',
  method: 'POST',
  path: '/sample',
  access: 'public',
  servedBy: ['platform'],
  throughGateway: false,
  cache: 'default',
  rateLimit: 'unlimited',
  tag: 'Sample',
  summary: 'Sample',
  body: Body,
  caseInsensitiveKeys: ['name', 'id'],
  responses: {},
} as const satisfies Operation

const read = createBodyReader(operation)

function refusal(body: unknown): PlatformError {
  try {
    read(body)
  } catch (error) {
    assert.ok(error instanceof PlatformError)
    assert.equal(error.status, 400)
    return error
  }
  return assert.fail(`accepted ${JSON.stringify(body)}`)
}
const pathsOf = (body: unknown) => refusal(body).fields?.map(({ path }) => path)

describe('createBodyReader', () => {
  test('returns a valid body with normalized keys', () => {
    assert.deepEqual(read({ Name: 'abc', list: [1], inner: { ID: true } }), {
      name: 'abc',
      list: [1],
      inner: { id: true },
    })
  })

  test('coerces, drops and adds nothing', () => {
    assert.deepEqual(pathsOf({ name: 12 }), ['name'])
    assert.deepEqual(pathsOf({ name: 'a', list: ['1'] }), ['list.0'])
    assert.deepEqual(pathsOf({ name: 'a', inner: { id: 'true' } }), ['inner.id'])
    assert.deepEqual(pathsOf({ name: null }), ['name'])
    assert.deepEqual(read({ name: 'a' }), { name: 'a' })
  })

  test('names the field in the spelling of the caller', () => {
    assert.deepEqual(pathsOf({ NAME: 'abcd' }), ['NAME'])
    assert.deepEqual(pathsOf({ name: 'a', inner: { Id: 1 } }), ['inner.Id'])
    assert.deepEqual(pathsOf({ name: 'a', stranger: 1 }), ['stranger'])
    assert.deepEqual(pathsOf({ name: 'a', 'a/b~c': 1 }), ['a/b~c'])
  })

  test('names the whole body "body"', () => {
    for (const body of [null, 1, 'a', [], true]) assert.deepEqual(pathsOf(body), ['body'])
  })

  test('a missing field has its own error class', () => {
    const missing = refusal({ inner: {} })
    assert.equal(missing.class, 'MissingParameterError')
    assert.deepEqual(missing.fields?.map(({ path }) => path).sort(), ['inner.id', 'name'])
    assert.equal(refusal({ stranger: 1 }).class, 'InputParameterError')
  })

  test('describes the problem', () => {
    const problems = {
      'must not be empty': { name: '' },
      'must be at most 3 characters': { name: 'abcd' },
      'must be a string': { name: 1 },
      'must be an integer': { name: 'a', list: [1.5] },
      'must be an object': { name: 'a', inner: [] },
      'must be one of a, b': { name: 'a', kind: 'c' },
      'must have at least 1 items': { name: 'a', list: [] },
      'must have at most 2 items, not 3': { name: 'a', list: [1, 2, 3] },
      'is not a known field': { name: 'a', stranger: 1 },
      'is required': {},
    }
    for (const [problem, body] of Object.entries(problems)) {
      assert.equal(refusal(body).fields?.[0]?.problem, problem)
    }
  })

  test('lists at most ten problems', () => {
    const strangers = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, 1]))
    assert.equal(refusal({ name: 'a', ...strangers }).fields?.length, 10)
  })

  test('never echoes a value, only field names', () => {
    const secret = 'hunter2-hunter2'
    const bodies = [{ name: secret }, { name: 'a', kind: secret }, { name: 'a', inner: secret }]
    for (const body of bodies) {
      const { message, fields } = refusal(body)
      assert.ok(!JSON.stringify([message, fields]).includes(secret))
    }
  })

  test('names of inherited object properties are unknown keys', () => {
    for (const key of ['constructor', 'toString', 'hasOwnProperty', 'valueOf']) {
      assert.deepEqual(pathsOf({ name: 'a', [key]: {} }), [key])
    }
    assert.deepEqual(pathsOf(Object.create({ name: 'inherited' })), ['name'])
  })

  test('an operation without a body ignores one', () => {
    const bodiless = operations.find(({ id }) => id === 'showHealth')
    assert.ok(bodiless)
    assert.equal(createBodyReader(bodiless)({ anything: 1 }), undefined)
  })
})
