import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { statusesIn } from '../../servers/status.ts'
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
  stopped: [group('Aws', 2), group('', 1)],
  changing: [group('Azure', 3)],
  failed: [],
}

const parts = (most: number) =>
  toProviderRows(counts, most).map(({ value, parts }) => [
    value,
    ...parts.map(({ count }) => count),
  ])

describe('providers and statuses', () => {
  it('lists every provider; servers without a known status count as unknown', () => {
    assert.deepEqual(parts(8), [
      ['Aws', 5, 2, 0, 0, 3],
      ['Google', 6, 0, 0, 0, 0],
      // The counts come from different moments, but a part is never negative.
      ['Azure', 1, 0, 3, 0, 0],
      ['', 0, 1, 0, 0, 1],
    ])
  })

  it('sums up the rest per status', () => {
    assert.deepEqual(parts(2).at(-1), ['', 1, 1, 3, 0, 0])
  })

  it('links to the servers of each part', () => {
    const [aws, , rest] = toProviderRows(counts, 2)
    assert.deepEqual(
      aws?.parts.map(({ q }) => q),
      [
        'provider:Aws status:running',
        'provider:Aws status:ready,suspend',
        `provider:Aws status:${statusesIn.changing.join(',')}`,
        `provider:Aws status:${statusesIn.failed.join(',')}`,
        `provider:Aws -status:running,ready,suspend,${[...statusesIn.changing, ...statusesIn.failed].join(',')}`,
      ],
    )
    assert.equal(rest?.parts[0]?.q, '-provider:Aws,Google status:running')
  })
})
