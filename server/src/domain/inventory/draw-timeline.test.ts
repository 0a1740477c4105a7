import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { dayOf, drawTimeline } from './draw-timeline.ts'
import type { Sum } from './ports.ts'

const today = dayOf(Date.UTC(2026, 10, 15, 23, 59))

const sumOf = (count: number): Sum => ({
  count,
  vcpu_count: 2 * count,
  vmem_size: 1024 * count,
  disk: 10 * count,
})

/** How many, by how many days ago. */
const ago = (counts: Readonly<Record<number, number>>) =>
  new Map(Object.entries(counts).map(([days, count]) => [today - Number(days), sumOf(count)]))

const nothing = ago({})

/** One line with a number for each day, and a question mark after estimates. */
const draw = (days: number, now: number, counted = nothing, made = nothing) =>
  drawTimeline(today, days, { now: sumOf(now), counted, made })
    .map(({ count, estimated }) => `${count}${estimated ? '?' : ''}`)
    .join(' ')

describe('the timeline', () => {
  test('has a point for each day until today, oldest first, in UTC', () => {
    const points = drawTimeline(today, 3, { now: sumOf(5), counted: ago({ 1: 4 }), made: nothing })
    assert.deepEqual(
      points.map(({ date }) => date),
      ['2026-11-13', '2026-11-14', '2026-11-15'],
    )
    assert.deepEqual(points.slice(1), [
      { date: '2026-11-14', ...sumOf(4), estimated: false },
      { date: '2026-11-15', ...sumOf(5), estimated: false },
    ])
    assert.equal(draw(1, 5), '5')
  })

  test('estimates from the current servers if there are no counts', () => {
    assert.equal(draw(5, 9, nothing, ago({ 100: 3, 3: 2, 1: 4 })), '3? 5? 5? 9? 9')
    assert.equal(draw(3, 0), '0? 0? 0')
    // What was made today was not there yesterday.
    assert.equal(draw(3, 7, nothing, ago({ 0: 6, 9: 1 })), '1? 1? 7')
  })

  test('uses the stored counts from the first one on', () => {
    const made = ago({ 100: 3, 3: 2, 1: 4 })
    assert.equal(draw(5, 9, ago({ 2: 40, 1: 30 }), made), '3? 5? 40 30 9')
    // Today is as it is now, whatever was counted this morning.
    assert.equal(draw(3, 9, ago({ 0: 2 }), made), '5? 9? 9')
  })

  test('repeats the last count for days without one', () => {
    assert.equal(draw(5, 9, ago({ 4: 6, 2: 8 })), '6 6? 8 8? 9')
    // The last one may be from before the first day that is asked for.
    assert.equal(draw(3, 9, ago({ 8: 5, 7: 6, 1: 7 })), '6? 7 9')
    assert.equal(draw(3, 9, ago({ 7: 6, 8: 5 }), ago({ 2: 1 })), '6? 6? 9')
  })

  test('sums every figure of an estimate', () => {
    const [point] = drawTimeline(today, 2, {
      now: sumOf(9),
      counted: nothing,
      made: ago({ 5: 3, 1: 4 }),
    })
    assert.deepEqual(point, { date: '2026-11-14', ...sumOf(7), estimated: true })
  })
})
