import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { requestIdOrNew, makeRequestId } from './request-id.ts'

const made = /^req-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe('requestIdOrNew', () => {
  test('keeps a valid id', () => {
    for (const id of ['a', 'A.b_c-9', 'req-1', '-', '.', 'x'.repeat(128)]) {
      assert.equal(requestIdOrNew(id), id)
    }
  })

  test('replaces anything else', () => {
    const insane = [
      undefined,
      '',
      'x'.repeat(129),
      'a b',
      'a\n',
      'a\r\nSet-Cookie: x=1',
      'é',
      'a/b',
      'a, b',
      '<script>',
      '\u001B[31m',
      ['a', 'b'],
    ]
    for (const id of insane) assert.match(requestIdOrNew(id), made)
  })
})

test('makeRequestId returns a new id each time', () => {
  const ids = new Set(Array.from({ length: 100 }, makeRequestId))
  assert.equal(ids.size, 100)
  for (const id of ids) assert.match(id, made)
})
