import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { serverFields } from '../../../server/src/domain/inventory/fields.ts'
import { parseQ } from '../../../server/src/domain/query/parse-q.ts'
import { rankTop } from './rank.ts'

const groups = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ value: `v${at}`, count: count - at }))

describe('the largest groups and the rest', () => {
  it('has a bar for each value, and a link to its servers', () => {
    const { bars, rest } = rankTop('region', [{ value: 'Büro Hamburg', count: 3 }], 8)
    assert.deepEqual(bars, [
      { key: '=Büro Hamburg', value: 'Büro Hamburg', count: 3, q: 'region:"Büro Hamburg"' },
    ])
    assert.equal(rest, undefined)
  })

  it('sums up values without a bar, and links to all servers except those with one', () => {
    const { bars, rest } = rankTop('zone', groups(5), 2)
    assert.equal(bars.length, 2)
    assert.deepEqual(rest, {
      bar: { key: 'rest', value: '', count: 3 + 2 + 1, q: '-zone:v0,v1' },
      values: 3,
    })
  })

  it('shows a single remaining value instead of a rest', () => {
    assert.equal(rankTop('zone', groups(3), 2).bars.length, 3)
    assert.equal(rankTop('zone', groups(3), 2).rest, undefined)
  })

  it('distinguishes the API sum of other values from a value named like it', () => {
    const told = [...groups(100), { value: 'other', count: 70 }]
    const { bars, rest } = rankTop('zone', told, 100)
    assert.equal(bars.length, 100)
    assert.deepEqual([rest?.bar.count, rest?.values], [70, undefined])
    const real = rankTop('zone', [{ value: 'other', count: 1 }], 8)
    assert.equal(real.bars[0]?.q, 'zone:other')
  })

  it('filters for servers without a value', () => {
    assert.equal(rankTop('zone', [{ value: null, count: 1 }], 8).bars[0]?.q, 'zone:""')
  })

  it('has no link if the query would be too long for the API', () => {
    const long = [1, 2, 3].map((at) => ({ value: String(at).repeat(900), count: 1 }))
    assert.equal(rankTop('zone', [...long, ...groups(3)], 3).rest?.bar.q, undefined)
    assert.notEqual(rankTop('zone', [...long, ...groups(3)], 2).rest?.bar.q, undefined)
  })

  it('counts every server, and writes queries that the API reads back', () => {
    const counted = fc.record({ value: fc.string({ unit: 'grapheme' }), count: fc.nat() })
    fc.assert(
      fc.property(fc.array(counted, { maxLength: 30 }), fc.nat(12), (given, most) => {
        const { bars, rest } = rankTop('name', given, most)
        const drawn = [...bars, ...(rest ? [rest.bar] : [])]
        const sum = (list: readonly { count: number }[]) =>
          list.reduce((all, { count }) => all + count, 0)
        assert.equal(sum(drawn), sum(given))
        for (const { q, value } of bars) {
          assert.deepEqual(parseQ(serverFields, q ?? ''), [
            { kind: 'field', field: 'name', comparison: 'equals', values: [value] },
          ])
        }
      }),
    )
  })
})
