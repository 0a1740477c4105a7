import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PlatformError } from '../error.ts'
import { everyServer, type Field } from './condition.ts'
import { readMarker as read, writeMarker } from '../query/marker.ts'
import { fields as kinds } from './fields.ts'
import type { Order } from './server-list/server-query.ts'

type Asked = Parameters<typeof writeMarker<Field>>[0]
const readMarker = (text: string, asked: Asked) => read(kinds, text, asked)

const orders = (...fields: Order['field'][]): Order[] =>
  fields.map((field) => ({ field, descending: true }))
const query = (changes: Partial<Asked> = {}): Asked => ({
  scope: undefined,
  state: 'live',
  where: everyServer,
  order: orders('created_at'),
  ...changes,
})

const forged = (asked: Asked, ...rest: unknown[]) => {
  const [digest] = JSON.parse(
    Buffer.from(writeMarker(asked, { keys: [1], id: 'a' }), 'base64url').toString(),
  ) as string[]
  return Buffer.from(JSON.stringify([digest, ...rest])).toString('base64url')
}

const refuses = (text: string, asked: Asked) =>
  assert.throws(
    () => readMarker(text, asked),
    (error) => error instanceof PlatformError && error.fields?.[0]?.path === 'marker',
    text,
  )

describe('a marker', () => {
  test('decodes to the position it was made from', () => {
    const asked = query({ order: orders('name', 'expired_at', 'vcpu_count') })
    for (const keys of [
      ['web', null, 8],
      ['', -1, 0],
      ['漢字 "😀"\\', 2 ** 52, 1],
    ]) {
      const marker = writeMarker(asked, { keys, id: 'some id' })
      assert.match(marker, /^[A-Za-z0-9_-]+$/)
      assert.deepEqual(readMarker(marker, asked), { keys, id: 'some id' })
    }
  })

  test('depends on the filter and the order, not on the fields shown', () => {
    const position = { keys: [5], id: 'a' }
    const marker = writeMarker(query(), position)
    assert.deepEqual(readMarker(marker, { ...query(), limit: 5, details: true } as Asked), position)
    refuses(marker, query({ resource: 'hosts' }))
    refuses(marker, query({ scope: 'system' }))
    refuses(marker, query({ state: 'deleted' }))
    refuses(marker, query({ where: { kind: 'search', text: 'x' } }))
    refuses(marker, query({ order: [{ field: 'created_at', descending: false }] }))
    refuses(marker, query({ order: orders('updated_at') }))
  })

  test('that a client made itself can only hold values of the sort fields', () => {
    const asked = query()
    assert.deepEqual(readMarker(forged(asked, null, 'a'), asked), { keys: [null], id: 'a' })
    const bad: unknown[][] = [
      [],
      ['a'],
      [1],
      [1, 2],
      [1, 2, 'a'],
      ['1', 'a'],
      [1.5, 'a'],
      [true, 'a'],
      [{}, 'a'],
      [[1], 'a'],
      [1, 'a\0'],
      [1, null],
    ]
    for (const rest of bad) refuses(forged(asked, ...rest), asked)
    const texts = query({ order: orders('name') })
    for (const key of [1, null, 'a\0', {}, []]) refuses(forged(texts, key, 'a'), texts)
    const numbers = query({ order: orders('vcpu_count') })
    for (const key of ['1', null, 2 ** 53]) refuses(forged(numbers, key, 'a'), numbers)
  })

  test('that is invalid gives one and the same error', () => {
    for (const text of [
      '',
      'x',
      '%%%',
      'W10',
      'bnVsbA',
      'e30',
      'IiI',
      'MQ',
      '[]',
      'a'.repeat(4096),
    ])
      refuses(text, query())
  })
})
