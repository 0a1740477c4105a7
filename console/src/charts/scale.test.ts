import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { positionOn, scaleFor, shareOf } from './scale.ts'

describe('a scale', () => {
  it('starts at 0 and goes up in round steps', () => {
    assert.deepEqual(scaleFor([120, 870], 4), { from: 0, to: 1000, ticks: [0, 500, 1000] })
    assert.deepEqual(scaleFor([3, 7], 4), { from: 0, to: 8, ticks: [0, 2, 4, 6, 8] })
  })

  it('starts higher if the values are close together', () => {
    assert.deepEqual(scaleFor([970, 973], 4), { from: 970, to: 973, ticks: [970, 971, 972, 973] })
  })

  it('starts at 0 if all values are equal, and has a height without values', () => {
    assert.equal(scaleFor([50, 50], 4).from, 0)
    assert.deepEqual(scaleFor([0, 0], 4), { from: 0, to: 1, ticks: [0, 1] })
    assert.deepEqual(scaleFor([], 4), { from: 0, to: 1, ticks: [0, 1] })
  })

  it('covers every value with few ticks', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10_000_000), { minLength: 1 }), (values) => {
        const scale = scaleFor(values, 4)
        for (const value of values) {
          const place = positionOn(scale, value)
          assert.ok(place >= 0 && place <= 1, `${value} is at ${place}`)
        }
        assert.ok(scale.ticks.length >= 2 && scale.ticks.length <= 6)
        assert.ok(scale.ticks.every(Number.isInteger))
        assert.deepEqual([scale.ticks[0], scale.ticks.at(-1)], [scale.from, scale.to])
      }),
    )
  })
})

describe('the length of a bar', () => {
  it('is relative to the longest bar', () => {
    assert.equal(shareOf(1, 3), '33.33%')
    assert.equal(shareOf(3, 3), '100%')
  })

  it('is visible for every value above 0, and only then', () => {
    assert.equal(shareOf(1, 1_000_000), '0.4%')
    assert.equal(shareOf(0, 10), '0%')
    assert.equal(shareOf(0, 0), '0%')
  })
})
