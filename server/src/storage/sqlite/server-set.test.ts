import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { serverSet } from './server-set.ts'

test('a set of servers has a 1 at each number on the list, and 0 elsewhere', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5_000 })), (numbers) => {
      const bytes = [...serverSet(numbers.join())]
      assert.equal(bytes.length, Math.max(1, ...numbers))
      assert.deepEqual(
        bytes.flatMap((byte, at) => (byte === 1 ? [at + 1] : [])),
        [...new Set(numbers)].toSorted((a, b) => a - b),
      )
    }),
  )
})
