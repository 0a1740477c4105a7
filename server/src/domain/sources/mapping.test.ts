import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { AccountRule } from '@muster/contract'
import fc from 'fast-check'
import { firstRule, ruleOf, anySubject } from '../../testing/inventory-world/mapping-model.ts'
import { compileMapping, type MappingSubject } from './mapping.ts'
import { runsInLane } from '../../testing/lanes.ts'

const projects = new Map(['home', 'web', 'data'].map((id) => [id, {}]))
const settings = { name: 'aws-prod', project_id: 'home' }
const place = (mapping: readonly AccountRule[], subject: Partial<MappingSubject> = {}) =>
  compileMapping(
    { ...settings, mapping },
    projects,
  )({
    name: 'web-7',
    tenant: { id: '42', name: 'shop' },
    tags: { team: 'web', cost: '' },
    ...subject,
  })
const to = (conditions: Omit<AccountRule, 'project_id'>, project_id = 'web') => ({
  ...conditions,
  project_id,
})

describe('a mapping', () => {
  test('uses the default project if no rule matches', () => {
    assert.deepEqual(place([]), { projectId: 'home', rule: -1 })
    assert.deepEqual(place([to({ name: 'db-*' })]), { projectId: 'home', rule: -1 })
  })

  test('matches the tenant’s id or name, a tag, the account and the server’s name', () => {
    for (const conditions of [
      { tenant: '42' },
      { tenant: 'shop' },
      { tenant: 's*' },
      { tag: 'team=web' },
      { tag: 'team' },
      { tag: 'cost' },
      { tag: 'cost=' },
      { tag: 't*=w*' },
      { tag: '*=web' },
      { account: 'aws-prod' },
      { account: 'aws-*' },
      { name: 'web-7' },
      { name: '*-7' },
      { tenant: '42', tag: 'team', account: '*', name: 'web*' },
    ]) {
      assert.deepEqual(
        place([to(conditions)]),
        { projectId: 'web', rule: 0 },
        JSON.stringify(conditions),
      )
    }
  })

  test('requires all conditions of a rule, and is case-sensitive', () => {
    for (const conditions of [
      { tenant: '4' },
      { tenant: 'Shop' },
      { tag: 'team=Web' },
      { tag: 'Team' },
      { tag: 'team=' },
      { tag: 'web' },
      { account: 'aws' },
      { name: 'web-' },
      { tenant: '42', name: 'db-1' },
      { tag: 'team=web', account: 'other' },
    ]) {
      assert.equal(place([to(conditions)]).rule, -1, JSON.stringify(conditions))
    }
  })

  test('splits a tag at the first equals sign', () => {
    const tags = { a: 'b=c', team: 'web' }
    assert.equal(place([to({ tag: 'a=b=c' })], { tags }).rule, 0)
    assert.equal(place([to({ tag: 'a=b' })], { tags }).rule, -1)
  })

  test('matches no tenant pattern for a server without a tenant', () => {
    for (const tenant of ['*', '', 'x']) {
      assert.equal(place([to({ tenant })], { tenant: undefined }).rule, -1)
    }
  })

  test('applies the first matching rule, with or without the lookup by tenant', () => {
    const byTenant = to({ tenant: '42' }, 'data')
    const byName = to({ name: 'web-*' }, 'web')
    assert.deepEqual(place([byTenant, byName]), { projectId: 'data', rule: 0 })
    assert.deepEqual(place([byName, byTenant]), { projectId: 'web', rule: 0 })
    assert.equal(place([to({ tenant: 'shop' }), to({ tenant: '42' })]).rule, 0)
    assert.equal(place([to({ tenant: '42' }, 'data'), to({ tenant: '42' })]).projectId, 'data')
  })

  test('ignores rules whose project does not exist', () => {
    const rules = [to({ name: '*' }, 'gone'), to({ tenant: '42' }, 'gone'), to({ tag: 'team' })]
    assert.deepEqual(place(rules), { projectId: 'web', rule: 2 })
    assert.deepEqual(place(rules.slice(0, 2)), { projectId: 'home', rule: -1 })
  })

  test('gives the same result as a simple implementation', () => {
    fc.assert(
      fc.property(
        fc.array(ruleOf(['home', 'web', 'data', 'gone']), { maxLength: 8 }),
        anySubject,
        (mapping, subject) => {
          const there = mapping.map((rule) => (projects.has(rule.project_id) ? rule : undefined))
          const rule = firstRule(there, subject, settings.name)
          const projectId = mapping[rule]?.project_id ?? 'home'
          assert.deepEqual(place(mapping, subject), { rule, projectId })
        },
      ),
      { numRuns: runsInLane(1_000) },
    )
  })
})
