import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv, type ValidateFunction } from 'ajv'
import { ErrorBody, errorStatus } from './errors.ts'
import { csrfHeader, gatewayOperations, operations, pollHeader, sessionCookie } from './index.ts'
import { renderOpenApi } from './openapi.ts'
import type { Operation } from './operation.ts'

const address = 'http://127.0.0.1:8400'
const gatewayUrl = 'https://muster.example'
const gateway = { operations: gatewayOperations, url: gatewayUrl }
const everyOperation = [...operations, ...gatewayOperations]
const document = renderOpenApi(operations, [address], gateway)
// The document as clients receive it, without what JSON cannot represent.
const written = JSON.parse(JSON.stringify(document)) as typeof document

const ajv = new Ajv({ strict: false, validateFormats: false })
ajv.addSchema({ $id: 'document', components: written.components })
const compiled = new Map<string, ValidateFunction>()

/** Each schema, and what references point to, is compiled once. */
function compile(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/', '"document#/')
  const known = compiled.get(text) ?? ajv.compile(JSON.parse(text) as object)
  compiled.set(text, known)
  return known
}

const writtenOperations = Object.entries(written.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)

const errorReference = { $ref: '#/components/schemas/Error' }

/** Everything under a key of that name, anywhere in the document. */
function* valuesUnder(key: string, node: unknown = written): Generator {
  if (typeof node !== 'object' || node === null) return
  for (const [name, value] of Object.entries(node)) {
    if (name === key) yield value
    yield* valuesUnder(key, value)
  }
}

