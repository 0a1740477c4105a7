import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fromLocalTime, toLocalTime, toMoment } from './local-time.ts'

describe('local times', () => {
  it('lead back to the same minute', () => {
    for (const text of ['2026-05-04T03:07', '2026-12-31T23:59', '2026-01-01T00:00']) {
      const time = fromLocalTime(text)
      assert.ok(time !== undefined)
      assert.equal(toLocalTime(time), text)
      assert.equal(toLocalTime(time + 59_999), text)
    }
    assert.equal(fromLocalTime(''), undefined)
    assert.equal(fromLocalTime('2026-05'), Date.parse('2026-05'))
    assert.equal(fromLocalTime('soon'), undefined)
  })

  it('are rounded down for the API', () => {
    assert.equal(toMoment(Date.parse('2026-05-04T03:07:59.999Z')), '2026-05-04T03:07:00Z')
  })
})
