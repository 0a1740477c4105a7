import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Sighting } from '../inventory/ports.ts'
import type { SyncRecord } from './account.ts'
import { SourceError } from './source-error.ts'
import type { FailedPart } from './source.ts'
import {
  beginScan,
  completeScan,
  failScan,
  initialState,
  isPartSilent,
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
  initialState(
    { ...counts, failures: 0, is_unreachable: false, next_at: 0, ...sync } as SyncRecord,
    now,
  )

/** An account in the middle of a scan that began at this time. */
const scanning = (now: number, state = waiting()) => startStored(beginScan(state), now)

const scannedWith = (
  held: readonly Partial<Sighting>[] = [],
  failed: readonly FailedPart[] = [],
) => ({ counts, held: held as readonly Sighting[], failed })

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

  test('counts no failure while a region fails, and knows when each region was last read', () => {
    const failedIn = (...regions: readonly string[]) =>
      scannedWith(
        [],
        regions.map((region) => ({ region, error: new SourceError('failed', 'It failed.') })),
      )
    const silentAt = (state: AccountState, region: string) =>
      [...Array(100).keys()].find((number) =>
        isPartSilent(state, failedIn(region).failed[0] as FailedPart, {
          now: (number * period) / 2,
          period,
        }),
      )
    const first = completeScan(scanning(0), failedIn(), timingAt(2 * period))
    const second = completeScan(scanning(0, first), failedIn('a'), timingAt(3 * period))
    assert.deepEqual([second.failures, second.isUnreachable, second.nextAt], [0, false, 4 * period])
    const third = completeScan(scanning(0, second), failedIn('a', 'b'), timingAt(4.5 * period))
    // Three periods after the last scan that read it: the first one for a, the second one for b.
    assert.deepEqual(
      [silentAt(third, 'a'), silentAt(third, 'b'), third.nextAt],
      [10, 12, 5 * period],
    )
    const failed = failScan(scanning(0, third), new Error('no answer'), timingAt(5 * period))
    assert.equal(silentAt(failed, 'a'), 10)
    const last = completeScan(scanning(0, failed), failedIn('b'), timingAt(5.5 * period))
    assert.deepEqual([silentAt(last, 'a'), silentAt(last, 'b')], [17, 12])
    // Details of servers that were read are not missing.
    const detail = { ...(failedIn('a').failed[0] as FailedPart), hasServers: true }
    const read = completeScan(scanning(0, last), scannedWith([], [detail]), timingAt(6 * period))
    assert.deepEqual(read.failing, [])
  })

  test('does not scan at once when a hold is over that did not end in a removal', () => {
    const held = [{ missed: 3, missingSince: -2 * hold }]
    assert.equal(completeScan(scanning(0), scannedWith(held), timingAt(0)).nextAt, period)
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