describe('the OpenAPI document', () => {
  test('survives being written as JSON', () => {
    assert.deepEqual(written, JSON.parse(JSON.stringify(written)))
    assert.deepEqual(Object.keys(written.paths), Object.keys(document.paths))
  })

  test('has the fixed fields of OpenAPI 3.1', () => {
    assert.match(written.openapi, /^3\.1\.\d+$/)
    assert.ok(written.info.title && written.info.version)
    assert.deepEqual(written.servers, [{ url: address }])
    const allowed = ['openapi', 'info', 'jsonSchemaDialect', 'servers', 'paths', 'webhooks']
    const known = new Set([...allowed, 'components', 'security', 'tags', 'externalDocs'])
    for (const key of Object.keys(written)) assert.ok(known.has(key), key)
    const names = written.tags.map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
  })

  test('describes every operation that is served, and no other', () => {
    assert.deepEqual(
      writtenOperations
        .map(({ path, method, operation }) => `${operation.operationId} ${method} ${path}`)
        .sort(),
      everyOperation.map(({ id, method, path }) => `${id} ${method.toLowerCase()} ${path}`).sort(),
    )
  })

  test('tells of every parameter of a list of servers what it does', () => {
    const { parameters } = written.paths['/servers']?.['get'] ?? {}
    const described = parameters as { name: string; description?: string }[]
    const names = new Set(described.map(({ name }) => name))
    for (const name of [
      'details',
      'with_meta',
      'limit',
      'status',
      'filter',
      'q',
      'summary_stats',
    ]) {
      assert.ok(names.has(name), name)
    }
    // Fields that depend on the caller cannot be filtered by.
    for (const name of ['can_update', 'admin_secgrp_id']) assert.ok(!names.has(name), name)
    for (const { name, description } of described) assert.ok(description, name)
  })

  test('has operations of the right shape', () => {
    const methods = new Set(['get', 'put', 'post', 'delete', 'head'])
    const ids = writtenOperations.map(({ operation }) => operation.operationId)
    assert.equal(new Set(ids).size, ids.length)
    for (const { path, method, operation } of writtenOperations) {
      const at = `${method} ${path}`
      assert.ok(methods.has(method), at)
      assert.ok(path.startsWith('/'), at)
      assert.ok(operation.summary, at)
      assert.ok(operation.tags.length === 1, at)
      assert.ok(
        written.tags.some(({ name }) => name === operation.tags[0]),
        at,
      )
      const statuses = Object.keys(operation.responses)
      assert.ok(statuses.length >= 2 && statuses.includes('default'), at)
      for (const status of statuses) assert.match(status, /^([1-5]\d\d|default)$/, at)
      const error = operation.operationId === 'issueToken' ? 'PlainError' : 'Error'
      const reference = { $ref: `#/components/responses/${error}` }
      assert.deepEqual(operation.responses['default'], reference, at)
    }
  })

  test('names each parameter once, and each of a path as required', () => {
    for (const { path, operation } of writtenOperations) {
      const parameters = operation.parameters as { name: string; in: string; required: boolean }[]
      const places = parameters.map((parameter) => `${parameter.in} ${parameter.name}`)
      assert.equal(new Set(places).size, places.length, path)
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      assert.deepEqual(
        parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name),
        inPath,
      )
      // OpenAPI says that such parameters are ignored: they belong elsewhere.
      for (const { name } of parameters) assert.doesNotMatch(name, /^(accept|authorization)$/i)
    }
  })

  test('points to nothing that is not there', () => {
    const references = [...valuesUnder('$ref')] as string[]
    assert.ok(references.length > 0)
    for (const reference of references) {
      const [, ...steps] = reference.split('/')
      const target = steps.reduce<unknown>(
        (node, step) => (node as Record<string, unknown> | undefined)?.[step],
        written,
      )
      assert.ok(target, reference)
    }
  })

  test('asks for a token exactly where the operation does', () => {
    const needs = { public: [], token: [{ token: [] }], loopback: [{}, { token: [] }] }
    for (const { operation } of writtenOperations) {
      if (operation.tags[0] === 'Sessions') continue
      const declared = (operations as readonly Operation[]).find(
        ({ id }) => id === operation.operationId,
      )
      assert.ok(declared)
      const { access, acceptsAccessKey } = declared
      const more = acceptsAccessKey ? [{ accessKey: [] }] : []
      assert.deepEqual(operation.security, [...needs[access], ...more])
    }
    assert.deepEqual(
      { ...written.components.securitySchemes.token, description: '' },
      { type: 'apiKey', in: 'header', name: 'X-Auth-Token', description: '' },
    )
  })

  test('tells how a browser proves who it is and that it means it, and where', () => {
    for (const { operation, method } of writtenOperations) {
      const own = gatewayOperations.find(({ id }) => id === operation.operationId)
      assert.equal(operation.tags[0] === 'Sessions', own !== undefined)
      if (!own) {
        assert.ok(!('servers' in operation), operation.operationId)
        continue
      }
      const isChange = method !== 'get'
      const needed = { session: [], ...(isChange && { csrf: [] }) }
      assert.deepEqual(operation.security, own.access === 'public' ? [] : [needed], own.id)
      const names = (operation.parameters as { name: string }[]).map(({ name }) => name)
      assert.equal(names.includes('Origin'), isChange, own.id)
      assert.deepEqual(operation.servers, [{ url: gatewayUrl }])
    }
    const { session, csrf } = written.components.securitySchemes
    assert.deepEqual([session?.in, session?.name], ['cookie', sessionCookie.secure])
    assert.deepEqual([csrf?.in, csrf?.name.toLowerCase()], ['header', csrfHeader])
    assert.ok(session?.description.toLowerCase().includes(`\`${pollHeader}: 1\``))
  })

  test('tells nothing of sessions where there is no gateway', () => {
    const { tags, paths, components } = renderOpenApi(operations, [address])
    assert.ok(!tags.some(({ name }) => name === 'Sessions'))
    assert.ok(!Object.keys(paths).some((path) => path.startsWith('/api')))
    assert.deepEqual(Object.keys(components.securitySchemes), ['token', 'accessKey'])
  })

  test('has schemas that compile', () => {
    const schemas = [...valuesUnder('schema')] as object[]
    assert.ok(schemas.length > operations.length)
    for (const schema of schemas) compile(schema)
  })

  test('has one schema as the items of an array, as JSON Schema 2020-12 demands', () => {
    for (const schema of valuesUnder('schema')) {
      for (const items of valuesUnder('items', schema)) assert.ok(!Array.isArray(items))
    }
  })

  test('has examples that match their schemas', () => {
    const bodies = [...valuesUnder('content')].flatMap((content) =>
      Object.values(content as Record<string, { schema: object; example?: unknown }>),
    )
    const withExample = bodies.filter(({ example }) => example !== undefined)
    assert.ok(withExample.length >= 4)
    for (const { schema, example } of withExample) {
      const accepts = compile(schema)
      assert.ok(accepts(example), ajv.errorsText(accepts.errors))
    }
    for (const { body, example } of operations.flatMap(({ responses }) =>
      Object.values(responses),
    ) as {
      body?: object
      example?: unknown
    }[]) {
      assert.ok(example === undefined || (body && compile(body)(example)))
    }
  })

  test('tells the exact content types of the specification', () => {
    for (const { operation } of writtenOperations) {
      const { id, responses } = everyOperation.find(({ id }) => id === operation.operationId) ?? {}
      for (const [status, answer] of Object.entries(operation.responses)) {
        const content = 'content' in answer ? (answer.content ?? {}) : {}
        for (const type of Object.keys(content)) {
          if (id === 'issueToken') assert.equal(type, 'application/json')
          else if (type.startsWith('application/json')) {
            assert.equal(type, 'application/json; charset=UTF-8', `${id} ${status}`)
          }
        }
      }
      assert.ok(responses)
    }
  })

  test('carries the error body and the closed table of classes', () => {
    const { Error: body } = written.components.schemas as Record<string, typeof ErrorBody>
    assert.deepEqual(body, JSON.parse(JSON.stringify(ErrorBody)))
    assert.deepEqual(body?.properties.class.enum, Object.keys(errorStatus))
    for (const { content } of Object.values(written.components.responses)) {
      assert.deepEqual([...valuesUnder('schema', content)], [errorReference])
    }
  })

  test('lists the client errors of each operation, and says their classes', () => {
    for (const { path, operation, method } of writtenOperations) {
      const at = `${method} ${path}`
      const statuses = Object.keys(operation.responses).filter((status) => status.startsWith('4'))
      for (const status of ['400', '415', '431']) assert.ok(statuses.includes(status), at)
      const isLogin = [
        'issueToken',
        'setFirstPassword',
        'createSession',
        'createFirstSession',
      ].includes(operation.operationId)
      assert.equal(statuses.includes('401'), operation.security.length > 0 || isLogin, at)
      if (path.includes('{')) assert.ok(statuses.includes('404'), at)
      if (operation.description?.includes('Required permission'))
        assert.ok(statuses.includes('403'), at)
      if (operation.requestBody) assert.ok(statuses.includes('413'), at)
      for (const status of statuses) {
        const { $ref } = operation.responses[status] as unknown as { $ref: string }
        const { description } = written.components.responses[$ref.split('/').at(-1) ?? ''] ?? {}
        const classes = Object.entries(errorStatus).filter(([, its]) => String(its) === status)
        for (const [name] of classes) assert.ok(description?.includes(name), at)
      }
    }
  })

  test('has one schema for each title', () => {
    const seen = new Map<string, string>()
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return
      const { title } = node as { title?: unknown }
      const text = typeof title === 'string' ? JSON.stringify(node) : ''
      if (typeof title === 'string') assert.equal(seen.get(title) ?? text, text, title)
      if (typeof title === 'string') seen.set(title, text)
      for (const value of Object.values(node)) visit(value)
    }
    for (const { body, query, responses } of everyOperation as readonly Operation[]) {
      visit([body, query, Object.values(responses).map((answer) => answer.body)])
    }
    assert.ok(seen.size > 10)
    assert.deepEqual(
      Object.keys(written.components.schemas).sort(),
      ['Error', ...seen.keys()].sort(),
    )
  })

  test('accepts the token request as the specification itself spells it', () => {
    const accepts = compile(
      written.paths['/v3/auth/tokens']?.['post']?.requestBody?.content['application/json']
        .schema as object,
    )
    const spelled = {
      auth: {
        identity: {
          methods: ['password'],
          password: { user: { Domain: { name: 'Default' }, name: 'sysadmin', password: 'x' } },
        },
      },
    }
    assert.ok(accepts(spelled), ajv.errorsText(accepts.errors))
  })
})
