import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ErrorClass, ScopeRequest } from '@muster/contract'
import {
  makeDomain,
  makeProject,
  makeRole,
  makeUserStatus,
  makeUser,
  onDomain,
  onProject,
  onSystem,
} from '../../testing/identity-world/identity-records.ts'
import { PlatformError } from '../error.ts'
import {
  assignmentsInScope,
  grantScope,
  currentScope,
  openDomains,
  openProjects,
  readRequestedScope,
  toTokenScope,
} from './token-scope.ts'

const role = makeRole('member')
const home = makeDomain('home')
const away = makeDomain('away')
const web = makeProject('web')
const webAway = makeProject('web', { id: 'project-web-away', domain: away })
const closed = makeProject('closed', { enabled: false })
const shut = makeDomain('shut', { enabled: false })
const inShut = makeProject('inside', { domain: shut })
const alice = makeUser('alice')

const userStatus = makeUserStatus(
  alice,
  onProject(role, web),
  onProject(role, webAway),
  onProject(role, closed),
  onProject(role, inShut),
  onDomain(role, home),
  onDomain(role, shut),
  onSystem(role),
)

const isClass = (expected: ErrorClass) => (error: unknown) =>
  error instanceof PlatformError && error.class === expected
const grant = (scope: ScopeRequest | undefined, to = userStatus) =>
  grantScope(readRequestedScope(scope), to)
const isRefused = (scope: ScopeRequest, to = userStatus) =>
  assert.throws(() => grant(scope, to), isClass('UnauthorizedError'), JSON.stringify(scope))

describe('reading the scope of a request', () => {
  test('refuses what makes no sense before anyone is asked for', () => {
    const project = { id: 'project-web' }
    const both = { project, domain: { id: 'domain-home' } }
    assert.throws(() => readRequestedScope(both), isClass('InputParameterError'))
    const incomplete: ScopeRequest[] = [
      { project: {} },
      { project: { domain: { name: 'home' } } },
      { domain: {} },
    ]
    for (const scope of incomplete) {
      assert.throws(
        () => readRequestedScope(scope),
        isClass('MissingParameterError'),
        JSON.stringify(scope),
      )
    }
  })

  test('takes no scope as a requested for the default', () => {
    assert.deepEqual(readRequestedScope(undefined), { kind: 'default' })
    assert.deepEqual(readRequestedScope({}), { kind: 'default' })
  })
})

describe('granting a scope', () => {
  test('finds a project by id, and by name in its own domain', () => {
    assert.deepEqual(grant({ project: { id: web.id } }), { kind: 'project', project: web })
    const byName = { project: { name: ' WEB', domain: { name: 'Home' } } }
    assert.deepEqual(grant(byName), { kind: 'project', project: web })
    const elsewhere = { project: { name: 'web', domain: { id: away.id } } }
    assert.deepEqual(grant(elsewhere), { kind: 'project', project: webAway })
  })

  test('takes a name without a domain for one of the own domain, else for the only one', () => {
    for (const project of [{ name: 'web' }, { name: 'Web', domain: {} }]) {
      assert.deepEqual(grant({ project }), { kind: 'project', project: web })
      const abroad = makeUserStatus(alice, onProject(role, webAway), onProject(role, webAway))
      assert.deepEqual(grant({ project }, abroad), { kind: 'project', project: webAway })
    }
    const far = makeProject('web', { id: 'project-web-far', domain: makeDomain('far') })
    const twice = makeUserStatus(alice, onProject(role, webAway), onProject(role, far))
    isRefused({ project: { name: 'web' } }, twice)
    isRefused({ project: { name: 'closed' } })
    isRefused({ project: { name: 'nowhere' } })
  })

  test('finds a domain by id and by name', () => {
    for (const domain of [{ id: home.id }, { name: 'HOME' }, { id: home.id, name: 'home' }]) {
      assert.deepEqual(grant({ domain }), { kind: 'domain', domain: home })
    }
  })

  test('finds nothing where id, name and domain disagree', () => {
    isRefused({ project: { id: web.id, name: 'other' } })
    isRefused({ project: { id: web.id, domain: { name: 'away' } } })
    isRefused({ project: { name: 'web', domain: { id: home.id, name: 'away' } } })
    isRefused({ domain: { id: home.id, name: 'away' } })
  })

  test('is a failed login where the user holds no role, or the scope is disabled', () => {
    isRefused({ project: { id: 'project-of-others' } })
    isRefused({ domain: { id: away.id } })
    isRefused({ project: { id: closed.id } })
    isRefused({ project: { id: inShut.id } })
    isRefused({ domain: { id: shut.id } })
  })

  test('a role on a domain or on the system is no role on a project', () => {
    const elsewhere = makeUserStatus(alice, onDomain(role, home), onSystem(role))
    isRefused({ project: { id: web.id } }, elsewhere)
    isRefused({ domain: { id: home.id } }, makeUserStatus(alice, onProject(role, web)))
  })

  test('asked for none, gives the default project while it is open, else none', () => {
    const withDefault = (project: { id: string }) =>
      makeUserStatus({ ...alice, defaultProjectId: project.id }, ...userStatus.assignments)
    assert.deepEqual(grant(undefined), { kind: 'none' })
    assert.deepEqual(grant(undefined, withDefault(web)), { kind: 'project', project: web })
    for (const gone of [closed, inShut, { id: 'project-of-others' }]) {
      assert.deepEqual(grant(undefined, withDefault(gone)), { kind: 'none' })
    }
  })
})

