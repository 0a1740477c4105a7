import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PolicyAction } from '@muster/contract'
import fc from 'fast-check'
import { makePolicy } from '../../testing/identity-world/identity-records.ts'
import { allows, type Permission } from './policy.ts'
import type { PolicyRule } from './records.ts'
import { runsInLane } from '../../testing/lanes.ts'

const listServers: Permission = { service: 'compute', resource: 'servers', action: 'list' }

/** A rule in one line: `allow compute servers list`. */
function rule(text: string): PolicyRule {
  const [effect, service = '', resource = '', action = ''] = text.split(' ')
  return {
    effect: effect as PolicyRule['effect'],
    service,
    resource,
    action: action as PolicyRule['action'],
  }
}

const policy = (...rules: string[]) => makePolicy('some', 'project', rules.map(rule))
const findDecidingRule = (permission: Permission, ...rules: string[]) =>
  allows([policy(...rules)], permission)

describe('policies', () => {
  test('what no rule speaks of is denied', () => {
    assert.equal(allows([], listServers), false)
    assert.equal(findDecidingRule(listServers), false)
    for (const other of [
      'allow identity servers list',
      'allow compute disks list',
      'allow compute servers get',
      'allow compute server list',
      'allow compute servers* list',
    ]) {
      assert.equal(findDecidingRule(listServers, other), false, other)
    }
  })

  test('a star stands for anything in its own scope only', () => {
    for (const match of [
      'allow compute servers list',
      'allow * servers list',
      'allow compute * list',
      'allow compute servers *',
      'allow * * *',
    ]) {
      assert.equal(findDecidingRule(listServers, match), true, match)
    }
    for (const miss of ['allow * disks list', 'allow identity * list', 'allow compute * get']) {
      assert.equal(findDecidingRule(listServers, miss), false, miss)
    }
  })

  test('the more exact rule wins, whichever way it decides and wherever it stands', () => {
    const ladder = ['* * *', 'compute * *', 'compute servers *', 'compute servers list']
    for (const [index, wide] of ladder.entries()) {
      for (const exact of ladder.slice(index + 1)) {
        for (const [effect, opposite] of [
          ['allow', 'deny'],
          ['deny', 'allow'],
        ]) {
          const rules = [`${opposite} ${wide}`, `${effect} ${exact}`]
          const expected = effect === 'allow'
          assert.equal(findDecidingRule(listServers, ...rules), expected, rules.join(', '))
          assert.equal(
            findDecidingRule(listServers, ...rules.toReversed()),
            expected,
            rules.join(', '),
          )
        }
      }
    }
  })

  test('an action by its own name is more exact than perform, which matches all of them', () => {
    const startServers = { ...listServers, action: 'perform.start' as const }
    for (const [effect, opposite] of [
      ['allow', 'deny'],
      ['deny', 'allow'],
    ]) {
      const rules = [
        `${opposite} compute servers perform`,
        `${effect} compute servers perform.start`,
      ]
      for (const order of [rules, rules.toReversed()]) {
        assert.equal(findDecidingRule(startServers, ...order), effect === 'allow', order.join(', '))
        const other = { ...listServers, action: 'perform.stop' as const }
        assert.equal(findDecidingRule(other, ...order), opposite === 'allow', order.join(', '))
      }
      // It is not worth a whole part: naming the service or the resource is more exact.
      const [wide, named] = [
        `${opposite} compute * perform.start`,
        `${effect} compute servers perform`,
      ]
      assert.equal(findDecidingRule(startServers, wide, named), effect === 'allow')
    }
    for (const action of ['performs.start', 'list'] as const) {
      const permission = { ...listServers, action } as Permission
      assert.equal(findDecidingRule(permission, 'allow compute servers perform'), false, action)
    }
  })

  test('deny wins a tie, also between rules that are exact in different scopes', () => {
    const ties = [
      ['allow compute servers list', 'deny compute servers list'],
      ['allow compute * *', 'deny * servers *'],
      ['allow * * list', 'deny compute * *'],
      ['allow * servers list', 'deny compute servers *'],
    ]
    for (const tie of ties) {
      assert.equal(findDecidingRule(listServers, ...tie), false, tie.join(', '))
      assert.equal(findDecidingRule(listServers, ...tie.toReversed()), false, tie.join(', '))
    }
  })

  test('rules of several policies are changed together', () => {
    const wide = policy('allow * * *')
    const narrow = policy('deny compute servers list')
    assert.equal(allows([wide, narrow], listServers), false)
    assert.equal(allows([narrow, wide], listServers), false)
    assert.equal(allows([narrow, wide], { ...listServers, action: 'get' }), true)
  })

  test('a disabled policy neither allows nor denies', () => {
    const off = (text: string) => makePolicy('off', 'project', [rule(text)], false)
    assert.equal(allows([off('allow * * *')], listServers), false)
    assert.equal(
      allows([policy('allow * * *'), off('deny compute servers list')], listServers),
      true,
    )
  })

  test('any rules decide as the most exact of those that match, deny first', () => {
    const scope = (...words: string[]) => fc.constantFrom('*', ...words)
    const anyRule: fc.Arbitrary<PolicyRule> = fc.record({
      service: scope('compute', 'identity'),
      resource: scope('servers', 'disks'),
      action: fc.constantFrom<PolicyAction | '*'>('*', 'list', 'get'),
      effect: fc.constantFrom('allow', 'deny'),
    })
    fc.assert(
      fc.property(fc.array(anyRule, { maxLength: 6 }), (rules) => {
        const decision = allows([makePolicy('any', 'project', rules)], listServers)
        assert.equal(decision, decideByTheBook(rules))
      }),
      { numRuns: runsInLane(1_000) },
    )
  })
})

/** The rule of the specification in its simplest form. */
function decideByTheBook(rules: readonly PolicyRule[]): boolean {
  const wanted = [listServers.service, listServers.resource, listServers.action]
  const partsOf = (candidate: PolicyRule) => [
    candidate.service,
    candidate.resource,
    candidate.action as string,
  ]
  const stars = (candidate: PolicyRule) => partsOf(candidate).filter((part) => part === '*').length
  const matching = rules.filter((candidate) =>
    partsOf(candidate).every((part, index) => part === '*' || part === wanted[index]),
  )
  const fewest = Math.min(...matching.map(stars))
  const strongest = matching.filter((candidate) => stars(candidate) === fewest)
  return strongest.length > 0 && strongest.every(({ effect }) => effect === 'allow')
}
