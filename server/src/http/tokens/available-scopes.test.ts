import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { CatalogService, DomainDto, ProjectDto, Token } from '@muster/contract'
import { ask, requestToken, secretOf, tokenIdentity } from '../../testing/client.ts'
import {
  plainHash,
  startMeasuredLogins,
  type MeasuredLogins,
} from '../../testing/identity-world/measured-logins.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  createIdentityWorld,
  type IdentityWorld,
} from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const password = 'a password with a scope'
const nothing = { id: '', name: '' }
const nobody = { domain: nothing, ...nothing }
const defaultDomain = { id: 'default', name: 'Default' }

interface Links {
  self: string
  next: null
  previous: null
}

onEngineOfLane('the scopes of a user', (engine) => {
  let platform: TestPlatform
  let logins: MeasuredLogins
  let identities: IdentityWorld
  before(async () => {
    platform = await startPlatform({ engine })
    logins = await startMeasuredLogins(platform)
    identities = createIdentityWorld(platform.database)
  })
  after(async () => {
    await logins.close()
    await platform.close()
  })

  let serial = 0
  const fresh = (word: string) => `${word}-${(serial += 1)}`
  const addUser = (options: object = {}) =>
    identities.addUser({ name: fresh('user'), passwordHash: plainHash(password), ...options })
  const login = async (id: string, scope?: unknown) => {
    const answer = await requestToken(logins.url, {
      identity: { methods: ['password'], password: { user: { id, password } } },
      ...(scope !== undefined && { scope }),
    })
    return { secret: secretOf(answer), token: answer.body.token }
  }
  const disable = (table: 'projects' | 'domains' | 'users', id: string) =>
    identities.change(
      platform.database.db.updateTable(table).set({ enabled: 0 }).where('id', '=', id).compile(),
    )
  const get = async <Body>(path: string, token: string) => {
    const answer = await ask<Body>(logins.url, path, { token })
    assert.equal(answer.status, 200)
    return answer.body
  }
  const isUnscoped = (token: Token) => {
    assert.deepEqual(token.project, { Domain: nothing, Id: '', Name: '' })
    assert.equal(token.is_domain, false)
    assert.deepEqual([token.roles, token.catalog], [[], []])
    assert.deepEqual(token.policies, { Domain: [], Project: [], System: [] })
  }

  test('a domain-scoped token has the domain as its project', async () => {
    const name = fresh('Domain')
    const domainId = await identities.addDomain(name)
    const userId = await addUser()
    await identities.assign({ role: 'domain_viewer', userId, domainId })
    const { token } = await login(userId, { domain: { id: domainId } })
    assert.equal(token.is_domain, true)
    assert.deepEqual(token.project, { Domain: { id: domainId, name }, Id: domainId, Name: name })
    assert.deepEqual(token.policies, { Domain: ['domain_viewer'], Project: [], System: [] })
    assert.deepEqual(
      token.roles.map(({ name: role }) => role),
      ['domain_viewer'],
    )
    assert.equal(token.catalog.length, 3)
    const [assignment] = token.role_assignments
    assert.deepEqual(assignment?.scope, { domain: { id: domainId, name }, project: nobody })
    assert.deepEqual(assignment?.policies, { domain: ['domain_viewer'], project: [], system: [] })
    assert.deepEqual(assignment?.group, nobody)
  })

  test('a system role applies in a project, not in a domain', async () => {
    const domainId = await identities.addDomain(fresh('Domain'))
    const projectId = await identities.addProject(fresh('project'), domainId)
    const userId = await addUser()
    await identities.assign({ role: 'auditor', userId })
    await identities.assign({ role: 'domain_viewer', userId, domainId })
    await identities.assign({ role: 'project_viewer', userId, projectId })
    const inDomain = await login(userId, { domain: { id: domainId } })
    assert.deepEqual(inDomain.token.policies.System, [])
    const inProject = await login(userId, { project: { id: projectId } })
    assert.deepEqual(inProject.token.policies, {
      Domain: [],
      Project: ['project_viewer'],
      System: ['system_auditor'],
    })
    const system = inProject.token.role_assignments.find(({ role }) => role.name === 'auditor')
    assert.deepEqual(system?.scope, { domain: nothing, project: nobody })
    assert.deepEqual(system?.policies, { domain: [], project: [], system: ['system_auditor'] })
  })

  test('a system role alone gives no access to a project', async () => {
    const projectId = await identities.addProject(fresh('project'))
    const userId = await addUser()
    await identities.assign({ role: 'admin', userId })
    const answer = await requestToken(logins.url, {
      identity: { methods: ['password'], password: { user: { id: userId, password } } },
      scope: { project: { id: projectId } },
    })
    assert.equal(answer.status, 401)
    const { token } = await login(userId)
    isUnscoped(token)
  })

  test('a login without a scope uses the default project', async () => {
    const name = fresh('default')
    const projectId = await identities.addProject(name)
    const userId = await addUser({ defaultProjectId: projectId })
    await identities.assign({ role: 'project_editor', userId, projectId })
    const { token, secret } = await login(userId)
    assert.deepEqual(token.project, { Domain: defaultDomain, Id: projectId, Name: name })
    assert.deepEqual(token.policies.Project, ['project_editor'])
    const rescoped = await requestToken(logins.url, { identity: tokenIdentity(secret) })
    assert.equal(rescoped.body.token.project.Id, projectId)
  })

  test('an unusable default project is ignored', async () => {
    const makeUnusable: Record<string, (projectId: string, domainId: string) => Promise<unknown>> =
      {
        'it was disabled': (projectId) => disable('projects', projectId),
        'its domain was disabled': (_projectId, domainId) => disable('domains', domainId),
        'the role was revoked': (projectId) =>
          identities.change(
            platform.database.db
              .deleteFrom('assignments')
              .where('project_id', '=', projectId)
              .compile(),
          ),
        'it was deleted': (projectId) =>
          identities.change(
            platform.database.db.deleteFrom('projects').where('id', '=', projectId).compile(),
          ),
      }
    for (const [cause, happen] of Object.entries(makeUnusable)) {
      const domainId = await identities.addDomain(fresh('Domain'))
      const projectId = await identities.addProject(fresh('project'), domainId)
      const userId = await addUser({ defaultProjectId: projectId })
      await identities.assign({ role: 'project_owner', userId, projectId })
      const before = await login(userId)
      assert.equal(before.token.project.Id, projectId, cause)
      await happen(projectId, domainId)
      const { token } = await login(userId)
      isUnscoped(token)
      assert.deepEqual(token.projects, [], cause)
      const old = await ask(logins.url, '/v3/auth/projects', { token: before.secret })
      assert.equal(old.status, 401, cause)
    }
  })

  test('members have the roles of their group', async () => {
    const projectName = fresh('project')
    const projectId = await identities.addProject(projectName)
    const userId = await addUser()
    const groupName = fresh('group')
    const groupId = await identities.addGroup(groupName, [userId])
    await identities.assign({ role: 'project_viewer', groupId, projectId })
    const { token } = await login(userId, { project: { id: projectId } })
    assert.deepEqual(token.policies.Project, ['project_viewer'])
    const [assignment] = token.role_assignments
    assert.equal(token.role_assignments.length, 1)
    assert.deepEqual(assignment?.group, { domain: defaultDomain, id: groupId, name: groupName })
    assert.deepEqual(assignment?.user, nobody)
    assert.deepEqual(assignment?.scope, {
      domain: nothing,
      project: { domain: defaultDomain, id: projectId, name: projectName },
    })
    await identities.change(
      platform.database.db.deleteFrom('group_members').where('user_id', '=', userId).compile(),
    )
    const later = await login(userId)
    assert.deepEqual(later.token.role_assignments, [])
  })

  test('a role from two assignments is listed twice and granted once', async () => {
    const projectId = await identities.addProject(fresh('project'))
    const userId = await addUser()
    const groupId = await identities.addGroup(fresh('group'), [userId])
    await identities.assign({ role: 'project_viewer', userId, projectId })
    await identities.assign({ role: 'project_viewer', groupId, projectId })
    const { token } = await login(userId, { project: { id: projectId } })
    assert.equal(token.role_assignments.length, 2)
    assert.equal(token.roles.length, 1)
    assert.deepEqual(token.policies.Project, ['project_viewer'])
    assert.equal(token.projects.length, 1)
  })

  test('projects and domains list exactly the scopes a user can get a token for', async () => {
    const domainId = await identities.addDomain(fresh('Domain'))
    const closedDomain = await identities.addDomain(fresh('Closed'))
    const openName = fresh('a-open')
    const open = await identities.addProject(openName, domainId)
    const byGroup = await identities.addProject(fresh('b-group'))
    const closed = await identities.addProject(fresh('closed'))
    const inClosed = await identities.addProject(fresh('in-closed'), closedDomain)
    await identities.addProject(fresh('foreign'))
    const userId = await addUser()
    const groupId = await identities.addGroup(fresh('group'), [userId])
    for (const projectId of [open, closed, inClosed]) {
      await identities.assign({ role: 'project_viewer', userId, projectId })
    }
    await identities.assign({ role: 'project_owner', userId, projectId: open })
    await identities.assign({ role: 'project_viewer', groupId, projectId: byGroup })
    await identities.assign({ role: 'domain_viewer', userId, domainId })
    await identities.assign({ role: 'domain_viewer', userId, domainId: closedDomain })
    await disable('projects', closed)
    await disable('domains', closedDomain)

    const { secret, token } = await login(userId)
    const { projects, links } = await get<{ projects: ProjectDto[]; links: Links }>(
      '/v3/auth/projects',
      secret,
    )
    assert.deepEqual(projects.map(({ id }) => id).sort(), [open, byGroup].sort())
    assert.deepEqual(token.projects.map(({ Id }) => Id).sort(), [open, byGroup].sort())
    assert.deepEqual(
      projects.find(({ id }) => id === open),
      {
        id: open,
        name: openName,
        domain_id: domainId,
        description: '',
        enabled: true,
        parent_id: domainId,
        is_domain: false,
        tags: [],
        options: {},
        created_at: '2026-01-01T00:00:00.000000Z',
        links: { self: `${platform.authUrl}/v3/projects/${open}` },
      },
    )
    assert.deepEqual(links, {
      self: `${platform.authUrl}/v3/auth/projects`,
      next: null,
      previous: null,
    })
    const { domains } = await get<{ domains: DomainDto[] }>('/v3/auth/domains', secret)
    assert.deepEqual(
      domains.map(({ id }) => id),
      [domainId],
    )
    for (const { id } of projects) {
      assert.equal((await login(userId, { project: { id } })).token.project.Id, id)
    }
  })

  test('the lists are the same with every token of the user', async () => {
    const domainId = await identities.addDomain(fresh('Domain'))
    const projectId = await identities.addProject(fresh('project'), domainId)
    const userId = await addUser()
    await identities.assign({ role: 'project_viewer', userId, projectId })
    await identities.assign({ role: 'domain_viewer', userId, domainId })
    const scopes = [undefined, { project: { id: projectId } }, { domain: { id: domainId } }]
    const lists = []
    for (const scope of scopes) {
      const { secret } = await login(userId, scope)
      lists.push([await get('/v3/auth/projects', secret), await get('/v3/auth/domains', secret)])
    }
    assert.deepEqual(lists[1], lists[0])
    assert.deepEqual(lists[2], lists[0])
  })

  test('the catalog is empty without a scope', async () => {
    const projectId = await identities.addProject(fresh('project'))
    const userId = await addUser()
    await identities.assign({ role: 'project_viewer', userId, projectId })
    const catalogOf = async (scope?: unknown) => {
      const { secret, token } = await login(userId, scope)
      const { catalog } = await get<{ catalog: CatalogService[] }>('/v3/auth/catalog', secret)
      assert.deepEqual(catalog, token.catalog)
      return catalog
    }
    assert.deepEqual(await catalogOf(), [])
    const catalog = await catalogOf({ project: { id: projectId } })
    assert.deepEqual(
      catalog.map(({ type, name }) => [type, name]),
      [
        ['identity', 'keystone'],
        ['compute_v2', 'region2'],
        ['log', 'log'],
      ],
    )
    for (const { type, endpoints } of catalog) {
      assert.deepEqual(
        endpoints.map((endpoint) => endpoint.interface),
        ['public', 'internal', 'admin'],
      )
      const address = type === 'identity' ? `${platform.authUrl}/v3` : platform.baseUrl
      for (const endpoint of endpoints) {
        assert.deepEqual(
          [endpoint.url, endpoint.region, endpoint.region_id],
          [address, 'region0', 'region0'],
        )
      }
    }
    const ids = catalog.flatMap(({ id, endpoints }) => [id, ...endpoints.map((it) => it.id)])
    assert.equal(new Set(ids).size, ids.length)
  })

  test('a token expires with the user and with its parent', async () => {
    const hour = 3_600_000
    const userId = await addUser({ expiresAt: Date.now() + hour })
    const { secret, token } = await login(userId)
    const life = Date.parse(token.expires_at) - Date.parse(token.issued_at)
    assert.ok(life <= hour)
    const child = await requestToken(logins.url, { identity: tokenIdentity(secret) })
    assert.equal(child.body.token.expires_at, token.expires_at)
    const eternal = await login(await addUser())
    assert.equal(
      Date.parse(eternal.token.expires_at) - Date.parse(eternal.token.issued_at),
      24 * hour,
    )
    await pause(5)
    const later = await requestToken(logins.url, { identity: tokenIdentity(eternal.secret) })
    assert.notEqual(later.body.token.issued_at, eternal.token.issued_at)
    assert.equal(later.body.token.expires_at, eternal.token.expires_at)
  })
})
