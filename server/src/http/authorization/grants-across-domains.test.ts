import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations, type Operation } from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  openIdentityApi,
  providerFields,
  type IdentityApi,
} from '../../testing/identity-world/open-identity-api.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

const all: readonly Operation[] = operations

/** Resource types that belong to a domain; all others are system-wide. */
type Owned = 'domains' | 'projects' | 'users' | 'groups' | 'credentials' | 'identity_providers'
type Resources = Record<Owned | 'roles' | 'policies', string>

const namedKinds: Readonly<Record<string, keyof Resources>> = {
  user_id: 'users',
  group_id: 'groups',
  role_id: 'roles',
  policy_id: 'policies',
}
const kindOf = ({ path }: Operation, parameter: string) =>
  parameter === 'id' ? (path.split('/')[2] as keyof Resources) : namedKinds[parameter]
const parametersOf = ({ path }: Operation) =>
  Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)

onEngineOfLane('a domain admin', (engine) => {
  let platform: TestPlatform
  let identityApi: IdentityApi
  let own: Resources
  let foreign: Resources
  let token: string
  before(async () => {
    platform = await startPlatform({ engine })
    identityApi = await openIdentityApi(platform)
    own = await settle()
    foreign = await settle()
    const role = identityApi.role('domain_admin')
    const { id } = await identityApi.addCaller({ domainId: own.domains, domain: [role] })
    token = await identityApi.tokenFor(id, { domain: own.domains })
  })
  after(() => platform.close())

  /** A domain with one resource of every type. */
  async function settle(): Promise<Resources> {
    const domains = await identityApi.addDomain()
    const {
      id: users,
      projectId: projects,
      token: theirs,
    } = await identityApi.addCaller({
      domainId: domains,
    })
    const { groups, identity_providers } = await identityApi.add((plan) => {
      const group = plan.group(domains, users)
      plan.grant(identityApi.bare, { group }, { project: projects })
      plan.grant(identityApi.bare, { user: users }, { domain: domains })
      return { groups: group, identity_providers: plan.provider(domains) }
    })
    const made = await identityApi.call(theirs, 'POST', '/v3/credentials', {
      credential: { type: 'aksk', project_id: projects },
    })
    return {
      domains,
      projects,
      users,
      groups,
      credentials: made.body['credential']?.id ?? '',
      identity_providers,
      roles: identityApi.bare,
      policies: await identityApi.idOf('policies', 'project_viewer'),
    }
  }

  /** Calls an operation on resources of the domain, except for the given ids. */
  async function callWith(operation: Operation, parameter: string, id: string) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      if (name === parameter) return id
      const kind = kindOf(operation, name)
      return kind ? own[kind] : 'none'
    })
    const answer = await identityApi.call(token, operation.method, path, operation.example)
    return { ...answer, text: answer.text.replaceAll(id, '(the id)') }
  }

  test('SEC-62: gets 404 for resources of another domain, as for unknown ids, on every path', async () => {
    const before = await identityApi.digest()
    const seen = new Set<string>()
    for (const operation of all) {
      for (const parameter of parametersOf(operation)) {
        const kind = kindOf(operation, parameter)
        if (kind === undefined || !(kind in own) || kind === 'roles' || kind === 'policies')
          continue
        const there = await callWith(operation, parameter, foreign[kind])
        const nowhere = await callWith(operation, parameter, newId())
        const what = `${operation.id} with another's ${parameter}`
        assert.deepEqual(comparableParts(there), comparableParts(nowhere), what)
        // The role assignments of a user in the domain are an empty list for both.
        const isEmptyList = there.status === 200 && there.text.includes('"roles":[]')
        assert.ok([403, 404].includes(there.status) || isEmptyList, `${what}: ${there.text}`)
        seen.add(kind)
      }
    }
    assert.equal(seen.size, 6, [...seen].join())
    assert.deepEqual(await identityApi.digest(), before)
  })

  test('can use the same paths in the own domain', async () => {
    const reads = all.filter(({ method, path }) => method === 'GET' && path.includes('{id}'))
    let count = 0
    for (const operation of reads) {
      const kind = kindOf(operation, 'id')
      if (kind === undefined || !(kind in own)) continue
      const { status } = await callWith(operation, 'id', own[kind])
      assert.equal(status, operation.id === 'getDomainImpact' ? 403 : 200, operation.id)
      count += 1
    }
    assert.ok(count > 15, String(count))
  })

  test('SEC-62: cannot refer to resources of another domain in a body', async () => {
    const attempts = (resources: Resources): [string, string, object][] => [
      ['POST', '/v3/users', { user: { name: newId(), domain_id: resources.domains } }],
      ['POST', '/v3/projects', { project: { name: newId(), domain_id: resources.domains } }],
      ['POST', '/v3/projects', { project: { name: newId(), parent_id: resources.domains } }],
      ['POST', '/v3/groups', { group: { name: newId(), domain_id: resources.domains } }],
      ['POST', '/v3/users', { user: { name: newId(), default_project_id: resources.projects } }],
      ['PUT', `/v3/users/${own.users}`, { user: { default_project_id: resources.projects } }],
      [
        'POST',
        '/v3/credentials',
        { credential: { type: 'aksk', user_id: resources.users, project_id: own.projects } },
      ],
      [
        'POST',
        '/v3/credentials',
        { credential: { type: 'aksk', user_id: own.users, project_id: resources.projects } },
      ],
      ['POST', '/v3/policies/check', { check: { user_id: resources.users, ...check } }],
    ]
    const nothing = { ...foreign, domains: newId(), projects: newId(), users: newId() }
    const answersFor = (resources: Resources) =>
      identityApi.assertRefused(
        400,
        ...attempts(resources).map(
          ([method, path, body]) =>
            () =>
              identityApi.call(token, method, path, body),
        ),
      )
    assert.deepEqual(
      (await answersFor(foreign)).map(comparableParts),
      (await answersFor(nothing)).map(comparableParts),
    )
  })

  test('cannot change system-wide resources', async () => {
    const provider = { name: newId(), ...providerFields(own.domains) }
    const attempt = (method: string, path: string, body?: unknown) => () =>
      identityApi.call(token, method, path, body)
    await identityApi.assertRefused(
      403,
      attempt('POST', '/v3/domains', { domain: { name: newId() } }),
      attempt('PUT', `/v3/domains/${own.domains}`, { domain: { enabled: false } }),
      attempt('POST', '/v3/roles', { role: { name: newId() } }),
      attempt('DELETE', `/v3/roles/${own.roles}`),
      attempt('DELETE', `/v3/policies/${own.policies}`),
      attempt('PUT', `/v3/roles/${own.roles}/policies/${own.policies}`),
      attempt('POST', '/v3/identity_providers', { identity_provider: provider }),
      attempt('DELETE', `/v3/identity_providers/${own.identity_providers}`),
      attempt('PUT', `/v3/system/users/${own.users}/roles/${own.roles}`),
    )
  })
})

const check = { service: 'identity', resource: 'users', action: 'get' }
