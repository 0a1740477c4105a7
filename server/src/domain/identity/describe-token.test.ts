import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { TokenBody } from '@muster/contract'
import { Ajv } from 'ajv'
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
} from '../../testing/identity-world/identity-records.ts'
import { createCacheMemory } from '../cache.ts'
import { createCatalog } from './catalog.ts'
import { createDescribeToken } from './describe-token.ts'
import { createPrincipal } from './principal.ts'
import type { Assignment, UserRecord } from './records.ts'
import type { GrantedScope } from './token-scope.ts'

const matchesContract = new Ajv({ strict: false, validateFormats: false }).compile(TokenBody)
const catalog = createCatalog({ authUrl: 'http://a', baseUrl: 'http://b', region: 'region0' })
const describeToken = createDescribeToken(catalog, createCacheMemory(2 ** 24))

const home = makeDomain('home')
const web = makeProject('web')
const alice = makeUser('alice', { displayname: 'Alice A.', email: 'a@example.org', mobile: '1' })
const editor = makeRole('editor', [makePolicy('edit', 'project')])
const group = { id: 'group-ops', name: 'ops', domain: { id: 'domain-away', name: 'away' } }

const nothing = { id: '', name: '' }
const nobody = { domain: nothing, id: '', name: '' }
const homeReference = { id: 'domain-home', name: 'home' }
const aliceMember = { domain: homeReference, id: 'user-alice', name: 'alice' }
const webMember = { domain: homeReference, id: 'project-web', name: 'web' }
const webAsToken = { Domain: homeReference, Id: 'project-web', Name: 'web' }

/** Describes a token, and checks that the contract has all its keys. */
function tell(scope: GrantedScope, assignments: Assignment[], user: UserRecord = alice) {
  const principal = createPrincipal(makeToken(), makeUserStatus(user, ...assignments), scope)
  const token = describeToken(principal)
  assert.ok(matchesContract({ token }), JSON.stringify(matchesContract.errors))
  return token
}

const inWeb: GrantedScope = { kind: 'project', project: web }
const inHome: GrantedScope = { kind: 'domain', domain: home }
const unscoped: GrantedScope = { kind: 'none' }

describe('a role assignment in a token', () => {
  const only = (assignment: Assignment) => tell(unscoped, [assignment]).role_assignments[0]

  test("of the user's own names the user, and no group", () => {
    assert.deepEqual(only(onProject(editor, web)), {
      group: nobody,
      role: { domain: homeReference, id: 'role-editor', name: 'editor' },
      user: aliceMember,
      policies: { domain: [], project: ['edit'], system: [] },
      scope: { domain: nothing, project: webMember },
    })
  })

  test('of a group names the group, and no user', () => {
    assert.deepEqual(only(onProject(editor, web, group)), {
      group,
      role: { domain: homeReference, id: 'role-editor', name: 'editor' },
      user: nobody,
      policies: { domain: [], project: ['edit'], system: [] },
      scope: { domain: nothing, project: webMember },
    })
  })

  test('on a domain has the domain in its scope, and no project', () => {
    const viewer = makeRole('viewer', [makePolicy('view', 'domain')])
    const told = only(onDomain(viewer, home))
    assert.deepEqual(told?.scope, { domain: homeReference, project: nobody })
    assert.deepEqual(told?.policies, { domain: ['view'], project: [], system: [] })
  })

  test('on the system has empty strings in its scope, and its policies under system', () => {
    const admin = makeRole('admin', [makePolicy('all', 'system')])
    const told = only(onSystem(admin))
    assert.deepEqual(told?.scope, { domain: nothing, project: nobody })
    assert.deepEqual(told?.policies, { domain: [], project: [], system: ['all'] })
  })

  test('shows only the policies that bite where the role is held', () => {
    const mixed = makeRole('mixed', [
      makePolicy('here', 'project'),
      makePolicy('elsewhere', 'system'),
      makePolicy('off', 'project', [], false),
    ])
    assert.deepEqual(only(onProject(mixed, web))?.policies, {
      domain: [],
      project: ['here'],
      system: [],
    })
  })
})

