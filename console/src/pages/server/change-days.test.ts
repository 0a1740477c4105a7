import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { daysUntil, endOfDay, shownDays } from './change-days.ts'

const now = new Date('2026-05-04T15:30').getTime()

describe('the days of the changes of a server', () => {
  it('are the last ones, also those without changes', () => {
    const days = daysUntil(now, [
      { values: { day: '2026-05-04' }, count: 2 },
      { values: { day: '2026-04-06' }, count: 1 },
      { values: { day: '2025-01-01' }, count: 9 },
    ])
    assert.equal(days.length, shownDays)
    assert.deepEqual(days.at(-1), { date: '2026-05-04', count: 2 })
    assert.deepEqual(days[1], { date: '2026-04-06', count: 1 })
    assert.equal(new Set(days.map(({ date }) => date)).size, shownDays)
    assert.equal(
      days.reduce((sum, { count }) => sum + count, 0),
      3,
    )
  })

  it('end with their last minute, and today with the last one', () => {
    const at = (text: string) => new Date(text).getTime()
    assert.equal(Date.parse(endOfDay('2026-05-03', now)), at('2026-05-03T23:59'))
    assert.equal(Date.parse(endOfDay('2026-05-04', now)), at('2026-05-04T15:29'))
  })
})
