import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { didYouMean, nearest } from './nearest.ts'

const known = ['status', 'name', 'zone', 'zone_id', 'vcpu_count', 'limit']

describe('the nearest word', () => {
  const typed: [string, string | undefined][] = [
    ['statsu', 'status'],
    ['stauts', 'status'],
    ['Status', 'status'],
    ['statuses', 'status'],
    ['naem', 'name'],
    ['limt', 'limit'],
    ['zoneid', 'zone_id'],
    ['vcpucount', 'vcpu_count'],
    ['colour', undefined],
    ['x', undefined],
    ['', undefined],
    ['status'.repeat(100), undefined],
  ]
  for (const [word, expected] of typed) {
    test(`of "${word.slice(0, 20)}" is ${expected}`, () => {
      assert.equal(nearest(word, known), expected)
    })
  }

  test('is suggested as a question, or not at all', () => {
    assert.equal(didYouMean('naem', known), ': did you mean "name"?')
    assert.equal(didYouMean('colour', known), '')
  })

  test('of a known word is that word, also with one typing error', () => {
    const long = known.filter((word) => word.length > 4 && !word.startsWith('zone'))
    fc.assert(
      fc.property(
        fc.constantFrom(...long),
        fc.nat(),
        fc.constantFrom('', 'x'),
        (word, at, slip) => {
          assert.equal(nearest(word, known), word)
          const place = at % word.length
          assert.equal(nearest(word.slice(0, place) + slip + word.slice(place + 1), known), word)
        },
      ),
    )
  })
})
