import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toProviderRows } from './provider-status.ts'

const group = (value: string, count: number) => ({
  value,
  count,
  vcpu_count: 0,
  vmem_size: 0,
  disk: 0,
})

const counts = {
  all: [group('Aws', 10), group('Google', 6), group('Azure', 3), group('', 2)],
  running: [group('Google', 6), group('Aws', 5), group('Azure', 1)],
  ready: [group('Aws', 2), group('', 1)],
  unknown: [group('Azure', 3)],
}

const parts = (most: number) =>
  toProviderRows(counts, most).map(({ value, parts }) => [
    value,
    ...parts.map(({ count }) => count),
  ])

describe('providers and statuses', () => {
  it('has every provider, with what no status of its own accounts for as other', () => {
    assert.deepEqual(parts(8), [
      ['Aws', 5, 2, 0, 3],
      ['Google', 6, 0, 0, 0],
      // ValueCount while one of them changed: there is never less than nothing.
      ['Azure', 1, 0, 3, 0],
      ['', 0, 1, 0, 1],
    ])
  })

  it('sums up the rest, status by status', () => {
    assert.deepEqual(parts(2).at(-1), ['', 1, 1, 3, 0])
  })

  it('leads to each of its parts', () => {
    const [aws, , rest] = toProviderRows(counts, 2)
    assert.deepEqual(
      aws?.parts.map(({ q }) => q),
      [
        'provider:Aws status:running',
        'provider:Aws status:ready',
        'provider:Aws status:unknown',
        'provider:Aws -status:running,ready,unknown',
      ],
    )
    assert.equal(rest?.parts[0]?.q, '-provider:Aws,Google status:running')
  })
})
