import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { groupByDay, localDate } from './group-by-day.ts'

const at = (local: string) => ({ time: new Date(local).toISOString() })

describe('days of the history', () => {
  it("are the reader's own, not those of UTC", () => {
    assert.equal(localDate(at('2026-05-04T00:00:01').time), '2026-05-04')
    assert.equal(localDate(at('2026-05-04T23:59:59').time), '2026-05-04')
    assert.equal(localDate(at('2026-01-02T12:00:00').time), '2026-01-02')
  })

  it('contain their events in order', () => {
    const [late, noon, early, before] = [
      at('2026-05-04T23:00:00'),
      at('2026-05-04T12:00:00'),
      at('2026-05-04T00:00:01'),
      at('2026-05-03T23:59:59'),
    ]
    assert.deepEqual(groupByDay([late, noon, early, before]), [
      { date: '2026-05-04', items: [late, noon, early] },
      { date: '2026-05-03', items: [before] },
    ])
    assert.deepEqual(groupByDay([]), [])
  })
})
