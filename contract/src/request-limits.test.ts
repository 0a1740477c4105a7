import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Type } from 'typebox'
import { gatewayOperations, operations } from './index.ts'
import { renderOpenApi } from './openapi.ts'
import { publicDefaults } from './operation-defaults.ts'
import type { Operation } from './operation.ts'

interface Node {
  readonly type?: string
  readonly enum?: unknown
  readonly const?: unknown
  readonly pattern?: string
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly properties?: Record<string, Node>
  readonly additionalProperties?: unknown
  readonly patternProperties?: Record<string, Node>
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly oneOf?: readonly Node[]
  readonly allOf?: readonly Node[]
}

/** The places of a request schema that take something without a limit. */
function* unlimited(node: Node, path: string): Generator<string> {
  const parts = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])]
  for (const part of parts) yield* unlimited(part, path)
  if (parts.length > 0 || 'enum' in node || 'const' in node) return
  switch (node.type ?? 'any') {
    case 'string':
      if (node.maxLength === undefined && node.pattern === undefined) yield path
      return
    case 'array':
      if (node.maxItems === undefined) yield `${path}[]`
      yield* unlimited(node.items ?? {}, `${path}[]`)
      return
    case 'object':
      for (const [name, property] of Object.entries(node.properties ?? {})) {
        yield* unlimited(property, `${path}.${name}`)
      }
      if (node.additionalProperties !== false && node.maxProperties === undefined) {
        yield `${path}.*`
      }
      for (const property of Object.values(node.patternProperties ?? {})) {
        yield* unlimited(property, `${path}.*`)
      }
      return
    case 'boolean':
    case 'integer':
    case 'number':
    case 'null':
      return
    default:
      yield path
  }
}

/** All that a caller can send to an operation, as the document describes it. */
function requestOf(operation: Operation): [string, Node][] {
  const item = renderOpenApi([operation], ['http://127.0.0.1']).paths[operation.path]
  const rendered = item?.[operation.method.toLowerCase()]
  assert.ok(rendered)
  const parameters = rendered.parameters as { in: string; name: string; schema: Node }[]
  return [
    ...parameters.map(({ in: place, name, schema }): [string, Node] => [
      `${operation.id} ${place} ${name}`,
      schema,
    ]),
    ...(operation.body ? [[`${operation.id} body`, operation.body] as [string, Node]] : []),
  ]
}

const unlimitedIn = (operation: Operation) =>
  requestOf(operation).flatMap(([place, schema]) => [...unlimited(schema, place)])

describe('SEC-73 every text of a request has a limit in the contract', () => {
  const asked: readonly Operation[] = [
    ...operations,
    ...gatewayOperations.map((operation): Operation => ({
      ...operation,
      ...publicDefaults,
      servedBy: ['gateway'],
    })),
  ]
  for (const operation of asked) {
    test(`SEC-73 ${operation.id}`, () => assert.deepEqual(unlimitedIn(operation), []))
  }

  test('SEC-73 a schema without a limit is found, wherever it hides', () => {
    const limited = Type.String({ maxLength: 9 })
    const sample = (body: Operation['body']): Operation => ({
      id: 'sample',
      method: 'POST',
      path: '/sample',
      ...publicDefaults,
      servedBy: ['platform'],
      tag: 'Sample',
      summary: 'Sample',
      ...(body && { body }),
      responses: {},
    })
    const exact = { additionalProperties: false }
    const hidden = [
      Type.String(),
      Type.Object({ a: Type.Optional(Type.String()) }, exact),
      Type.Object({ a: limited }),
      Type.Array(limited),
      Type.Array(Type.String(), { maxItems: 3 }),
      Type.Union([limited, Type.String()]),
      Type.Object({ a: Type.Any() }, exact),
    ]
    for (const body of hidden) assert.notDeepEqual(unlimitedIn(sample(body)), [])
    assert.deepEqual(unlimitedIn(sample(Type.Object({ a: limited }, exact))), [])
    assert.deepEqual(unlimitedIn(sample(Type.Enum(['a']))), [])
  })
})
