import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { PolicyDto, RoleDto } from '@muster/contract'
import {
  createAdminClient,
  createContractClient,
  type ContractClient,
} from '../../testing/contract-client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { addTenant } from '../../testing/identity-world/add-tenant.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import { testLifecycle } from '../../testing/identity-world/resource-lifecycle.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

onEngineOfLane('roles', (engine) => {
  let platform: TestPlatform
  let admin: ContractClient
  before(async () => {
    platform = await startPlatform({ engine })
    admin = await createAdminClient(platform)
  })
  after(() => platform.close())

  // Behaviour common to both engines is tested on one.
  if (engine === 'sqlite') {
    testLifecycle(
      {
        noun: 'Role',
        nouns: 'Roles',
        key: 'role',
        keys: 'roles',
        bare: { domain_id: null, description: '', options: {} },
        changes: { description: 'Tags servers' },
      },
      () => platform,
      () => admin,
    )
  }

  const createRole = async (name: string) =>
    (
      await admin.get<{ role: RoleDto }>('createRole', {
        body: { role: { name, domain_id: null } },
      })
    ).role.id
  const createPolicy = async (name: string, resource: string) => {
    const rules = [{ service: 'identity', resource, action: 'list', effect: 'allow' }]
    const body = { policy: { name, scope: 'project', rules } }
    return (await admin.get<{ policy: PolicyDto }>('createPolicy', { body })).policy.id
  }
  const policiesOf = async (id: string, query = '') =>
    (
      await admin.get<{ policies: PolicyDto[] }>('listRolePolicies', { path: { id }, query })
    ).policies.map(({ name }) => name)

  test('the built-in roles exist, each with its policy', async () => {
    const { roles } = await admin.get<{ roles: RoleDto[] }>('listRoles')
    const names = new Set(roles.map(({ name }) => name))
    for (const name of ['admin', 'auditor', 'domain_admin', 'domain_viewer', 'project_owner']) {
      assert.ok(names.has(name), name)
    }
    for (const { id } of roles) assert.equal((await policiesOf(id)).length, 1)
  })

  test('policies can be bound, checked and unbound', async () => {
    const id = await createRole('reader')
    const policy_id = await createPolicy('reads users', 'users')
    const path = { id, policy_id }
    assert.deepEqual(await policiesOf(id), [])
    await admin.fail('ResourceNotFoundError', 'checkPolicyBinding', { path })
    await admin.fail('ResourceNotFoundError', 'unbindPolicy', { path })
    await admin.get('bindPolicy', { path })
    await admin.get('bindPolicy', { path, method: 'PATCH' })
    await admin.get('checkPolicyBinding', { path })
    assert.deepEqual(await policiesOf(id), ['reads users'])
    await admin.get('unbindPolicy', { path })
    await admin.fail('ResourceNotFoundError', 'unbindPolicy', { path })
    assert.deepEqual(await policiesOf(id), [])
    for (const wrong of [
      { id: 'none', policy_id },
      { id, policy_id: 'none' },
      { id: policy_id, policy_id: id },
    ]) {
      await admin.fail('ResourceNotFoundError', 'bindPolicy', { path: wrong })
      await admin.fail('ResourceNotFoundError', 'checkPolicyBinding', { path: wrong })
      await admin.fail('ResourceNotFoundError', 'unbindPolicy', { path: wrong })
    }
    await admin.fail('ResourceNotFoundError', 'listRolePolicies', { path: { id: 'none' } })
  })

  test('the policies of a role can be filtered, sorted and paged like policies', async () => {
    const id = await createRole('much')
    for (const name of ['b much', 'A much', 'c much']) {
      await admin.get('bindPolicy', { path: { id, policy_id: await createPolicy(name, 'users') } })
    }
    assert.deepEqual(await policiesOf(id), ['A much', 'b much', 'c much'])
    assert.deepEqual(await policiesOf(id, 'sort_dir=desc&limit=1'), ['c much'])
    assert.deepEqual(await policiesOf(id, 'name=B MUCH'), ['b much'])
    assert.deepEqual(await policiesOf(id, 'enabled=0'), [])
  })

  test('a changed policy applies to the role at the next request', async () => {
    const { database, url } = platform
    const tenant = await addTenant(database, 'Meaning')
    const { ids } = tenant
    const id = await createRole('meaningful')
    const users = await createPolicy('lists users', 'users')
    const domains = await createPolicy('lists domains', 'domains')
    await admin.get('grantProjectUserRole', {
      path: { id: ids.projects, user_id: ids.users, role_id: id },
    })
    const viewer =
      (await admin.get<{ roles: RoleDto[] }>('listRoles', { query: 'name=project_viewer' }))
        .roles[0]?.id ?? ''
    await admin.get('revokeProjectUserRole', {
      path: { id: ids.projects, user_id: ids.users, role_id: viewer },
    })
    await admin.get('revokeProjectGroupRole', {
      path: { id: ids.projects, group_id: ids.groups, role_id: viewer },
    })
    const scope = { kind: 'project', id: ids.projects } as const
    const holder = createContractClient(
      url,
      await insertToken(database, { userId: ids.users, scope }),
    )
    const seen = async () => {
      const { users: people = [] } = (await holder.call<{ users?: unknown[] }>('listUsers')).body
      return [people.length, (await holder.call('listDomains')).status]
    }
    await tenant.person('project_viewer')
    // Users can always read themselves, others of the project only with permission.
    assert.deepEqual(await seen(), [1, 403])
    await admin.get('bindPolicy', { path: { id, policy_id: users } })
    assert.deepEqual(await seen(), [2, 403])
    await admin.get('bindPolicy', { path: { id, policy_id: domains } })
    assert.deepEqual(await seen(), [2, 200])
    const setEnabled = (enabled: boolean) =>
      admin.get('updatePolicy', { path: { id: domains }, body: { policy: { enabled } } })
    await setEnabled(false)
    assert.deepEqual(await seen(), [2, 403])
    await setEnabled(true)
    assert.deepEqual(await seen(), [2, 200])
    await admin.get('unbindPolicy', { path: { id, policy_id: users } })
    assert.deepEqual(await seen(), [1, 200])
    await admin.get('deletePolicy', { path: { id: domains } })
    assert.deepEqual(await seen(), [1, 403])
    await admin.get('deleteRole', { path: { id } })
    // It was the only role of the user there.
    await holder.fail('UnauthorizedError', 'listUsers')
  })
})
