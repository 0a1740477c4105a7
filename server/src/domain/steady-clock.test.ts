import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newEventId, timePart } from './audit/event.ts'
import { createSteadyClock, moreExact } from './steady-clock.ts'

const hour = 3_600_000
const day = 24 * hour

/** The time after some time has passed and the machine's clock was set. */
function startAt(own: number) {
  const state = { own, passed: 0 }
  const warnings: string[] = []
  const clock = createSteadyClock(
    () => undefined,
    (message) => warnings.push(message),
    () => state.own,
    () => state.passed,
  )
  const after = (passed: number, time: number) => {
    state.passed += passed
    state.own = time
    return clock()
  }
  assert.equal(clock(), own)
  return { after, warnings }
}

describe('a steady clock', () => {
  test('REL-10: follows its clock forward, and not 10 minutes back', () => {
    const { after, warnings } = startAt(10 * hour)
    const step = 600_000
    assert.equal(after(hour, 11 * hour), 11 * hour)
    assert.equal(after(0, 11 * hour - step), 11 * hour)
    assert.equal(after(step, 11 * hour), 11 * hour + step / 2)
    assert.equal(after(step, 11 * hour + step), 11 * hour + step, 'it has caught up')
    assert.equal(after(hour, 12 * hour + step), 12 * hour + step)
    assert.deepEqual(warnings, [])
  })

  test('REL-10: keeps nothing of a clock that was 190 days ahead', () => {
    const { after, warnings } = startAt(10 * hour)
    assert.equal(after(1, 190 * day), 190 * day)
    const right = after(500, 10 * hour + 501)
    assert.equal(right, 10 * hour + 501)
    assert.ok(newEventId(right).startsWith(timePart(10 * hour + 501)))
    assert.equal(after(hour, 11 * hour), 11 * hour)
    assert.deepEqual(warnings, [
      'the clock was set back by 273000 minutes; times recorded before may be wrong',
    ])
  })

  test('REL-10: shows the time of the database, whatever the clock of this machine', () => {
    const state = { passed: 5_000 }
    const clock = createSteadyClock(
      () => ({ time: 10 * hour, takenAt: 4_000, uncertainty: 3 }),
      assert.fail,
      () => 99 * hour,
      () => state.passed,
    )
    assert.equal(clock(), 10 * hour + 1_000)
    state.passed += 0.5
    assert.equal(clock(), 10 * hour + 1_000, 'whole milliseconds')
  })

  test('continues an exact reading instead of one that took long, for ten seconds', () => {
    const reading = (takenAt: number, uncertainty: number) => ({ time: 0, takenAt, uncertainty })
    const exact = reading(0, 2)
    const slow = reading(9_000, 800)
    assert.equal(moreExact(slow, undefined), slow)
    assert.equal(moreExact(slow, exact), exact)
    assert.equal(moreExact(exact, slow), exact)
    const later = reading(11_000, 800)
    assert.equal(moreExact(later, exact), later)
  })
})
