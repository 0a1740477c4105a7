import { casOptions } from '../../testing/identity-world/identity-records.ts'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newId } from '../../domain/new-id.ts'
import { ask } from '../../testing/client.ts'
import { createAdminClient, type ContractClient } from '../../testing/contract-client.ts'
import {
  addTenant,
  isTenantKind,
  type Tenant,
  type TenantKind,
} from '../../testing/identity-world/add-tenant.ts'
import {
  addSubjects,
  checkPolicy,
  type Subject,
} from '../../testing/identity-world/policy-subjects.ts'
import {
  createIdentityWorld,
  type IdentityWorld,
} from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const keys = {
  domains: 'domain',
  projects: 'project',
  users: 'user',
  groups: 'group',
  roles: 'role',
  policies: 'policy',
  credentials: 'credential',
  identity_providers: 'identity_provider',
} as const
type Resource = keyof typeof keys
const resources = Object.keys(keys) as Resource[]

describe('the policy check', () => {
  let platform: TestPlatform
  let identities: IdentityWorld
  let admin: ContractClient
  let mine: Tenant
  let foreign: Tenant
  let subjects: Awaited<ReturnType<typeof addSubjects>>
  let serial = 0
  before(async () => {
    platform = await startPlatform()
    const { database } = platform
    identities = createIdentityWorld(database)
    admin = await createAdminClient(platform)
    mine = await addTenant(database, 'Mine')
    foreign = await addTenant(database, 'Foreign')
    subjects = await addSubjects(identities, mine)
  })
  after(() => platform.close())

  /** The body that creates a new resource. */
  function newOne(resource: Resource, tenant: Tenant): object {
    serial += 1
    const name = `new ${serial}`
    const rules = [{ service: 'compute', resource: 'servers', action: 'list', effect: 'allow' }]
    const { domains, projects } = tenant.ids
    switch (resource) {
      case 'policies':
        return { name, scope: 'project', rules }
      case 'credentials':
        return { type: 'aksk', project_id: projects }
      case 'identity_providers':
        return {
          name,
          driver: 'cas',
          url: 'https://cas.example.org/',
          service_url: 'https://muster.example/',
          domain_id: domains,
        }
      case 'domains':
      case 'roles':
        return { name }
      case 'projects':
      case 'users':
      case 'groups':
        return { name, domain_id: domains }
    }
  }

  /** Whether the request itself is allowed. */
  async function isLetThrough(
    { token }: Subject,
    resource: Resource,
    action: string,
    id: string | undefined,
  ): Promise<boolean> {
    const item = `/v3/${resource}/${id}`
    const key = keys[resource]
    const send = (path: string, method = 'GET', body?: unknown) =>
      ask(platform.url, path, { method, token, ...(body !== undefined && { body }) })
    const answer = await {
      list: () => send(`/v3/${resource}`),
      get: () => send(item),
      create: () => send(`/v3/${resource}`, 'POST', { [key]: newOne(resource, mine) }),
      // A new name avoids conflicts.
      update: () => send(item, 'PATCH', { [key]: { name: `renamed ${(serial += 1)}` } }),
      delete: () => send(item, 'DELETE'),
    }[action as 'list']()
    assert.ok(answer.status < 500, answer.text)
    return answer.status !== 403 && answer.status !== 404
  }

  /** One target of the resource in each scope. */
  async function targetsOf(resource: Resource, action: string): Promise<(string | undefined)[]> {
    if (action === 'list' || action === 'create') return [undefined]
    if (isTenantKind(resource)) {
      // Deleted targets are replaced for the next caller.
      if (action === 'delete') {
        return [await sacrifice(resource, mine), await sacrifice(resource, foreign), newId()]
      }
      return [mine.ids[resource], foreign.ids[resource], newId()]
    }
    const made = await admin.get<Record<string, { id: string }>>(
      resource === 'roles' ? 'createRole' : 'createPolicy',
      { body: { [keys[resource]]: newOne(resource, mine) } },
    )
    return [made[keys[resource]]?.id, newId()]
  }

  async function sacrifice(resource: TenantKind, { ids }: Tenant): Promise<string> {
    if (resource === 'domains') return await identities.addDomain(`victim ${newId()}`)
    const { domains, projects, users } = ids
    if (resource === 'projects') return await identities.addProject(newId(), domains)
    if (resource === 'users') return await identities.addUser({ name: newId(), domainId: domains })
    const { db } = platform.database
    const name = newId()
    const row = { id: newId(), name, name_key: name, created_at: 0 }
    const insert = {
      groups: () => db.insertInto('groups').values({ ...row, domain_id: domains }),
      credentials: () =>
        db.insertInto('access_keys').values({
          ...row,
          user_id: users,
          project_id: projects,
          enabled: 1,
          secret: 'sealed',
          last_used_ip: '',
        }),
      identity_providers: () =>
        db.insertInto('identity_providers').values({
          ...row,
          driver: 'cas',
          options: casOptions,
          domain_id: domains,
          enabled: 1,
          mapping: '[]',
        }),
    }[resource]
    await identities.change(insert().compile())
    return row.id
  }

  for (const action of ['list', 'get', 'create', 'update', 'delete']) {
    test(`SEC-12: agrees with the result of the request: ${action}`, async () => {
      const counts = { yes: 0, no: 0 }
      async function compare([name, subject]: [string, Subject]): Promise<void> {
        for (const resource of resources) {
          for (const target of await targetsOf(resource, action)) {
            const { userId, scope } = subject
            const { allowed, reason } = await checkPolicy(admin, {
              user_id: userId,
              ...scope,
              resource,
              action,
              ...(target !== undefined && { target_id: target }),
            })
            const really = await isLetThrough(subject, resource, action, target)
            const at = `${name}: ${action} ${resource} ${target ?? ''}: ${reason}`
            assert.equal(allowed, really, at)
            counts[allowed ? 'yes' : 'no'] += 1
          }
        }
      }
      await Promise.all(Object.entries(subjects).map(compare))
      assert.ok(counts.yes >= 5 && counts.no >= 5, JSON.stringify(counts))
    })
  }

  test('SEC-12: agrees with the result for a user with a system role', async () => {
    const subject = subjects.domain_admin
    const { userId: target } = await mine.person('auditor')
    for (const action of ['get', 'update', 'delete']) {
      const { allowed } = await checkPolicy(admin, {
        user_id: subject.userId,
        ...subject.scope,
        resource: 'users',
        action,
        target_id: target,
      })
      assert.equal(allowed, await isLetThrough(subject, 'users', action, target), action)
    }
  })
})
