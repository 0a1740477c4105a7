import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { fromLocalMoment, toLocalMoment } from './local-moment.ts'

const minute = 60_000

describe('a moment in a form', () => {
  it('comes back as it went in, to the minute', () => {
    const minutes = fc.integer({ min: 0, max: Date.UTC(2100, 0) / minute })
    fc.assert(
      fc.property(minutes, (count) => {
        const time = `${new Date(count * minute).toISOString().slice(0, 19)}Z`
        const back = fromLocalMoment(toLocalMoment(time))
        // An hour is there twice when clocks go back.
        const off = Math.abs(Date.parse(back ?? '') - Date.parse(time))
        assert.ok(off === 0 || off === 60 * minute)
      }),
    )
  })

  it('is local', () => {
    const at = new Date(2026, 4, 4, 8, 5)
    assert.equal(toLocalMoment(at.toISOString()), '2026-05-04T08:05')
  })

  it('may be none', () => {
    assert.equal(toLocalMoment(null), '')
    assert.equal(fromLocalMoment(''), undefined)
    assert.equal(fromLocalMoment('soon'), undefined)
  })
})
