import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fromLocalDateTime, toLocalDateTime } from './local-date-time.ts'

const minute = 60_000

describe('datetime-local values', () => {
  it('survive a round trip, to the minute', () => {
    const minutes = fc.integer({ min: 0, max: Date.UTC(2100, 0) / minute })
    fc.assert(
      fc.property(minutes, (count) => {
        const time = `${new Date(count * minute).toISOString().slice(0, 19)}Z`
        const back = fromLocalDateTime(toLocalDateTime(time))
        // An hour repeats when clocks go back.
        const off = Math.abs(Date.parse(back ?? '') - Date.parse(time))
        assert.ok(off === 0 || off === 60 * minute)
      }),
    )
  })

  it('are in local time', () => {
    const at = new Date(2026, 4, 4, 8, 5)
    assert.equal(toLocalDateTime(at.toISOString()), '2026-05-04T08:05')
  })

  it('may be empty', () => {
    assert.equal(toLocalDateTime(null), '')
    assert.equal(fromLocalDateTime(''), undefined)
    assert.equal(fromLocalDateTime('soon'), undefined)
  })
})
