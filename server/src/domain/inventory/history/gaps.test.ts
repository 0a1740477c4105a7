import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ServerChange } from '@muster/contract'
import { timestamp } from '../../timestamp.ts'
import { background } from '../ports.ts'
import { containsMoment, createMarkChanges, notObservedSince, type Gap } from './gaps.ts'

const gap = (changes: Partial<Gap> = {}): Gap => ({
  accountId: 'a',
  region: '',
  from: 100,
  until: 200,
  ...changes,
})

void describe('gaps', () => {
  test('contain the moments between two scans', () => {
    for (const [given, times] of [
      [gap(), { 99: false, 100: false, 101: true, 199: true, 200: false }],
      [gap({ from: null }), { 1: true, 199: true, 200: false }],
      [gap({ until: null }), { 100: false, 101: true, 9_999: true }],
    ] as const) {
      for (const [time, expected] of Object.entries(times)) {
        assert.equal(containsMoment(given, Number(time)), expected, JSON.stringify([given, time]))
      }
    }
  })

  test('tell since when nobody had looked, of the account and of the region of a server', () => {
    const west = gap({ region: 'west', from: 50, until: 300 })
    for (const [gaps, at, expected] of [
      [[gap()], {}, 100],
      // The scan at the end of the gap has found it.
      [[gap()], { time: 200 }, 100],
      [[gap()], { time: 100 }, null],
      [[gap()], { time: 201 }, null],
      [[gap()], { accountId: 'b' }, null],
      [[gap({ until: null })], { time: 900 }, 100],
      [[west], {}, null],
      [[west, gap()], {}, 100],
      [[west, gap()], { region: 'west' }, 50],
      [[west, gap()], { region: 'west', time: 250 }, 50],
      // Before the first scan of an account, nothing was observed that could have changed.
      [[gap({ from: null })], {}, null],
      [[gap(), gap({ from: null, region: 'west' })], { region: 'west' }, null],
    ] as const) {
      const found = notObservedSince(gaps, { accountId: 'a', region: '', time: 150, ...at })
      assert.equal(found, expected, JSON.stringify([gaps, at]))
    }
  })

  test('mark what sources reported, but not what people did', async () => {
    const asked: unknown[] = []
    const markChanges = createMarkChanges({
      gaps: {
        async between(times, _, accountIds) {
          asked.push([times, accountIds])
          return [gap()]
        },
      },
      clock: () => 999,
    })
    const change = (time: number, changes: Partial<ServerChange> = {}) => ({
      change: {
        time: timestamp(time),
        account_id: 'a',
        request_id: '',
        kinds: ['status'],
        task_id: '',
        not_observed_since: null,
        ...changes,
      } as ServerChange,
      region: '',
    })
    const found = [
      change(150),
      change(250),
      change(150, { request_id: 'req-1' }),
      change(150, { task_id: 'task' }),
      change(150, { kinds: ['check'] }),
      change(160, { account_id: 'b' }),
    ]
    const marked = await markChanges(found, background)
    assert.deepEqual(
      marked.map((each) => each.not_observed_since),
      [timestamp(100), null, null, null, null, null],
    )
    assert.deepEqual(asked, [[{ from: 150, until: 250, now: 999 }, ['a', 'b']]])
    await markChanges([change(150, { request_id: 'req-1' })], background)
    assert.equal(asked.length, 1, 'nothing to ask')
  })
})
