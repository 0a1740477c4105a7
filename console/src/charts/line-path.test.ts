import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { areaPath, linePath, splitRuns } from './line-path.ts'

const line = (...loose: boolean[]) => loose.map((isLoose, x) => ({ x, y: x / 3, isLoose }))

describe('a line', () => {
  it('goes from point to point', () => {
    assert.equal(linePath(line(false, false)), 'M0 0L1 0.33')
    assert.equal(linePath([]), '')
  })

  it('has an area down to the axis', () => {
    assert.equal(areaPath(line(false, false), 10), 'M0 0L1 0.33L1 10L0 10Z')
    assert.equal(areaPath([], 10), '')
  })

  it('is split into counted and estimated segments without gaps', () => {
    const runs = splitRuns(line(true, true, false, false, true))
    assert.deepEqual(
      runs.map(({ isLoose, points }) => [isLoose, ...points.map(({ x }) => x)]),
      [
        [true, 0, 1, 2],
        [false, 2, 3],
        [true, 3, 4],
      ],
    )
  })

  it('needs two points', () => {
    assert.deepEqual(splitRuns(line(false)), [])
  })
})
