import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { matchesGlob } from './glob.ts'
import { runsInLane } from '../testing/lanes.ts'

/** The simple, slow algorithm: a star matches nothing, or one character and then itself again. */
function model(text: string, pattern: string): boolean {
  const [first, ...rest] = pattern
  if (first === undefined) return text === ''
  const remaining = rest.join('')
  if (first === '*') {
    return model(text, remaining) || (text !== '' && model(text.slice(1), pattern))
  }
  return text[0] === first && model(text.slice(1), remaining)
}

describe('a pattern', () => {
  test('without a star matches only the same text', () => {
    assert.ok(matchesGlob('web', 'web'))
    assert.ok(matchesGlob('', ''))
    for (const text of ['', 'we', 'webs', 'Web', 'aweb']) assert.ok(!matchesGlob(text, 'web'))
  })

  test('has stars that match any characters, or none', () => {
    for (const [text, pattern] of [
      ['', '*'],
      ['web-7', '*'],
      ['web-7', 'web-*'],
      ['web-', 'web-*'],
      ['web-7', '*7'],
      ['web-7', '*b*'],
      ['web-7', 'w*-*7'],
      ['web-7', '**7**'],
      ['aXbXb', 'a*b'],
      ['abcabc', '*abc'],
    ] as const) {
      assert.ok(matchesGlob(text, pattern), `${text} ${pattern}`)
    }
  })

  test('does not match a part of the text twice', () => {
    for (const [text, pattern] of [
      ['a', 'a*a'],
      ['aba', 'ab*ba'],
      ['ab', '*ab*b'],
      ['abc', 'a*bc*c'],
      ['web', 'web-*'],
      ['', '*a*'],
    ] as const) {
      assert.ok(!matchesGlob(text, pattern), `${text} ${pattern}`)
    }
  })

  test('matches every other character literally', () => {
    for (const sign of ['.', '?', '[a]', '(', '\\', '^', '$', '%', '_', '+', '\n', '𝔘', '=']) {
      assert.ok(matchesGlob(`x${sign}y`, `x${sign}*`))
      assert.ok(!matchesGlob('x', `x${sign}`))
    }
    assert.ok(matchesGlob('a\nb', 'a*b'))
  })

  test('gives the same result as a simple implementation', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 })
    const patterns = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 6 })
    fc.assert(
      fc.property(letters, patterns, (text, pattern) => {
        assert.equal(matchesGlob(text, pattern), model(text, pattern))
      }),
      { numRuns: runsInLane(2_000) },
    )
  })

  test('is searched for part by part, each once and after the one before', (context) => {
    const search = context.mock.method(String.prototype, 'indexOf')
    assert.ok(!matchesGlob('a'.repeat(4_096), `${'*a'.repeat(127)}*b*a`))
    const starts = search.mock.calls.map((call) => call.arguments[1])
    assert.deepEqual(
      starts,
      Array.from({ length: 128 }, (_, number) => number),
    )
  })
})
