import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { parseTimestamp } from './parse-timestamp.ts'

describe('a timestamp in a filter', () => {
  test('is parsed to the microsecond', () => {
    const first = Date.UTC(2026, 4, 4, 8) * 1000
    assert.equal(parseTimestamp('2026-05-04T08:00:00Z'), first)
    assert.equal(parseTimestamp('2026-05-04 08:00:00'), first)
    assert.equal(parseTimestamp('2026-05-04T08:00:00.5Z'), first + 500_000)
    assert.equal(parseTimestamp('2026-05-04T08:00:00.000001Z'), first + 1)
    assert.equal(parseTimestamp('2026-05-04'), Date.UTC(2026, 4, 4) * 1000)
    assert.equal(parseTimestamp('1969-12-31T23:59:59.999999Z'), -1)
  })

  test('is rejected if the date or time does not exist, or the format is another', () => {
    const wrong = [
      '',
      '2026',
      '2026-02-30',
      '2026-13-01',
      '2026-05-04T24:00:00Z',
      '2026-05-04T08:60:00Z',
      '2026-05-04T08:00Z',
      '2026-05-04T08:00:00+02:00',
      '2026-05-04T08:00:00.1234567Z',
      ' 2026-05-04',
      'yesterday',
      '7d',
      '9'.repeat(8192),
    ]
    for (const text of wrong) assert.equal(parseTimestamp(text), undefined, text.slice(0, 40))
  })

  test('comes back as the API writes it', () => {
    const date = fc.date({
      min: new Date('0001-01-01T00:00:00Z'),
      max: new Date('2200-01-01T00:00:00Z'),
      noInvalidDate: true,
    })
    fc.assert(
      fc.property(date, fc.integer({ min: 0, max: 999 }), (date, rest) => {
        const text = date.toISOString().replace('Z', `${String(rest).padStart(3, '0')}Z`)
        assert.equal(parseTimestamp(text), date.getTime() * 1000 + rest)
      }),
    )
  })
})
