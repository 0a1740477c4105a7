import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Level } from '@muster/contract'
import { parseRule } from '../../../testing/identity-world/parse-rule.ts'
import {
  holding,
  mayGive,
  mayTake,
  newPolicy,
  placeNames,
  principalOf,
  type ScopeName,
} from '../../../testing/identity-world/held-roles.ts'
import type { Assignment } from '../records.ts'
import type { Principal } from '../principal.ts'
import {
  refuseAccessKeyToken,
  requireCanGrant,
  requireCanRevoke,
  requireNoSystemRole,
} from './authority.ts'

const policy = (scope: Level, rules: readonly string[], enabled = true) =>
  newPolicy(scope, rules.map(parseRule), enabled)

describe('giving', () => {
  test('takes all that is given, in its very scope', () => {
    const owner = [holding('ours', 'allow * * *')]
    assert.equal(mayGive('ours', owner, holding('ours', 'allow * * *')), true)
    for (const elsewhere of placeNames.filter((name) => name !== 'ours')) {
      assert.equal(mayGive('ours', owner, holding(elsewhere, 'allow compute servers get')), false)
    }
  })

  test('reaches from a domain to its own projects, and no further', () => {
    const domainAdmin = [holding('home', 'allow * * *')]
    const allowed = placeNames.filter((name) =>
      mayGive('home', domainAdmin, holding(name, 'allow * * *')),
    )
    assert.deepEqual(allowed, ['home', 'ours', 'theirs'])
    // The same person, with a token for a project.
    assert.equal(mayGive('ours', domainAdmin, holding('home', 'allow * * *')), false)
  })

  test('reaches from the system everywhere, but only with a token for a project', () => {
    const admin = [holding('system', 'allow * * *')]
    const authorizedScope = (scope: ScopeName) =>
      placeNames.filter((name) => mayGive(scope, admin, holding(name, 'allow * * *')))
    assert.deepEqual(authorizedScope('ours'), placeNames)
    assert.deepEqual(authorizedScope('home'), [])
    assert.deepEqual(authorizedScope('none'), [])
  })

  test('of everything is not in the hands of who holds every resource that has a name', () => {
    const named = ['allow identity users *', 'allow compute servers *']
    const giver = [holding('ours', ...named)]
    assert.equal(mayGive('ours', giver, holding('ours', ...named)), true)
    assert.equal(mayGive('ours', giver, holding('ours', 'allow * * get')), false)
    assert.equal(mayGive('ours', giver, holding('ours', 'allow compute * get')), false)
    assert.equal(mayGive('ours', giver, holding('ours', 'allow * servers get')), false)
  })

  test('heeds what the giver is forbidden, and what the role forbids', () => {
    const giver = [holding('ours', 'allow * * *', 'deny identity users create')]
    assert.equal(mayGive('ours', giver, holding('ours', 'allow * * *')), false)
    assert.equal(mayGive('ours', giver, holding('ours', 'allow identity users create')), false)
    assert.equal(mayGive('ours', giver, holding('ours', 'allow compute * *')), true)
    const masked = holding('ours', 'allow * * *', 'deny identity users *')
    assert.equal(mayGive('ours', giver, masked), true)
  })

  test('of a ban alone is open to everyone, for it gives nothing', () => {
    assert.equal(mayGive('none', [], holding('system', 'deny * * *')), true)
    assert.equal(mayGive('none', [], { at: 'ours', policies: [] }), true)
  })

  test('counts a policy that is disabled: somebody may enable it later', () => {
    const giver = [holding('ours', 'allow compute servers get')]
    const asleep = { at: 'ours', policies: [policy('project', ['allow * * *'], false)] } as const
    assert.equal(mayGive('ours', giver, asleep), false)
    // The giver's own count for nothing while they are.
    const idle = { at: 'ours', policies: [policy('project', ['allow * * *'], false)] } as const
    assert.equal(mayGive('ours', [idle], holding('ours', 'allow compute servers get')), false)
  })

  test('is not made easier by a ban that is disabled: it bans nothing', () => {
    const giver = [holding('ours', 'allow compute * *')]
    const role = {
      at: 'ours',
      policies: [
        policy('project', ['allow * * *']),
        policy('project', ['deny identity * *'], false),
      ],
    } as const
    assert.equal(mayGive('ours', giver, role), false)
  })

  test('passes over policies that do not bite there', () => {
    const role = {
      at: 'ours',
      policies: [
        policy('project', ['allow compute servers get']),
        policy('system', ['allow * * *']),
      ],
    } as const
    assert.equal(mayGive('ours', [holding('ours', 'allow compute servers get')], role), true)
  })

  test('says what is missing, in words', () => {
    const give = (...rules: string[]) =>
      requireCanGrant(
        principalOf('none', []),
        { kind: 'system' },
        [policy('system', rules)],
        'do it',
      )
    assert.throws(() => give('allow identity users create'), {
      class: 'ForbiddenError',
      message: /^You cannot do it: .*"create" on "users" of service "identity"/,
    })
    assert.throws(() => give('allow identity * create'), { message: /"create" on everything of/ })
  })
})

describe('taking', () => {
  test('what only allows is open to everyone', () => {
    assert.equal(mayTake('none', [], holding('system', 'allow * * *')), true)
    assert.equal(mayTake('none', [], { at: 'system', policies: [] }), true)
  })

  test('a ban needs the right that it takes away, in its very scope', () => {
    const ban = 'deny identity users create'
    const able = [holding('ours', 'allow identity users create')]
    assert.equal(mayTake('ours', able, holding('ours', ban)), true)
    assert.equal(mayTake('ours', able, holding('theirs', ban)), false)
    assert.equal(mayTake('ours', able, holding('home', ban)), false)
    assert.equal(mayTake('ours', able, holding('ours', 'deny identity users *')), false)
    assert.equal(mayTake('ours', able, holding('ours', 'deny * * *')), false)
  })

  test('one cannot take a ban off oneself', () => {
    const banned = [
      holding('system', 'allow * * *'),
      holding('system', 'deny identity policies update'),
    ]
    assert.equal(mayTake('ours', banned, holding('system', 'deny identity policies update')), false)
    assert.equal(mayTake('ours', banned, holding('system', 'deny identity roles update')), true)
  })

  test('a ban that is disabled counts: it may be enabled again', () => {
    const policies = [policy('system', ['deny identity users create'], false)]
    assert.equal(mayTake('ours', [], { at: 'system', policies }), false)
    const nobody = principalOf('none', [])
    assert.throws(() => requireCanRevoke(nobody, { kind: 'system' }, policies, 'do it'), {
      class: 'ForbiddenError',
    })
  })
})

test('a token from an access key login creates no other credential', () => {
  const principal = (accessKey: object | null) => ({ token: { accessKey } }) as unknown as Principal
  refuseAccessKeyToken(principal(null), 'do this')
  assert.throws(() => refuseAccessKeyToken(principal({ id: 'key' }), 'do this'), {
    class: 'ForbiddenError',
    message: /access key login cannot do this/,
  })
})

test('only administrators of the system change those who hold a role on it', () => {
  const held = (...kinds: Level[]) =>
    kinds.map((kind) => ({ target: { kind } }) as unknown as Assignment)
  const change = (kind: 'system' | 'none', ...kinds: Level[]) =>
    requireNoSystemRole({ scope: { kind }, self: undefined }, held(...kinds))
  change('system', 'project', 'system')
  change('none', 'project', 'domain')
  change('none')
  assert.throws(() => change('none', 'project', 'system'), { class: 'ForbiddenError' })
})
