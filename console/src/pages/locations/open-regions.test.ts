import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { openIn, regionKey, toggleRegion } from './open-regions.ts'

describe('expanded regions', () => {
  it('are toggled one by one', () => {
    const frankfurt = { provider: 'Aws', region: 'eu-central-1' }
    const tokyo = { provider: 'Aws', region: 'ap-northeast-1' }
    const both = toggleRegion(toggleRegion(undefined, frankfurt), tokyo)
    assert.equal(both, 'Aws/eu-central-1,Aws/ap-northeast-1')
    assert.equal(toggleRegion(toggleRegion(both, frankfurt), tokyo), '')
  })

  it('may have any name', () => {
    const name = fc.record({
      provider: fc.string({ unit: 'grapheme' }),
      region: fc.string({ unit: 'grapheme' }),
    })
    fc.assert(
      fc.property(name, name, (one, other) => {
        const open = openIn(toggleRegion(toggleRegion('x/y', one), other))
        const isSame = one.provider === other.provider && one.region === other.region
        assert.equal(open.has(regionKey(other)), !isSame)
      }),
    )
  })
})