describe('the scope of an issued token', () => {
  test('holds as long as the user holds a role there and the scope is enabled', () => {
    const inWeb = { kind: 'project', id: web.id } as const
    const inHome = { kind: 'domain', id: home.id } as const
    assert.deepEqual(currentScope(inWeb, userStatus), { kind: 'project', project: web })
    assert.deepEqual(currentScope(inHome, userStatus), { kind: 'domain', domain: home })
    assert.deepEqual(currentScope({ kind: 'none' }, userStatus), { kind: 'none' })

    const bare = makeUserStatus(alice, onSystem(role))
    assert.equal(currentScope(inWeb, bare), undefined)
    assert.equal(currentScope(inHome, bare), undefined)
    for (const id of [closed.id, inShut.id]) {
      assert.equal(currentScope({ kind: 'project', id }, userStatus), undefined)
    }
    assert.equal(currentScope({ kind: 'domain', id: shut.id }, userStatus), undefined)
  })

  test('is not confused by a project and a domain of one id', () => {
    const twin = makeDomain('twin', { id: web.id })
    const onTwin = makeUserStatus(alice, onDomain(role, twin))
    assert.equal(currentScope({ kind: 'project', id: web.id }, onTwin), undefined)
  })

  test('carries the roles held there, and on a project those on the system', () => {
    const targets = (scope: Parameters<typeof assignmentsInScope>[0]) =>
      assignmentsInScope(scope, userStatus).map(({ target }) => target)
    assert.deepEqual(targets({ kind: 'none' }), [])
    assert.deepEqual(targets({ kind: 'domain', domain: home }), [{ kind: 'domain', domain: home }])
    assert.deepEqual(targets({ kind: 'project', project: web }), [
      { kind: 'project', project: web },
      { kind: 'system' },
    ])
  })

  test('is kept by kind and id alone', () => {
    assert.deepEqual(toTokenScope({ kind: 'none' }), { kind: 'none' })
    assert.deepEqual(toTokenScope({ kind: 'project', project: web }), {
      kind: 'project',
      id: web.id,
    })
    assert.deepEqual(toTokenScope({ kind: 'domain', domain: home }), {
      kind: 'domain',
      id: home.id,
    })
  })
})

describe('what a user can choose from', () => {
  test('is each open scope once', () => {
    const second = makeRole('second')
    const twice = makeUserStatus(alice, ...userStatus.assignments, onProject(second, web))
    assert.deepEqual(openProjects(twice), [web, webAway])
    assert.deepEqual(openDomains(twice), [home])
  })
})
