import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createZonedTime } from '../../../../server/src/domain/zoned-time.ts'
import { countByHour, endOfHour, firstHour, shownHours } from './recent-changes.ts'

describe('recent changes', () => {
  const hour = 3_600_000
  const day = 24 * hour

  it('are counted for each hour, also for those without changes', () => {
    const now = Date.parse('2026-05-04T12:34:56Z')
    const first = firstHour(now)
    assert.equal(new Date(first).toISOString(), '2026-05-03T12:00:00.000Z')
    // As the API names hours.
    const hourOf = (time: string) => createZonedTime('UTC', 'time_zone')(Date.parse(time)).hour
    const group = (time: string, kind: string, count: number) => ({
      values: { hour: hourOf(time), kind },
      count,
    })
    const hours = countByHour(
      {
        groups: [
          group('2026-05-03T13:00:00Z', 'gone', 2),
          group('2026-05-04T12:34:00Z', 'gone', 3),
          group('2026-05-04T12:00:00Z', 'status', 9),
        ],
      },
      'gone',
      first,
    )
    assert.equal(hours.length, shownHours)
    assert.ok(first <= now - day && first + hour > now - day, 'the first hour has the begin')
    assert.deepEqual(
      hours.filter(({ count }) => count > 0).map(({ count }) => count),
      [2, 3],
    )
    const last = hours.at(-1)
    assert.ok(last && last.start <= now && endOfHour(last.start) > now)
  })
})
