import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createSteadyClock } from './steady-clock.ts'

const hour = 3_600_000

describe('a steady clock', () => {
  test('REL-10: follows its clock forward, and never goes back', () => {
    const state = { own: 10 * hour, passed: 0 }
    const clock = createSteadyClock(
      () => undefined,
      () => state.own,
      () => state.passed,
    )
    const after = (passed: number, own: number) => {
      state.passed += passed
      state.own = own
      return clock()
    }
    assert.equal(clock(), 10 * hour)
    assert.equal(after(hour, 11 * hour), 11 * hour)
    assert.equal(after(0, 10 * hour), 11 * hour)
    assert.equal(after(hour, 11 * hour), 11.5 * hour)
    assert.equal(after(hour, 12 * hour), 12 * hour, 'it has caught up')
    assert.equal(after(hour, 13 * hour), 13 * hour)
  })

  test('REL-10: shows the time of the database, whatever the clock of this machine', () => {
    const state = { passed: 5_000 }
    const clock = createSteadyClock(
      () => ({ time: 10 * hour, takenAt: 4_000, uncertainty: 3 }),
      () => 99 * hour,
      () => state.passed,
    )
    assert.equal(clock(), 10 * hour + 1_000)
    state.passed += 0.5
    assert.equal(clock(), 10 * hour + 1_000, 'whole milliseconds')
  })
})
