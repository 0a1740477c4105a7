import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { eventBars, eventRange } from './event-bars.ts'

const hour = 3_600_000
const now = new Date(2026, 4, 4, 8, 20).getTime()

describe('the range of a histogram of events', () => {
  it('is the last 30 days, or the filtered time', () => {
    assert.deepEqual(eventRange({}, now), {
      from: now - 30 * 24 * hour,
      until: now,
      interval: 'day',
    })
    assert.deepEqual(eventRange({ last: '24h' }, now), {
      from: now - 24 * hour,
      until: now,
      interval: 'hour',
    })
    const filters = { since: '2026-05-01T00:00:00Z', before: '2026-05-03T00:00:01Z' }
    assert.deepEqual(eventRange(filters, now), {
      from: Date.parse(filters.since),
      until: Date.parse(filters.before),
      interval: 'day',
    })
  })

  it('is at most a year', () => {
    const { from, until } = eventRange({ since: '2001-01-01T00:00:00Z' }, now)
    assert.equal(until - from, 366 * 24 * hour)
  })
})

describe('the bars of a histogram of events', () => {
  it('are one for each day of the user, also without an event', () => {
    const from = new Date(2026, 4, 2, 12).getTime()
    const bars = eventBars({ from, until: now, interval: 'day' }, [
      { start: '2026-05-02', count: 4, failed: 1 },
      { start: '2026-05-04', count: 2, failed: 0 },
    ])
    const days = [2, 3, 4, 5].map((day) => new Date(2026, 4, day).getTime())
    assert.deepEqual(bars, [
      { start: days[0], end: days[1], count: 4, failed: 1 },
      { start: days[1], end: days[2], count: 0, failed: 0 },
      { start: days[2], end: days[3], count: 2, failed: 0 },
    ])
  })

  it('are one for each hour of a short time', () => {
    const full = new Date(2026, 4, 4, 8).getTime()
    const range = { from: now - 2 * hour, until: now, interval: 'hour' } as const
    const start = new Date(full - hour).toISOString().replace('.000Z', '+00:00')
    assert.deepEqual(
      eventBars(range, [{ start, count: 3, failed: 0 }]).map(({ start: at, count }) => [at, count]),
      [
        [full - 2 * hour, 0],
        [full - hour, 3],
        [full, 0],
      ],
    )
  })
})
