import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { serverFields } from '../../../server/src/domain/inventory/fields.ts'
import { parseQ } from '../../../server/src/domain/query/parse-q.ts'
import {
  addTerm,
  completeTerms,
  exclude,
  filterTo,
  toggleValues,
  valuesOf,
  without,
} from './edit-query.ts'
import { readTerms, renderTerm } from './terms.ts'

describe('editing a query', () => {
  it('adds a value to the included ones, and removes it again', () => {
    const one = toggleValues('web-7', 'status', ['running'])
    assert.equal(one, 'web-7 status:running')
    const two = toggleValues(one, 'status', ['ready'])
    assert.equal(two, 'web-7 status:running,ready')
    assert.equal(
      toggleValues(toggleValues(two, 'status', ['running']), 'status', ['ready']),
      'web-7',
    )
  })

  it('keeps the position of the term and the other terms', () => {
    assert.equal(
      toggleValues('status:running vcpu>=8 -project:demo', 'status', ['ready']),
      'status:running,ready vcpu>=8 -project:demo',
    )
    assert.equal(filterTo('status:running,ready web', 'status', 'unknown'), 'status:unknown web')
  })

  it('excludes a value, which is then no longer included', () => {
    assert.equal(
      exclude('status:running,ready', 'status', ['ready']),
      'status:running -status:ready',
    )
    assert.equal(exclude('-status:ready', 'status', ['ready']), '')
    assert.equal(filterTo('-status:ready', 'status', 'ready'), 'status:ready')
  })

  it('leaves out incomplete terms', () => {
    assert.equal(completeTerms('web status:'), 'web')
    assert.equal(completeTerms('status:running, web -'), 'web')
    assert.equal(completeTerms('fe80::1 status:ready'), 'fe80::1 status:ready')
  })

  it('adds a term that must match too, once', () => {
    assert.equal(addTerm('', 'project:web'), 'project:web')
    assert.equal(addTerm('tag:env=a', 'tag:app="b c"'), 'tag:env=a tag:app="b c"')
    assert.equal(addTerm('project:web x', 'project:web'), 'project:web x')
  })

  it('removes the filter of a field', () => {
    assert.equal(without('status:running region:eu -status:ready', 'status'), 'region:eu')
  })

  it('SEC-53: quotes any value so that the API reads the same value', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (value) => {
        const q = toggleValues('x', 'name', [value])
        assert.deepEqual(valuesOf(q, 'name').wanted, [value])
        const [, condition] = parseQ(serverFields, q)
        assert.deepEqual(condition, {
          kind: 'field',
          field: 'name',
          comparison: 'equals',
          values: [value],
        })
      }),
    )
  })

  it('reads tags with spaces', () => {
    const q = renderTerm('tag', ['env=north prod'])
    assert.equal(q, 'tag:env="north prod"')
    assert.deepEqual(readTerms(q)[0]?.values, ['env=north prod'])
  })
})
