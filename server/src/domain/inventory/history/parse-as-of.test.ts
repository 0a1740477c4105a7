import assert from 'node:assert/strict'
import { it } from 'node:test'
import { PlatformError } from '../../error.ts'
import { parseAsOf } from './parse-as-of.ts'

const now = Date.parse('2026-05-04T08:30:45.500Z')
const parsed = (text: string) => new Date(parseAsOf(text, now)).toISOString()

void it('reads times with a zone, days, and times ago', () => {
  const wanted = {
    '2026-05-04T08:00:00Z': '2026-05-04T08:00:00.000Z',
    '2026-05-04T08:00:00.123456Z': '2026-05-04T08:00:00.123Z',
    '2026-05-04T08:00Z': '2026-05-04T08:00:00.000Z',
    '2026-05-04T08:00+02:00': '2026-05-04T06:00:00.000Z',
    '2026-05-04T08:00 02:00': '2026-05-04T06:00:00.000Z',
    '2026-05-04T01:00:00-05:30': '2026-05-04T06:30:00.000Z',
    '2026-05-04': '2026-05-04T00:00:00.000Z',
    yesterday: '2026-05-03T08:30:00.000Z',
    '-30m': '2026-05-04T08:00:00.000Z',
    '-2h': '2026-05-04T06:30:00.000Z',
    '-7d': '2026-04-27T08:30:00.000Z',
    '-1w': '2026-04-27T08:30:00.000Z',
  }
  for (const [text, time] of Object.entries(wanted)) assert.equal(parsed(text), time, text)
})

void it('refuses everything else, and names the parameter', () => {
  const wrong = [
    '',
    'now-ish',
    '2h',
    '-2y',
    '2026-13-01',
    '2026-02-30',
    '2026-05-04T25:00Z',
    '2026-05-04T08:00:00',
    '2026-05-05',
    '2026-05-04T08:30:46Z',
  ]
  for (const text of wrong) {
    assert.throws(
      () => parsed(text),
      (error) => error instanceof PlatformError && JSON.stringify(error).includes('as_of'),
      text,
    )
  }
})

void it('refuses relative times where only absolute ones are useful', () => {
  assert.throws(() => parseAsOf('-2h', now, false), PlatformError)
  assert.equal(parseAsOf('2026-05-04', now, false), Date.parse('2026-05-04'))
})
