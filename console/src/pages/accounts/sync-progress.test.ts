import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { shareOf } from './sync-progress.ts'

const account = (finished_at: string | null, seen = 0, servers = 0) => ({
  servers,
  sync: {
    state: 'running' as const,
    started_at: null,
    finished_at,
    duration_ms: 0,
    seen,
    created: 0,
    changed: 0,
    gone: 0,
    error: '',
    error_field: '' as const,
    failing_since: null,
    warnings: [],
    next_at: null,
  },
})

describe('sync progress', () => {
  it('is relative to the server count of the previous sync', () => {
    assert.equal(shareOf(account('2026-05-04T07:59:00.000000Z', 50, 200)), 0.25)
    assert.equal(shareOf(account('2026-05-04T07:59:00.000000Z', 300, 200)), 1)
  })

  it('is unknown for the first sync, and if the previous one read no servers', () => {
    assert.equal(shareOf(account(null, 50, 50)), undefined)
    assert.equal(shareOf(account('2026-05-04T07:59:00.000000Z', 5, 0)), undefined)
  })
})
