import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dayTicks } from './day-ticks.ts'

const days = (first: string, count: number) =>
  Array.from({ length: count }, (_, at) =>
    new Date(Date.parse(first) + at * 86_400_000).toISOString().slice(0, 10),
  )

describe('labelled days', () => {
  it('are the first of each month', () => {
    const dates = days('2026-08-18', 90)
    assert.deepEqual(
      dayTicks(dates, 4).map((at) => dates[at]),
      ['2026-09-01', '2026-10-01', '2026-11-01'],
    )
  })

  it('are evenly spaced if no month starts', () => {
    assert.deepEqual(dayTicks(days('2026-08-02', 10), 4), [0, 3, 6, 9])
  })

  it('are limited in number', () => {
    for (const count of [0, 1, 2, 30, 90, 400]) {
      assert.ok(dayTicks(days('2026-01-15', count), 4).length <= 4)
    }
  })
})
