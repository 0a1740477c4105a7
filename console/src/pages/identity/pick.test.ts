import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findEntities, withOthers } from './find-entities.ts'
import { labelsOf, pick } from './pick.ts'

const choices = [
  { id: 'u1', name: 'ada', domain: 'Research' },
  { id: 'u2', name: 'bob', domain: 'Research' },
  { id: 'u3', name: 'bob', domain: 'Retail' },
]

describe('picking an entity by text', () => {
  it('offers names, with the domain if a name repeats', () => {
    assert.deepEqual([...labelsOf(choices).keys()], ['ada', 'bob · Research', 'bob · Retail'])
  })

  it('accepts a label, case-insensitively', () => {
    assert.equal(pick(' ada ', choices), 'u1')
    assert.equal(pick('ADA', choices), 'u1')
    assert.equal(pick('bob · Retail', choices), 'u3')
  })

  it('accepts no ambiguous name', () => {
    assert.equal(pick('bob', choices), undefined)
  })

  it('accepts an ID, even one that is not offered', () => {
    const stranger = 'a'.repeat(32)
    assert.equal(pick('u2', choices), 'u2')
    assert.equal(pick(stranger, choices), stranger)
    assert.equal(pick('nobody', choices), undefined)
    assert.equal(pick('', choices), undefined)
  })
})

describe('searching a list', () => {
  const entities = [
    { id: '1', name: 'genome', description: 'Sequencing' },
    { id: '2', name: 'billing', description: 'Invoices' },
  ]

  it('matches entities that contain every word', () => {
    assert.deepEqual(findEntities(entities, 'seq GEN'), [entities[0]])
    assert.deepEqual(findEntities(entities, 'gen inv'), [])
    assert.equal(findEntities(entities, '  '), entities)
  })

  it('merges results without duplicates', () => {
    const other = { id: '3', name: 'x' }
    const all = withOthers<{ id: string; name: string }>(entities, [
      { id: '2', name: 'billing' },
      other,
    ])
    assert.deepEqual(all, [...entities, other])
  })
})
