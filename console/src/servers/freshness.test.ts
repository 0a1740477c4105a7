import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CloudAccount } from '@muster/contract'
import { freshnessOf, isOverdue, isServerStale, isStale } from './freshness.ts'

const now = Date.parse('2026-05-04T12:00:00Z')
const synced = (time: string, host_service_status = 'online') => ({
  host_service_status,
  metadata: { 'sys:synced_at': time },
})

describe('the data of a server', () => {
  it('is stale after three missed syncs', () => {
    assert.equal(isServerStale(synced('2026-05-04T11:57:31.000000Z'), now, 50), false)
    assert.equal(isServerStale(synced('2026-05-04T11:57:29.000000Z'), now, 50), true)
  })

  it('is stale after a day if the sync interval is unknown', () => {
    assert.equal(isServerStale(synced('2026-05-03T12:00:01.000000Z'), now), false)
    assert.equal(isServerStale(synced('2026-05-03T11:59:59.000000Z'), now), true)
  })

  it('is stale if its source does not respond, whatever its age', () => {
    assert.equal(isServerStale(synced('2026-05-04T12:00:00.000000Z', 'offline'), now, 50), true)
  })

  it('is not stale if it was never synced', () => {
    assert.equal(isServerStale({ host_service_status: '', metadata: {} }, now, 50), false)
  })
})

describe('the freshness of an account', () => {
  const account = (status: CloudAccount['status'], finished_at: string | null) =>
    ({ status, period: 60, sync: { finished_at } }) as CloudAccount

  it('is late after three sync intervals', () => {
    assert.equal(freshnessOf(account('connected', '2026-05-04T11:57:00Z'), now), 'connected')
    assert.equal(freshnessOf(account('connected', '2026-05-04T11:56:59Z'), now), 'late')
    assert.equal(freshnessOf(account('connected', null), now), 'late')
    assert.equal(freshnessOf(account('degraded', '2026-05-04T11:57:00Z'), now), 'degraded')
    assert.equal(freshnessOf(account('degraded', '2026-05-04T11:56:59Z'), now), 'late')
  })

  it('is the API status if that is worse, or if the account is disabled', () => {
    for (const status of ['lost', 'disconnected', 'init', 'disabled'] as const) {
      assert.equal(freshnessOf(account(status, '2026-05-01T00:00:00Z'), now), status)
    }
    const all = ['lost', 'disconnected', 'late', 'init', 'connected', 'disabled'] as const
    assert.deepEqual(all.filter(isStale), ['lost', 'disconnected', 'late'])
  })

  it('is overdue after a day if the sync interval is unknown', () => {
    assert.equal(isOverdue('2026-05-03T12:00:01Z', now), false)
    assert.equal(isOverdue('2026-05-03T11:59:59Z', now), true)
    assert.equal(isOverdue(null, now), true)
  })
})
