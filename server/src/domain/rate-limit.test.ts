import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { PlatformError } from './error.ts'
import { createRateLimit } from './rate-limit.ts'

const minute = 60_000
const start = Date.UTC(2026, 0, 1)

const limitOf = (perMinute: number) => createRateLimit(perMinute, 'Too many.')
type Limit = ReturnType<typeof limitOf>

/** The `Retry-After` of a refused key in seconds; undefined for an accepted one. */
function waitOf(limit: Limit, key: string, now: number): number | undefined {
  try {
    limit.demand(key, now)
  } catch (error) {
    assert.ok(error instanceof PlatformError)
    assert.deepEqual([error.class, error.status], ['TooManyRequests', 429])
    return error.retryAfter
  }
  return undefined
}

const countTimes = (limit: Limit, key: string, times: number, now: number) => {
  for (let index = 0; index < times; index += 1) limit.count(key, now)
}

describe('createRateLimit', () => {
  test('allows the limit per minute and rejects the next', () => {
    const limit = limitOf(3)
    for (let index = 0; index < 3; index += 1) {
      assert.equal(waitOf(limit, 'a', start + index), undefined)
      limit.count('a', start + index)
    }
    assert.ok((waitOf(limit, 'a', start + 3) ?? 0) >= 1)
  })

  test('does not count a check', () => {
    const limit = limitOf(1)
    for (let index = 0; index < 10; index += 1) assert.equal(waitOf(limit, 'a', start), undefined)
  })

  test('counts each key separately', () => {
    const limit = limitOf(1)
    limit.count('a', start)
    assert.ok(waitOf(limit, 'a', start))
    assert.equal(waitOf(limit, 'b', start), undefined)
  })

  test('0 means no limit', () => {
    const limit = limitOf(0)
    countTimes(limit, 'a', 1_000, start)
    assert.equal(waitOf(limit, 'a', start), undefined)
  })

  test('does not allow twice the limit around a full minute', () => {
    const limit = limitOf(100)
    const beforeTheTurn = start + minute - 1
    countTimes(limit, 'a', 100, beforeTheTurn)
    assert.ok(waitOf(limit, 'a', start + minute))
    let admitted = 0
    for (let now = start + minute; now < start + minute + 1_000; now += 10) {
      if (waitOf(limit, 'a', now) !== undefined) continue
      admitted += 1
      limit.count('a', now)
    }
    assert.ok(admitted <= 2, `${admitted} more within a second`)
  })

  test('allows the whole limit again after two quiet minutes', () => {
    const limit = limitOf(10)
    countTimes(limit, 'a', 10, start)
    assert.equal(waitOf(limit, 'a', start + 2 * minute), undefined)
    countTimes(limit, 'a', 9, start + 2 * minute)
    assert.equal(waitOf(limit, 'a', start + 2 * minute), undefined)
  })

  test('Retry-After is a whole number of seconds, at least one', () => {
    const limit = limitOf(1)
    limit.count('a', start + minute - 1)
    assert.equal(waitOf(limit, 'a', start + minute - 1), 1)
    assert.ok(Number.isInteger(waitOf(limit, 'a', start + minute - 1)))
  })

  test('allows a request after the time that Retry-After gives', () => {
    const moment = fc.integer({ min: 0, max: 2 * minute - 1 })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 100 }),
        fc.array(moment, { minLength: 1, maxLength: 150 }),
        moment,
        (perMinute, counts, asked) => {
          const limit = limitOf(perMinute)
          for (const at of [...counts].sort((left, right) => left - right)) {
            limit.count('a', start + at)
          }
          const now = start + Math.max(asked, ...counts)
          const wait = waitOf(limit, 'a', now)
          if (wait === undefined) return
          assert.equal(waitOf(limit, 'a', now + wait * 1_000), undefined)
        },
      ),
      { numRuns: 150 },
    )
  })

  test('REL-19: stores a bounded number of keys', () => {
    const limit = limitOf(1)
    limit.count('first', start)
    for (let index = 0; index < 100_000; index += 1) limit.count(`k${index}`, start)
    assert.equal(waitOf(limit, 'first', start), undefined)
    assert.ok(waitOf(limit, 'k99999', start))
  })
})
