import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { observe } from './observation.ts'
import { SourceError } from './source-error.ts'
import type { FailedPart } from './source.ts'

const times = { now: 1_000_000, duration: 2_000, period: 30_000 }
const part = (region: string, changes: Partial<FailedPart> = {}): FailedPart => ({
  region,
  error: new SourceError('incomplete', 'down'),
  ...changes,
})

void describe('an observation', () => {
  test('is fresh until the next scan should be complete', () => {
    for (const [changes, expected] of [
      [{}, 30_000 + 4_000 + 7_500],
      [{ period: 5_000, duration: 0 }, 5_000 + 5_000],
      [{ period: 3_600_000, duration: 0 }, 3_600_000 + 60_000],
    ] as const) {
      const { freshUntil, now } = observe([], { ...times, ...changes }) ?? assert.fail()
      assert.equal(freshUntil - now, expected)
    }
  })

  test('names the regions that could not be read', () => {
    for (const [failed, unread] of [
      [[], []],
      [
        [part('west'), part('east'), part('west', { tenant: 'a' })],
        ['west', 'east'],
      ],
      [[part('west', { hasServers: true }), part('', { hasServers: true })], []],
      [[part('west'), part('')], undefined],
      [[part('', { tenant: 'a' })], undefined],
    ] as const) {
      assert.deepEqual(observe(failed, times)?.unread, unread, JSON.stringify(failed))
    }
  })
})
