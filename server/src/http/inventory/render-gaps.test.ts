import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Gap } from '../../domain/inventory/history/gaps.ts'
import { renderGaps } from './render-gaps.ts'

const gap = (changes: Partial<Gap> = {}): Gap => ({
  accountId: 'one',
  region: '',
  from: 1_763_510_400_999,
  until: 1_763_512_800_001,
  ...changes,
})

void describe('the header with gaps', () => {
  test('is a list of RFC 9651', () => {
    for (const [gaps, expected] of [
      [[gap()], '"one";from=@1763510400;until=@1763512801'],
      [
        [gap({ from: null }), gap({ until: null })],
        '"one";until=@1763512801, "one";from=@1763510400',
      ],
      [[gap({ region: 'eu-west-1', from: null, until: null })], '"one";region="eu-west-1"'],
      [[gap({ region: 'a"b\\', from: null, until: null })], String.raw`"one";region="a\"b\\"`],
      [
        [gap({ region: 'Zürich\n"%', from: null, until: null })],
        '"one";region=%"Z%c3%bcrich%0a%22%25"',
      ],
    ] as const) {
      assert.equal(renderGaps(gaps), expected)
    }
  })

  test('is short, and tells how many gaps it leaves out', () => {
    const text = renderGaps(Array.from({ length: 27 }, () => gap({ accountId: 'x'.repeat(36) })))
    assert.equal(text.split(', ').length, 21)
    assert.ok(text.endsWith(', more;gaps=7'))
    assert.ok(!renderGaps(Array.from({ length: 20 }, () => gap())).includes('more'))
  })
})
