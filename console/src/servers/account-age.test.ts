import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { CloudAccount } from '@muster/contract'
import { agesOfAccounts, agesOfTimes, timesOfRows } from './account-age.ts'

const now = Date.parse('2026-05-04T12:00:00Z')

const account = (name: string, finished_at: string | null, enabled = true) =>
  ({ name, enabled, status: 'connected', period: 60, sync: { finished_at } }) as CloudAccount

describe('the ages of accounts', () => {
  it('are sorted oldest first, without disabled accounts', () => {
    const ages = agesOfAccounts(
      [
        account('young', '2026-05-04T11:59:00Z'),
        account('never', null),
        account('off', '2026-01-01T00:00:00Z', false),
        account('old', '2026-05-04T11:00:00Z'),
      ],
      now,
    )
    assert.deepEqual(
      ages.map(({ name, freshness }) => `${name} ${freshness}`),
      ['never late', 'old late', 'young connected'],
    )
  })

  it('come from the loaded rows if accounts cannot be listed: the latest sync of each', () => {
    const row = (id: string, account: string, time: string) => ({
      id,
      account,
      metadata: { 'sys:synced_at': time },
    })
    const times = timesOfRows([
      row('1', 'a', '2026-05-04T11:00:00Z'),
      row('2', 'a', '2026-05-04T11:30:00Z'),
      row('3', 'b', '2026-05-01T00:00:00Z'),
      { id: '4' },
    ])
    assert.deepEqual(agesOfTimes(times, now), [
      { name: 'b', time: '2026-05-01T00:00:00Z', freshness: 'late' },
      { name: 'a', time: '2026-05-04T11:30:00Z', freshness: 'connected' },
    ])
  })
})