describe('a token', () => {
  const admin = makeRole('admin', [makePolicy('all', 'system')])
  const ruler = makeRole('ruler', [makePolicy('rule', 'domain')])
  const other = makeProject('other')
  const held = [
    onProject(editor, web),
    onProject(editor, web, group),
    onProject(makeRole('guest', [makePolicy('look', 'project')]), other),
    onProject(editor, makeProject('closed', { enabled: false })),
    onDomain(ruler, home),
    onSystem(admin),
  ]

  test('of a project has the roles and policies held there and on the system, each once', () => {
    const token = tell(inWeb, held)
    assert.equal(token.is_domain, false)
    assert.deepEqual(token.project, webAsToken)
    assert.deepEqual(token.roles, [
      { id: 'role-editor', name: 'editor' },
      { id: 'role-admin', name: 'admin' },
    ])
    assert.deepEqual(token.policies, { Domain: [], Project: ['edit'], System: ['all'] })
    assert.deepEqual(token.catalog, catalog)
  })

  test('of a domain is marked so, and has the domain as its project', () => {
    const token = tell(inHome, held)
    assert.equal(token.is_domain, true)
    assert.deepEqual(token.project, { Domain: homeReference, Id: 'domain-home', Name: 'home' })
    assert.deepEqual(token.roles, [{ id: 'role-ruler', name: 'ruler' }])
    assert.deepEqual(token.policies, { Domain: ['rule'], Project: [], System: [] })
    assert.deepEqual(token.catalog, catalog)
  })

  test('without a scope has no roles, no policies, no catalog, and says what could be chosen', () => {
    const token = tell(unscoped, held)
    assert.equal(token.is_domain, false)
    assert.deepEqual(token.project, { Domain: nothing, Id: '', Name: '' })
    assert.deepEqual([token.roles, token.catalog], [[], []])
    assert.deepEqual(token.policies, { Domain: [], Project: [], System: [] })
    assert.equal(token.role_assignments.length, held.length)
    const otherAsToken = { Domain: homeReference, Id: 'project-other', Name: 'other' }
    assert.deepEqual(token.projects, [webAsToken, otherAsToken])
  })

  test('tells who, how, since when and from where', () => {
    const { user, methods, issued_at, expires_at, context, access_key } = tell(unscoped, [])
    assert.deepEqual(user, {
      Displayname: 'Alice A.',
      Email: 'a@example.org',
      Id: 'user-alice',
      Mobile: '1',
      Name: 'alice',
      Domain: homeReference,
      PasswordExpiresAt: null,
    })
    assert.deepEqual(methods, ['password'])
    assert.equal(issued_at, '2026-01-01T00:00:00.000000Z')
    assert.equal(expires_at, '2026-01-02T00:00:00.000000Z')
    assert.deepEqual(context, { ip: '192.0.2.7', source: 'api' })
    assert.deepEqual(access_key, { AccessKey: '', expire: 0, secret: '' })
  })

  test('tells when a password ends that does', () => {
    const ending = makeUser('alice', { passwordExpiresAt: Date.UTC(2026, 5, 1) })
    const { user } = tell(unscoped, [], ending)
    assert.equal(user.PasswordExpiresAt, '2026-06-01T00:00:00.000000Z')
  })

  test('shows nothing of a domain but its id and name', () => {
    const secretive = makeDomain('home', { description: 'not for tenants' })
    const project = makeProject('web', { domain: secretive, description: 'nor this' })
    const user = makeUser('alice', { domain: secretive })
    const text = JSON.stringify([
      tell({ kind: 'project', project }, [onProject(editor, project)], user),
      tell({ kind: 'domain', domain: secretive }, [onDomain(ruler, secretive)], user),
    ])
    assert.doesNotMatch(text, /not for tenants|nor this/)
  })
})
