import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { keyExpiry } from './key-expiry.ts'

const now = Date.parse('2026-05-04T08:00:00.500Z')

describe('the expiry of an access key', () => {
  it('is the given number of days from now', () => {
    assert.equal(keyExpiry('30', '', now), '2026-06-03T08:00:00Z')
  })

  it('may be never', () => {
    assert.equal(keyExpiry('never', '2026-05-05T08:00', now), null)
  })

  it('may be a date, which is required then', () => {
    const local = new Date(2026, 4, 5, 8, 0)
    assert.equal(keyExpiry('date', '2026-05-05T08:00', now), `${local.toISOString().slice(0, 19)}Z`)
    assert.equal(keyExpiry('date', '', now), undefined)
  })
})
