import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { AccountSync } from '@muster/contract'
import { pollingInterval } from './account-polling.ts'

const now = Date.parse('2026-05-04T08:00:00.000000Z')
const account = (state: AccountSync['state'], next_at: string | null) => ({
  sync: {
    state,
    next_at,
    started_at: null,
    finished_at: null,
    duration_ms: 0,
    seen: 0,
    created: 0,
    changed: 0,
    gone: 0,
    error: '',
    error_field: '' as const,
    failing_since: null,
    warnings: [],
  },
})

describe('the polling interval of accounts', () => {
  it('is at most three seconds while a sync is queued or running', () => {
    const later = account('idle', '2026-05-04T09:00:00.000000Z')
    for (const state of ['queued', 'running'] as const) {
      assert.ok(
        pollingInterval([later, account(state, '2026-05-04T08:00:00.000000Z')], now) <= 3_000,
      )
    }
  })

  it('waits until the next sync is due', () => {
    const next = [account('idle', '2026-05-04T08:00:20.000000Z'), account('idle', null)]
    assert.equal(pollingInterval(next, now), 21_000)
  })

  it('is between three seconds and one minute', () => {
    assert.equal(pollingInterval([], now), 60_000)
    assert.equal(pollingInterval([account('idle', null)], now), 60_000)
    assert.equal(pollingInterval([account('idle', '2026-05-04T09:00:00.000000Z')], now), 60_000)
    assert.equal(pollingInterval([account('idle', '2026-05-04T07:59:00.000000Z')], now), 3_000)
  })
})
