import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { renderGaps } from '../../../server/src/http/inventory/render-gaps.ts'
import { readGaps } from './read-gaps.ts'

describe('the header of gaps', () => {
  it('is read as the API writes it', () => {
    const gap = { accountId: 'b7d2f0c4', region: '', from: 1_000_000, until: 2_000_000 }
    const gaps = [
      gap,
      { ...gap, accountId: 'a', region: 'eu-1', from: null },
      { ...gap, accountId: 'b', region: '华北', until: null },
    ]
    assert.deepEqual(readGaps(renderGaps(gaps)), [
      { accountId: 'b7d2f0c4', region: undefined, from: 1_000_000, until: 2_000_000 },
      { accountId: 'a', region: 'eu-1', from: undefined, until: 2_000_000 },
      { accountId: 'b', region: '华北', from: 1_000_000, until: undefined },
    ])
    assert.deepEqual(readGaps(null), [])
    assert.deepEqual(readGaps(`${renderGaps([gap])}, more;gaps=7`).length, 1)
  })
})
