import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CloudAccount } from '@muster/contract'
import { isStale } from '../../servers/freshness.ts'
import { byAge } from './account-ages.ts'

const now = Date.parse('2026-05-04T12:00:00Z')

const account = (name: string, status: CloudAccount['status'], secondsAgo: number | null) =>
  ({
    name,
    status,
    period: 60,
    sync: {
      finished_at: secondsAgo === null ? null : new Date(now - secondsAgo * 1000).toISOString(),
    },
  }) as CloudAccount

describe('accounts by age', () => {
  it('stale accounts come first, the oldest sync first', () => {
    const accounts = [
      account('fresh-b', 'connected', 5),
      account('off', 'disabled', 99_999),
      account('fresh-a', 'connected', 5),
      account('failed', 'disconnected', 100),
      account('lost-lately', 'lost', 400),
      account('new', 'init', null),
      account('lost-never-seen', 'lost', null),
      account('lost-long', 'lost', 900),
      account('late', 'connected', 500),
    ]
    const ordered = byAge(accounts, now)
    assert.deepEqual(
      ordered.map(({ account }) => account.name),
      [
        'lost-never-seen',
        'lost-long',
        'lost-lately',
        'failed',
        'late',
        'new',
        'fresh-a',
        'fresh-b',
        'off',
      ],
    )
    assert.equal(ordered.filter(({ freshness }) => isStale(freshness)).length, 5)
  })
})
