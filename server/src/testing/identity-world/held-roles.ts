import assert from 'node:assert/strict'
import type { Level } from '@muster/contract'
import { PlatformError } from '../../domain/error.ts'
import {
  requireCanGrantAll,
  requireCanRevokeAll,
} from '../../domain/identity/administration/authority.ts'
import { createPrincipal, type Principal } from '../../domain/identity/principal.ts'
import type { Assignment, PolicyRecord } from '../../domain/identity/records.ts'
import type { GrantedScope } from '../../domain/identity/token-scope.ts'
import {
  makeDomain,
  makePolicy,
  makeProject,
  makeRole,
  makeUserStatus,
  makeToken,
  makeUser,
  onDomain,
  onProject,
  onSystem,
} from './identity-records.ts'
import { parseRule } from './parse-rule.ts'

/** Six places, few enough to check every combination. */

const home = makeDomain('home')
const abroad = makeDomain('abroad')
const ours = makeProject('ours', { domain: home })
const theirs = makeProject('theirs', { domain: home })
const foreign = makeProject('foreign', { domain: abroad })

/** Every place, and how a role is held there. */
const places = {
  system: onSystem,
  home: (role) => onDomain(role, home),
  abroad: (role) => onDomain(role, abroad),
  ours: (role) => onProject(role, ours),
  theirs: (role) => onProject(role, theirs),
  foreign: (role) => onProject(role, foreign),
} satisfies Record<string, (role: Assignment['role']) => Assignment>
export type PlaceName = keyof typeof places
export const placeNames = Object.keys(places) as PlaceName[]

/** The scope of the policies that apply there. */
export const levelOf: Readonly<Record<PlaceName, Level>> = {
  system: 'system',
  home: 'domain',
  abroad: 'domain',
  ours: 'project',
  theirs: 'project',
  foreign: 'project',
}

const scopes = {
  none: { kind: 'none' },
  home: { kind: 'domain', domain: home },
  ours: { kind: 'project', project: ours },
} satisfies Record<string, GrantedScope>
export type ScopeName = keyof typeof scopes

/** The policies of a role, and where it is held. */
export interface Held {
  readonly at: PlaceName
  readonly policies: readonly PolicyRecord[]
}

const assignmentOf = ({ at, policies }: Held, name = 'some'): Assignment =>
  places[at](makeRole(name, policies))

/** A user with these roles and a token of this scope. */
export const principalOf = (scope: ScopeName, held: readonly Held[]): Principal =>
  createPrincipal(
    makeToken(),
    makeUserStatus(
      makeUser('giver'),
      ...held.map((role, index) => assignmentOf(role, `held-${index}`)),
    ),
    scopes[scope],
  )

let serial = 0
export const newPolicy = (
  scope: Level,
  rules: Parameters<typeof makePolicy>[2],
  enabled = true,
): PolicyRecord => makePolicy(String((serial += 1)), scope, rules, enabled)

/** A role held at a place, with one policy that applies there. */
export const holding = (at: PlaceName, ...rules: string[]): Held => ({
  at,
  policies: [newPolicy(levelOf[at], rules.map(parseRule))],
})

/** False for a ForbiddenError; any other error fails the test. */
function isAllowed(check: () => void): boolean {
  try {
    check()
    return true
  } catch (error) {
    assert.ok(error instanceof PlatformError, String(error))
    assert.equal(error.class, 'ForbiddenError')
    return false
  }
}

export const mayGive = (scope: ScopeName, held: readonly Held[], role: Held): boolean =>
  isAllowed(() => requireCanGrantAll(principalOf(scope, held), [assignmentOf(role)], 'give it'))

export const mayTake = (scope: ScopeName, held: readonly Held[], role: Held): boolean =>
  isAllowed(() => requireCanRevokeAll(principalOf(scope, held), [assignmentOf(role)], 'take it'))
