import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ProjectDto, ProjectSummary } from '@muster/contract'
import { ask } from '../../testing/client.ts'
import {
  createAdminClient,
  createContractClient,
  type ContractClient,
} from '../../testing/contract-client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { addTenant, type Tenant } from '../../testing/identity-world/add-tenant.ts'
import { testLifecycle } from '../../testing/identity-world/resource-lifecycle.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { serverWithResources } from '../../testing/inventory-world/minimal-server.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

onEngineOfLane('projects', (engine) => {
  let platform: TestPlatform
  let admin: ContractClient
  let tenant: Tenant
  let owner: ContractClient
  before(async () => {
    platform = await startPlatform({ engine })
    admin = await createAdminClient(platform)
    tenant = await addTenant(platform.database, 'Tenant')
    owner = createContractClient(platform.url, (await tenant.person('domain_admin')).token)
  })
  after(() => platform.close())

  // Behaviour common to both engines is tested on one.
  if (engine === 'sqlite') {
    testLifecycle(
      {
        noun: 'Project',
        nouns: 'Projects',
        key: 'project',
        keys: 'projects',
        // An administrator with a token for a project of the default domain.
        bare: {
          domain_id: 'default',
          parent_id: 'default',
          is_domain: false,
          description: '',
          enabled: true,
          tags: [],
          options: {},
        },
        changes: { description: 'Sequencing', enabled: false },
      },
      () => platform,
      () => admin,
    )
  }

  const create = async (client: ContractClient, project: object) =>
    (await client.get<{ project: ProjectDto }>('createProject', { body: { project } })).project

  test('projects are summarized: servers, users and owners, where the caller can list them', async () => {
    const identities = createIdentityWorld(platform.database)
    const { domains: domainId } = tenant.ids
    const [full, empty, elsewhere] = [
      await identities.addProject('full', domainId),
      await identities.addProject('empty', domainId),
      await identities.addProject('elsewhere'),
    ]
    const [olga, victor, member] = await Promise.all(
      ['olga', 'victor', 'of the crew'].map((name) => identities.addUser({ name, domainId })),
    )
    const crew = await identities.addGroup('crew', [olga ?? '', member ?? ''])
    const projectId = full
    await identities.assign({ role: 'project_owner', userId: olga ?? '', projectId })
    await identities.assign({ role: 'project_viewer', userId: olga ?? '', projectId })
    await identities.assign({ role: 'project_viewer', userId: victor ?? '', projectId })
    await identities.assign({ role: 'project_owner', groupId: crew, projectId })
    await platform.inventory.recordServers({
      present: [serverWithResources(full), serverWithResources(full)],
      gone: [],
    })
    const query = `project_id=${full}&project_id=${empty}&project_id=${elsewhere}&project_id=none`
    const summaries = async (client: ContractClient) => {
      const path = 'getProjectSummaries'
      const body = await client.get<{ project_summaries: ProjectSummary[] }>(path, { query })
      return new Map(body.project_summaries.map((each) => [each.project_id, each]))
    }
    const own = await summaries(owner)
    assert.deepEqual(own.get(full), {
      project_id: full,
      servers: 2,
      users: 3,
      owners: ['crew', 'olga'],
    })
    assert.deepEqual(own.get(empty), { project_id: empty, servers: 0, users: 0, owners: [] })
    assert.equal(own.size, 2)
    assert.equal((await summaries(admin)).size, 3)

    for (const [resource, expected] of [
      ['users', { servers: null, users: 3, owners: ['crew', 'olga'] }],
      ['servers', { servers: 2, users: null, owners: null }],
    ] as const) {
      const service = resource === 'users' ? 'identity' : 'compute'
      const rules = [
        { service: 'identity', resource: 'projects', action: 'list', effect: 'allow' },
        { service, resource, action: 'list', effect: 'allow' },
      ] as const
      await identities.addRole(`lists ${resource}`, 'domain', rules)
      const userId = await identities.addUser({ name: `lists ${resource}`, domainId })
      await identities.assign({ role: `lists ${resource}`, userId, domainId })
      const scope = { kind: 'domain', id: domainId } as const
      const token = await insertToken(platform.database, { userId, scope })
      const seen = await summaries(createContractClient(platform.url, token))
      assert.deepEqual(seen.get(full), { project_id: full, ...expected }, resource)
    }
  })

  test('a project is created in the given domain, or else in the domain of the token', async () => {
    const { domains } = tenant.ids
    const where = [
      await create(admin, { name: 'said', domain_id: domains }),
      await create(admin, { name: 'said so', parent_id: domains }),
      await create(admin, { name: 'said twice', domain_id: domains, parent_id: domains }),
      await create(owner, { name: 'unsaid', is_domain: false, tags: [], options: {} }),
    ]
    for (const { domain_id, parent_id } of where) {
      assert.deepEqual([domain_id, parent_id], [domains, domains])
    }
  })

  test('projects cannot be nested, act as domains or move', async () => {
    const { projects, domains } = tenant.ids
    const fails = async (project: object, field: string, id?: string) => {
      const error = await admin.fail(
        'InputParameterError',
        id === undefined ? 'createProject' : 'updateProject',
        { ...(id !== undefined && { path: { id } }), body: { project } },
      )
      assert.ok(
        error.fields?.some(({ path }) => path === `project.${field}`),
        error.details,
      )
    }
    await fails({ name: 'nested', parent_id: projects }, 'parent_id')
    await fails({ name: 'nested', domain_id: domains, parent_id: projects }, 'parent_id')
    await fails({ name: 'nested', domain_id: domains, parent_id: 'default' }, 'parent_id')
    await fails({ name: 'lost', domain_id: 'none' }, 'domain_id')
    await fails({ name: 'a domain', is_domain: true }, 'is_domain')
    await fails({ name: 'tagged', tags: ['x'] }, 'tags')
    await fails({ domain_id: 'default' }, 'domain_id', projects)
    await fails({ parent_id: 'default' }, 'parent_id', projects)
  })

  test('the same name can be used in another domain', async () => {
    const here = await create(owner, { name: 'twin' })
    const there = await create(admin, { name: 'TWIN' })
    assert.notEqual(here.domain_id, there.domain_id)
    const { projects } = await admin.get<{ projects: ProjectDto[] }>('listProjects', {
      query: 'name=twin',
    })
    assert.deepEqual(projects.map(({ id }) => id).sort(), [here.id, there.id].sort())
    await owner.fail('ResourceNotFoundError', 'getProject', { path: { id: there.id } })
  })

  test('disabling or deleting a project ends the tokens for it, and no others', async () => {
    const [first, second] = [
      await addTenant(platform.database, 'First'),
      await addTenant(platform.database, 'Second'),
    ]
    const people = [
      await first.person('project_owner'),
      await second.person('project_owner'),
      await first.person('domain_viewer'),
    ]
    const statuses = () =>
      Promise.all(
        people.map(
          async ({ token }) => (await ask(platform.url, '/v3/auth/catalog', { token })).status,
        ),
      )
    assert.deepEqual(await statuses(), [200, 200, 200])
    const path = { id: first.ids.projects }
    await admin.get('updateProject', { path, body: { project: { enabled: false } } })
    assert.deepEqual(await statuses(), [401, 200, 200])
    await admin.get('updateProject', { path, body: { project: { enabled: true } } })
    assert.deepEqual(await statuses(), [401, 200, 200])
    await admin.get('deleteProject', { path: { id: second.ids.projects } })
    assert.deepEqual(await statuses(), [401, 401, 200])
  })

  test('the project "system" cannot be deleted, disabled or renamed', async () => {
    const { projects } = await admin.get<{ projects: ProjectDto[] }>('listProjects', {
      query: 'name=system&domain_id=default',
    })
    const path = { id: projects[0]?.id ?? '' }
    await admin.fail('ConflictError', 'deleteProject', { path })
    for (const project of [{ enabled: false }, { name: 'other' }, { name: 'a', enabled: true }]) {
      await admin.fail('ConflictError', 'updateProject', { path, body: { project } })
    }
    const allowed = { name: 'System', enabled: true, description: 'For administrators' }
    await admin.get('updateProject', { path, body: { project: allowed } })
    await admin.get('updateProject', { path, body: { project: { name: 'system' } } })
    // Only the one of the default domain.
    const other = await create(owner, { name: 'system' })
    await admin.get('updateProject', { path: { id: other.id }, body: { project: { name: 'x' } } })
    await admin.get('deleteProject', { path: { id: other.id } })
  })
})
