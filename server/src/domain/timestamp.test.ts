import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { timestamp } from './timestamp.ts'

test('a timestamp is written in UTC with six decimals', () => {
  assert.equal(timestamp(0), '1970-01-01T00:00:00.000000Z')
  assert.equal(timestamp(Date.UTC(2026, 4, 4, 8, 9, 10, 7)), '2026-05-04T08:09:10.007000Z')
})

test('timestamps keep their milliseconds, and sort as text by time', () => {
  const moment = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31) })
  fc.assert(
    fc.property(moment, moment, (one, other) => {
      assert.match(timestamp(one), /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/)
      assert.equal(Date.parse(timestamp(one)), one)
      assert.equal(timestamp(one) < timestamp(other), one < other)
    }),
    { numRuns: 200 },
  )
})
