import assert from 'node:assert/strict'
import { it } from 'node:test'
import { readMoment, resolveMoment } from './read-moment.ts'

const now = Date.parse('2026-05-04T08:30:45.500Z')

it('resolves each format of the API to a time, and leaves a time unchanged', () => {
  const wanted = {
    '2026-05-04T08:00:00Z': '2026-05-04T08:00:00Z',
    '2026-05-04T08:00:00.123Z': '2026-05-04T08:00:00.123Z',
    '2026-05-04T08:00Z': '2026-05-04T08:00:00Z',
    '2026-05-04T08:00+02:00': '2026-05-04T06:00:00Z',
    '2026-05-04T08:00 02:00': '2026-05-04T06:00:00Z',
    '2026-05-04T01:00:00-05:30': '2026-05-04T06:30:00Z',
    '2026-05-04': '2026-05-04T00:00:00Z',
    yesterday: '2026-05-03T08:30:00Z',
    '-5m': '2026-05-04T08:25:00Z',
    '-2h': '2026-05-04T06:30:00Z',
    '-7d': '2026-04-27T08:30:00Z',
    '-1w': '2026-04-27T08:30:00Z',
  }
  for (const [text, time] of Object.entries(wanted)) {
    assert.equal(resolveMoment(text, now), time, text)
    assert.equal(resolveMoment(time, now + 3_600_000), time, text)
  }
})

it('leaves what is no moment to the API', () => {
  const wrong = [
    '',
    'foo',
    'foo 1',
    '1',
    '2h',
    '-2y',
    '2026-13-01',
    '2026-02-30',
    '2026-04-31T08:00Z',
    '2025-02-29',
    '2026-05-04T08:00:00',
    '-5',
  ]
  for (const text of wrong) {
    assert.equal(readMoment(text, now), undefined, text)
    assert.equal(resolveMoment(text, now), text)
  }
  assert.doesNotThrow(() => resolveMoment('-999999w', now))
})
