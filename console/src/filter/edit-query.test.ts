import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseQ } from '../../../server/src/domain/inventory/parse-q.ts'
import { exclude, filterTo, completeTerms, toggleValues, valuesOf, without } from './edit-query.ts'
import { readTerms, renderTerm } from './terms.ts'

describe('changing a query by a click', () => {
  it('adds a value to those wanted, and takes it away again', () => {
    const one = toggleValues('web-7', 'status', ['running'])
    assert.equal(one, 'web-7 status:running')
    const two = toggleValues(one, 'status', ['ready'])
    assert.equal(two, 'web-7 status:running,ready')
    assert.equal(
      toggleValues(toggleValues(two, 'status', ['running']), 'status', ['ready']),
      'web-7',
    )
  })

  it('keeps the place of a term and what others say', () => {
    assert.equal(
      toggleValues('status:running vcpu>=8 -project:demo', 'status', ['ready']),
      'status:running,ready vcpu>=8 -project:demo',
    )
    assert.equal(filterTo('status:running,ready web', 'status', 'unknown'), 'status:unknown web')
  })

  it('excludes a value, which is then no longer wanted', () => {
    assert.equal(
      exclude('status:running,ready', 'status', ['ready']),
      'status:running -status:ready',
    )
    assert.equal(exclude('-status:ready', 'status', ['ready']), '')
    assert.equal(filterTo('-status:ready', 'status', 'ready'), 'status:ready')
  })

  it('leaves out what somebody has not finished typing', () => {
    assert.equal(completeTerms('web status:'), 'web')
    assert.equal(completeTerms('status:running, web -'), 'web')
    assert.equal(completeTerms('fe80::1 status:ready'), 'fe80::1 status:ready')
  })

  it('knows a field with its filter away', () => {
    assert.equal(without('status:running region:eu -status:ready', 'status'), 'region:eu')
  })

  it('SEC-53: writes any value so that the API reads that very value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (value) => {
        const q = toggleValues('x', 'name', [value])
        assert.deepEqual(valuesOf(q, 'name').wanted, [value])
        const [, condition] = parseQ(q)
        assert.deepEqual(condition, {
          kind: 'field',
          field: 'name',
          comparison: 'equals',
          values: [value],
        })
      }),
    )
  })

  it('reads tags with blanks', () => {
    const q = renderTerm('tag', ['env=north prod'])
    assert.equal(q, 'tag:env="north prod"')
    assert.deepEqual(readTerms(q)[0]?.values, ['env=north prod'])
  })
})
