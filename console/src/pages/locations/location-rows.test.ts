import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { serverFields } from '../../../../server/src/domain/inventory/fields.ts'
import { parseFilter } from '../../../../server/src/domain/query/parse-filter.ts'
import { locationRows, type Loaded } from './location-rows.ts'
import { zonesNamed } from './location-filters.ts'

const group = (value: string, count = 1) => ({
  value,
  count,
  vcpu_count: 0,
  vmem_size: 0,
  disk: 0,
})

const regions: Record<string, Loaded> = {
  Aws: [group('Frankfurt', 4), group('Tokyo', 2)],
  Own: [group('Frankfurt', 3), group('', 1)],
  Slow: 'pending',
}
const zones: Record<string, Loaded> = {
  'Aws Frankfurt': [group('eu-1a', 3), group('eu-1b', 1)],
  'Own Frankfurt': [group('rack 1', 3)],
  'Aws Tokyo': 'failed',
}

function rows(changes: { open?: string[]; find?: string; regionsFound?: string[] } = {}) {
  const { open = [], find = '', regionsFound = [] } = changes
  return locationRows({
    providers: [group('Aws', 6), group('Own', 4), group('Slow', 1)],
    regionsOf: (provider) => regions[provider] ?? [],
    zonesOf: ({ provider, region }) => zones[`${provider} ${region}`] ?? [],
    open: new Set(open),
    find,
    providerName: (provider) => (provider === 'Aws' ? 'Amazon' : provider),
    regionsFound: new Set(regionsFound),
  })
}

const names = (found: ReturnType<typeof rows>) =>
  found.map((row) => `${row.level} ${row.kind === 'location' ? row.name : row.kind}`)

describe('locations', () => {
  it('are providers with their regions', () => {
    assert.deepEqual(names(rows()), [
      'provider Aws',
      'region Frankfurt',
      'region Tokyo',
      'provider Own',
      'region Frankfurt',
      'region ',
      'provider Slow',
      'region pending',
    ])
  })

  it('include the zones of expanded regions, and whether they failed to load', () => {
    const found = rows({ open: ['Aws/Frankfurt', 'Aws/Tokyo'] })
    assert.deepEqual(names(found).slice(0, 6), [
      'provider Aws',
      'region Frankfurt',
      'zone eu-1a',
      'zone eu-1b',
      'region Tokyo',
      'zone failed',
    ])
  })

  it('link to their servers', () => {
    const found = rows({ open: ['Own/Frankfurt'] })
    assert.deepEqual(found.flatMap((row) => (row.kind === 'location' ? [row.q] : [])).slice(3, 7), [
      'provider:Own',
      'provider:Own region:Frankfurt',
      'provider:Own region:Frankfurt zone:"rack 1"',
      'provider:Own region:""',
    ])
  })

  it('are found by part of their name, case-insensitively', () => {
    assert.deepEqual(names(rows({ find: 'TOK' })), [
      'provider Aws',
      'region Tokyo',
      'provider Slow',
      'region pending',
    ])
    assert.equal(names(rows({ find: 'amaz' }))[0], 'provider Aws')
    assert.deepEqual(names(rows({ find: 'own' })).slice(0, 3), [
      'provider Own',
      'region Frankfurt',
      'region ',
    ])
  })

  it('are found by zone, only in the region that has it if two have the same name', () => {
    assert.deepEqual(names(rows({ find: '1b', regionsFound: ['Frankfurt'] })).slice(0, 3), [
      'provider Aws',
      'region Frankfurt',
      'zone eu-1b',
    ])
    assert.equal(
      names(rows({ find: '1b', regionsFound: ['Frankfurt'] })).includes('provider Own'),
      false,
    )
  })

  it('have unique keys', () => {
    const keys = rows({ open: ['Aws/Frankfurt', 'Aws/Tokyo', 'Own/Frankfurt'] }).map(
      ({ key }) => key,
    )
    assert.equal(new Set(keys).size, keys.length)
  })

  it('SEC-53: are searched by exactly the typed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), (text) => {
        assert.deepEqual(parseFilter(serverFields, zonesNamed(text)), {
          kind: 'field',
          field: 'zone',
          comparison: 'contains',
          values: [text],
        })
      }),
    )
  })
})
