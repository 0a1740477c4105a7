import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { SourceError } from './source-error.ts'
import { backoffDelay, nextScanDelay } from './backoff.ts'

const [least, most] = [() => 0, () => 0.999_999]
const second = 1_000

describe('the delay after a failure', () => {
  test('doubles with each failure', () => {
    const waits = [1, 2, 3, 4].map((failures) => backoffDelay(failures, 3_600 * second, most))
    assert.deepEqual(waits, [5_000, 10_000, 20_000, 40_000])
  })

  test('is random between half and all of it, so that accounts do not retry together', () => {
    assert.equal(backoffDelay(3, 3_600 * second, least), 10_000)
    assert.equal(backoffDelay(3, 3_600 * second, most), 20_000)
  })

  test('is at most a minute for an account with a shorter period', () => {
    for (const period of [5, 30, 60]) assert.equal(backoffDelay(99, period * second, most), 60_000)
  })

  test('is at most the period for others, and at most 15 minutes', () => {
    assert.equal(backoffDelay(99, 300 * second, most), 300_000)
    assert.equal(backoffDelay(99, 86_400 * second, most), 900_000)
  })

  test('is a valid timeout after any number of failures', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e9 }),
        fc.integer({ min: 5, max: 86_400 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (failures, period, random) => {
          const wait = backoffDelay(failures, period * second, () => random)
          assert.ok(Number.isInteger(wait) && wait >= 2_500 && wait <= 900_000)
          assert.ok(wait <= backoffDelay(failures, period * second, most))
        },
      ),
    )
  })
})

test('scheduled scans are due slightly before the period, at random', () => {
  assert.equal(nextScanDelay(30 * second, least), 27_000)
  assert.equal(nextScanDelay(30 * second, most), 30_000)

  test('after wrong credentials, is too long to lock a user', () => {
    const refused = new SourceError('credentials', 'x')
    const delays = [1, 2, 3, 9].map((failures) => backoffDelay(failures, 30_000, () => 1, refused))
    assert.deepEqual(delays, [60_000, 120_000, 240_000, 300_000])
    assert.equal(
      backoffDelay(1, 30_000, () => 1, new SourceError('tls', 'x')),
      5_000,
    )
  })
})
