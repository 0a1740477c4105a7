import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Sighting } from '../inventory/ports.ts'
import type { SyncRecord } from './account.ts'
import {
  beginScan,
  completeScan,
  failScan,
  initialState,
  isSuspended,
  markUnreachable,
  nextStep,
  postponeScan,
  requestScan,
  sourceClosed,
  startStored,
  watchFailed,
  type AccountState,
} from './account-state.ts'

const period = 60_000
const hold = 900_000
const random = () => 1
const counts = { seen: 3, created: 1, changed: 0, gone: 0 }
const timingAt = (now: number) => ({ now, period, random, hold })

const waiting = (sync: Partial<SyncRecord> = {}, now = 0): AccountState =>
  initialState({ ...counts, failures: 0, is_lost: false, next_at: 0, ...sync } as SyncRecord, now)

/** An account in the middle of a scan that began at this time. */
const scanning = (now: number, state = waiting()) => startStored(beginScan(state), now)

const scannedWith = (
  held: readonly Partial<Sighting>[] = [],
  vanished: readonly string[] = [],
) => ({
  counts,
  held: held as readonly Sighting[],
  vanishedIds: new Set(vanished),
})

describe('the state of an account', () => {
  test('passes through starting, scanning and recording, and waits for its period', () => {
    const phases = [beginScan(waiting()), scanning(5), sourceClosed(scanning(5))]
    assert.deepEqual(
      phases.map(({ phase, nextAt }) => [phase, nextAt]),
      [
        ['starting', Infinity],
        ['scanning', Infinity],
        ['recording', Infinity],
      ],
    )
    const complete = completeScan(sourceClosed(scanning(5)), scannedWith(), timingAt(100))
    assert.deepEqual([complete.phase, complete.nextAt], ['waiting', 100 + period])
  })

  test('scans when due, and is marked unreachable once after three periods without an answer', () => {
    const state = waiting({ next_at: 10 * period })
    const stepAt = (now: number, from = state) => nextStep(from, timingAt(now))
    assert.deepEqual(stepAt(1), { kind: 'sleep', until: 3 * period })
    assert.deepEqual(stepAt(3 * period), { kind: 'mark-unreachable' })
    const marked = markUnreachable(state)
    assert.deepEqual(stepAt(3 * period, marked), { kind: 'sleep', until: 10 * period })
    assert.deepEqual(stepAt(10 * period, marked), { kind: 'scan' })
    const complete = completeScan(scanning(1, marked), scannedWith(), timingAt(2))
    assert.equal(complete.isUnreachable, false)
  })

  test('backs off longer with each failure, and is suspended after five', () => {
    let state = waiting({ next_at: Infinity })
    const delays = Array.from({ length: 6 }, () => {
      state = failScan(scanning(0, state), new Error('no answer'), timingAt(0))
      return [state.nextAt, isSuspended(state)]
    })
    assert.deepEqual(delays, [
      [5_000, false],
      [10_000, false],
      [20_000, false],
      [40_000, false],
      [60_000, true],
      [60_000, true],
    ])
    const complete = completeScan(scanning(1, state), scannedWith(), timingAt(2))
    assert.deepEqual([complete.failures, complete.isAfterFailure], [0, false])
  })

  test('keeps the counts of the last complete scan when one fails', () => {
    const failed = failScan(scanning(0), new Error('no answer'), timingAt(0))
    assert.deepEqual(failed.counts, counts)
  })

  test('counts no failure when the storage does not accept the result', () => {
    const postponed = postponeScan(scanning(0, waiting({ failures: 2 })), timingAt(7))
    const { phase, failures, nextAt, answeredAt } = postponed
    assert.deepEqual([phase, failures, nextAt, answeredAt], ['waiting', 2, 7 + 5_000, 7])
  })

  test('scans again at its period while a region has vanished, with an error', () => {
    const complete = completeScan(scanning(0), scannedWith([], ['a']), timingAt(0))
    assert.deepEqual([complete.failures, complete.nextAt], [1, period])
  })

  test('scans when the hold of a missing server ends, if that is before its period', () => {
    const held = [{ missed: 3, missingSince: 1_000 - hold }]
    const complete = completeScan(scanning(0), scannedWith(held), timingAt(0))
    assert.equal(complete.nextAt, 1_000)
  })

  test('runs a request at once, ignores later due times, and runs requests during a scan after it', () => {
    const state = waiting({ next_at: 100 })
    assert.equal(requestScan(state, 50).nextAt, 50)
    assert.equal(requestScan(state, 100), state)
    const requested = requestScan(scanning(1), 2)
    assert.equal(completeScan(requested, scannedWith(), timingAt(3)).nextAt, 2)
  })

  test('ignores a request that was read before the scan began', () => {
    const starting = beginScan(waiting())
    assert.equal(requestScan(starting, 0, 1), starting)
    const state = scanning(5)
    assert.equal(requestScan(state, 0, 5), state)
    assert.equal(requestScan(state, 0, 6).nextAt, 0)
  })

  test('scans when the event stream fails, unless a scan is running or failed with the same error', () => {
    const error = new Error('connection lost')
    const state = waiting({ next_at: Infinity })
    assert.equal(watchFailed(state, error, 9).nextAt, 9)
    const underWay = scanning(1)
    assert.equal(watchFailed(underWay, error, 9), underWay)
    const failed = failScan(underWay, error, timingAt(10))
    assert.equal(watchFailed(failed, error, 11), failed)
    assert.equal(watchFailed(failed, new Error('another'), 11).nextAt, 11)
  })
})
