import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventDto } from '@muster/contract'
import { withoutRepeats } from './without-repeats.ts'

const entry = (values: Partial<EventDto>) =>
  ({
    time: '2026-05-04T08:00:00.000000Z',
    user_id: 'olga',
    action: 'update',
    result: 'success',
    record: 'event',
    changes: { 'user:env': [null, 'prod'] },
    ...values,
  }) as EventDto

test('an event that a change of the same person repeats is left out', () => {
  const change = entry({ record: 'change', time: '2026-05-04T08:00:01.000000Z' })
  assert.deepEqual(withoutRepeats([change, entry({})]), [change])
})

test('other events stay', () => {
  const change = entry({ record: 'change' })
  for (const other of [
    entry({ user_id: 'mary' }),
    entry({ action: 'stop' }),
    entry({ result: 'failure' }),
    entry({ time: '2026-05-04T08:01:00.000000Z' }),
    entry({ changes: { 'user:env': [null, 'test'] } }),
    entry({ changes: { 'user:env': [null, 'prod'], 'user:team': [null, 'web'] } }),
  ]) {
    assert.deepEqual(withoutRepeats([change, other]), [change, other])
  }
})
