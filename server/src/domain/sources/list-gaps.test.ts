import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { timestamp } from '../timestamp.ts'
import type { Gap, GapMarker } from '../inventory/history/gaps.ts'
import { createListGaps } from './list-gaps.ts'

const all: readonly Gap[] = [
  { accountId: 'a', region: '', from: 500, until: null },
  { accountId: 'a', region: 'west', from: 100, until: 300 },
  { accountId: 'a', region: '', from: null, until: 200 },
]

const listGaps = createListGaps({
  gaps: {
    async of(_, { after, limit }: { after?: GapMarker; limit: number }) {
      const at = all.findIndex(
        ({ until, region }) => until === after?.until && region === after.region,
      )
      return all.slice(at + 1, at + 1 + limit)
    },
  },
  clock: () => 1_000,
})

void describe('the gaps of an account', () => {
  test('are listed page by page', async () => {
    const found = []
    let marker: string | undefined
    do {
      const page = await listGaps('a', { limit: 1, ...(marker !== undefined && { marker }) })
      assert.ok(page.items.length <= 1 && page.limit === 1)
      found.push(...page.items)
      marker = page.next
    } while (marker !== undefined)
    assert.deepEqual(found, [
      { from: timestamp(500), until: null, region: '' },
      { from: timestamp(100), until: timestamp(300), region: 'west' },
      { from: null, until: timestamp(200), region: '' },
    ])
  })

  test('need a marker of theirs', async () => {
    const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    for (const marker of [
      'x',
      encode([]),
      encode(['1', '']),
      encode([1, '', 2]),
      encode([1.5, '']),
    ]) {
      await assert.rejects(listGaps('a', { marker }), /marker/, marker)
    }
  })
})
