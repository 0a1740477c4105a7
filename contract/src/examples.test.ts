import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv } from 'ajv'
import { gatewayOperations, operations, type GatewayOperation } from './index.ts'
import type { Operation } from './operation.ts'

const ajv = new Ajv({ strict: false, validateFormats: false })
const all: readonly (Operation | GatewayOperation)[] = [...operations, ...gatewayOperations]

/** Pages and documents that describe themselves. */
const selfDescribing = new Set([
  'showMetrics',
  'showOpenApi',
  'showReference',
  'showReferenceScript',
])

describe('every operation has examples that its schemas accept', () => {
  for (const operation of all.filter(({ id }) => !selfDescribing.has(id))) {
    test(operation.id, () => {
      if (operation.body) {
        const check = ajv.compile(operation.body)
        assert.ok(check(operation.example), JSON.stringify(check.errors))
      }
      for (const [status, { body, example }] of Object.entries(operation.responses)) {
        if (!body) continue
        const check = ajv.compile(body)
        assert.ok(check(example), `${status}: ${JSON.stringify(check.errors)}`)
      }
    })
  }
})
