import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { policyActions, policyServices } from '@muster/contract'
import fc from 'fast-check'
import {
  holding,
  levelOf,
  mayGive,
  mayTake,
  newPolicy,
  placeNames,
  type Held,
  type PlaceName,
  type ScopeName,
} from '../../../testing/identity-world/held-roles.ts'
import type { Permission } from '../policy.ts'
import type { PolicyRecord, PolicyRule } from '../records.ts'
import { runsInLane } from '../../../testing/lanes.ts'

// The model: the rule of the specification, applied to every single permission.

const resources = ['users', 'servers', 'a resource that no rule names']
const universe: readonly Permission[] = policyServices.flatMap((service) =>
  resources.flatMap((resource) => policyActions.map((action) => ({ service, resource, action }))),
)

const scopesOf = ({ service, resource, action }: PolicyRule) => [service, resource, action]
const speaks = (rule: PolicyRule, permission: Permission) =>
  scopesOf(rule).every(
    (word, index) =>
      word === '*' || word === [permission.service, permission.resource, permission.action][index],
  )
const stars = (rule: PolicyRule) => scopesOf(rule).filter((word) => word === '*').length

function isAllowed(rules: readonly PolicyRule[], permission: Permission): boolean {
  const matching = rules.filter((rule) => speaks(rule, permission))
  const fewest = Math.min(...matching.map(stars))
  const strongest = matching.filter((rule) => stars(rule) === fewest)
  return strongest.length > 0 && strongest.every(({ effect }) => effect === 'allow')
}

const rulesOf = (policies: readonly PolicyRecord[]) => policies.flatMap(({ rules }) => rules)
const enabledAt = (held: readonly Held[], at: PlaceName) =>
  rulesOf(
    held
      .filter((role) => role.at === at)
      .flatMap(({ policies }) => policies)
      .filter(({ enabled, scope }) => enabled && scope === levelOf[at]),
  )

/** Whether roles held in a scope apply with a token of another scope. */
const carries: Record<ScopeName, Partial<Record<PlaceName, readonly PlaceName[]>>> = {
  none: {},
  home: { home: ['home', 'ours', 'theirs'] },
  ours: { system: placeNames, ours: ['ours'] },
}

const canDo = (scope: ScopeName, held: readonly Held[], at: PlaceName, permission: Permission) =>
  Object.entries(carries[scope]).some(
    ([source, reached]) =>
      reached.includes(at) && isAllowed(enabledAt(held, source as PlaceName), permission),
  )

/** Every state that the policies of a role can be brought to by enabling some that are disabled. */
function awakenings({ at, policies }: Held): PolicyRule[][] {
  const biting = policies.filter(({ scope }) => scope === levelOf[at])
  return biting.reduce<PolicyRule[][]>(
    (states, { enabled, rules }) => [
      ...(enabled ? [] : states),
      ...states.map((state) => [...state, ...rules]),
    ],
    [[]],
  )
}

const anyRule: fc.Arbitrary<PolicyRule> = fc.record({
  service: fc.constantFrom('*', '*', ...policyServices),
  resource: fc.constantFrom('*', '*', 'users', 'servers'),
  action: fc.constantFrom('*', '*', 'get', 'create'),
  effect: fc.constantFrom('allow', 'allow', 'deny'),
})
const anyPolicy = (at: PlaceName): fc.Arbitrary<PolicyRecord> =>
  fc
    .record({
      rules: fc.array(anyRule, { maxLength: 3 }),
      // Sometimes a policy that does not apply there.
      scope: fc.constantFrom(levelOf[at], levelOf[at], levelOf[at], 'project'),
      enabled: fc.boolean(),
    })
    .map(({ rules, scope, enabled }) => newPolicy(scope, rules, enabled))
const anyHeld = fc
  .constantFrom(...placeNames)
  .chain((at) =>
    fc.record({ at: fc.constant(at), policies: fc.array(anyPolicy(at), { maxLength: 3 }) }),
  )
const anyGiver = fc.record({
  scope: fc.constantFrom<ScopeName>('none', 'home', 'home', 'ours', 'ours', 'ours'),
  held: fc.array(anyHeld, { maxLength: 5 }),
  // Most granting users have some permissions.
  wide: fc.constantFrom<PlaceName | undefined>('system', 'home', 'ours', undefined),
})

type Case = { readonly scope: ScopeName; readonly held: readonly Held[]; readonly role: Held }
const anyCase: fc.Arbitrary<Case> = fc
  .record({ giver: anyGiver, role: anyHeld })
  .map(({ giver: { scope, held, wide }, role }) => ({
    scope,
    held: wide === undefined ? held : [...held, holding(wide, 'allow * * *')],
    role,
  }))

const runs = runsInLane(3_000)

describe('whatever the rules are', () => {
  test('a role can be given by who may do all that it could ever allow there, and nobody else', () => {
    const outcomes = { yes: 0, no: 0 }
    fc.assert(
      fc.property(anyCase, ({ scope, held, role }) => {
        const expected = universe.every(
          (permission) =>
            !awakenings(role).some((rules) => isAllowed(rules, permission)) ||
            canDo(scope, held, role.at, permission),
        )
        outcomes[expected ? 'yes' : 'no'] += 1
        assert.equal(mayGive(scope, held, role), expected)
      }),
      { numRuns: runs },
    )
    assert.ok(Math.min(outcomes.yes, outcomes.no) > runs / 10, JSON.stringify(outcomes))
  })

  test('a role can be taken by who may do all that it forbids there', () => {
    const outcomes = { yes: 0, no: 0 }
    fc.assert(
      fc.property(anyCase, ({ scope, held, role }) => {
        const lacked = universe.filter((permission) => !canDo(scope, held, role.at, permission))
        const rules = rulesOf(role.policies.filter(({ scope: at }) => at === levelOf[role.at]))
        const bans = rules.filter(({ effect }) => effect === 'deny')
        const lackedAndBanned = lacked.filter((permission) =>
          bans.some((ban) => speaks(ban, permission)),
        )
        const isTaken = mayTake(scope, held, role)
        // A user who has every denied permission is never refused.
        if (lackedAndBanned.length === 0) assert.equal(isTaken, true)
        // If a deny rule decides in any state of the role, the user may not revoke it.
        const decided = lackedAndBanned.some((permission) =>
          awakenings(role).some(
            (state) =>
              state.some((rule) => rule.effect === 'deny' && speaks(rule, permission)) &&
              !isAllowed(state, permission),
          ),
        )
        if (decided) assert.equal(isTaken, false)
        outcomes[isTaken ? 'yes' : 'no'] += 1
      }),
      { numRuns: runs },
    )
    assert.ok(Math.min(outcomes.yes, outcomes.no) > runs / 10, JSON.stringify(outcomes))
  })

  test('nobody comes by anything through a role that neither they nor the giver had', () => {
    fc.assert(
      fc.property(anyCase, fc.array(anyHeld, { maxLength: 3 }), (given, others) => {
        const { scope, held, role } = given
        if (!mayGive(scope, held, role)) return
        for (const permission of universe) {
          const before = isAllowed(enabledAt(others, role.at), permission)
          const after = isAllowed(enabledAt([...others, role], role.at), permission)
          if (after && !before) assert.ok(canDo(scope, held, role.at, permission))
        }
      }),
      { numRuns: runsInLane(2_000) },
    )
  })
})
