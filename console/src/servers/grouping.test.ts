import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readTerms } from '../filter/terms.ts'
import { groupByTag, groupTerm, readGroupBy } from './grouping.ts'

describe('what servers are grouped by', () => {
  it('is a field with counts or a tag, and nothing else', () => {
    for (const known of ['project', 'os_name', 'os_type', 'metadata.env', 'metadata.a.b']) {
      assert.equal(readGroupBy(known), known)
    }
    for (const unknown of [undefined, '', 'colour', 'ip', 'metadata.', 'metadata.a=b']) {
      assert.equal(readGroupBy(unknown), undefined)
    }
  })

  it('has a term for each group, also for servers without a value', () => {
    assert.equal(groupTerm('project', 'web'), 'project:web')
    assert.equal(groupTerm('os_name', 'CentOS 7.9'), 'os_name:"CentOS 7.9"')
    assert.equal(groupTerm('os_type', 'Linux'), 'os:Linux')
    assert.equal(groupTerm('region', ''), '-region:*')
    assert.equal(groupTerm('metadata.env', 'prod'), 'tag:env=prod')
    assert.equal(groupTerm('metadata.env', 'a b'), 'tag:env="a b"')
    assert.equal(groupTerm('metadata.env', ''), 'tag:env=""')
    assert.equal(groupTerm('metadata.env', null), '-tag:env')
  })

  it('has terms that are complete, so that the address can list them', () => {
    const groups = [
      groupTerm('region', ''),
      groupTerm('os_name', 'a "b", c'),
      groupTerm(groupByTag('a b'), ''),
      groupTerm(groupByTag('a b'), null),
    ]
    const terms = readTerms(groups.join(' '))
    assert.deepEqual(
      terms.map(({ raw }) => raw),
      groups,
    )
    assert.ok(terms.every(({ isUnfinished }) => !isUnfinished))
  })
})
