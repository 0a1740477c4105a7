import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRequestKeys } from './request-keys.ts'

test('a repeated request keeps its key, another request has its own', () => {
  const keys = createRequestKeys()
  const first = keys.keyOf({ action: 'stop', params: {} })
  assert.equal(keys.keyOf({ action: 'stop', params: {} }), first)
  assert.notEqual(keys.keyOf({ action: 'stop', params: { is_force: true } }), first)
})

test('after a response the same request is a new one', () => {
  const keys = createRequestKeys()
  const first = keys.keyOf('start')
  keys.forget()
  assert.notEqual(keys.keyOf('start'), first)
})
