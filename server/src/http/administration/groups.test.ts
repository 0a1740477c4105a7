import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { GroupDto, UserDto } from '@muster/contract'
import { ask } from '../../testing/client.ts'
import {
  createAdminClient,
  createContractClient,
  type ContractClient,
} from '../../testing/contract-client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { addTenant, type Tenant } from '../../testing/identity-world/add-tenant.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import { testLifecycle } from '../../testing/identity-world/resource-lifecycle.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

onEngineOfLane('groups', (engine) => {
  let platform: TestPlatform
  let admin: ContractClient
  let tenant: Tenant
  before(async () => {
    platform = await startPlatform({ engine })
    admin = await createAdminClient(platform)
    tenant = await addTenant(platform.database, 'Tenant')
  })
  after(() => platform.close())

  // Behaviour common to both engines is tested on one.
  if (engine === 'sqlite') {
    testLifecycle(
      {
        noun: 'Group',
        nouns: 'Groups',
        key: 'group',
        keys: 'groups',
        bare: { domain_id: 'default', description: '' },
        changes: { description: 'On call' },
      },
      () => platform,
      () => admin,
    )
  }

  const membersOf = async (id: string, query = '') =>
    (await admin.get<{ users: UserDto[] }>('listGroupUsers', { path: { id }, query })).users.map(
      ({ name }) => name,
    )
  const groupsOf = async (id: string) =>
    (await admin.get<{ groups: GroupDto[] }>('listUserGroups', { path: { id } })).groups.map(
      ({ name }) => name,
    )

  test('members can be added, checked and removed', async () => {
    const { group } = await admin.get<{ group: GroupDto }>('createGroup', {
      body: { group: { name: 'night shift', domain_id: tenant.ids.domains } },
    })
    assert.equal(group.domain_id, tenant.ids.domains)
    const path = { id: group.id, user_id: tenant.ids.users }
    await admin.fail('ResourceNotFoundError', 'checkGroupUser', { path })
    await admin.fail('ResourceNotFoundError', 'removeGroupUser', { path })
    await admin.get('addGroupUser', { path })
    await admin.get('addGroupUser', { path })
    await admin.get('checkGroupUser', { path })
    assert.deepEqual(await membersOf(group.id), ['member'])
    assert.deepEqual(await groupsOf(tenant.ids.users), ['night shift', 'team'])
    await admin.get('removeGroupUser', { path })
    await admin.fail('ResourceNotFoundError', 'checkGroupUser', { path })
    await admin.fail('ResourceNotFoundError', 'removeGroupUser', { path })
    assert.deepEqual(await membersOf(group.id), [])
    assert.deepEqual(await groupsOf(tenant.ids.users), ['team'])
  })

  test('unknown users and unknown groups are reported by name', async () => {
    const { groups, users } = tenant.ids
    for (const operation of ['addGroupUser', 'checkGroupUser', 'removeGroupUser'] as const) {
      for (const path of [
        { id: 'none', user_id: users },
        { id: groups, user_id: 'none' },
        { id: users, user_id: groups },
      ]) {
        const error = await admin.fail('ResourceNotFoundError', operation, { path })
        if (operation === 'checkGroupUser') continue
        assert.match(
          error.details,
          path.id === groups ? /The user does not exist/ : /The group does not exist/,
        )
      }
    }
    await admin.fail('ResourceNotFoundError', 'listGroupUsers', { path: { id: 'none' } })
    await admin.fail('ResourceNotFoundError', 'listUserGroups', { path: { id: 'none' } })
  })

  test('members can be filtered, sorted and paged like users', async () => {
    const identities = createIdentityWorld(platform.database)
    const domainId = tenant.ids.domains
    const { group } = await admin.get<{ group: GroupDto }>('createGroup', {
      body: { group: { name: 'many', domain_id: domainId } },
    })
    for (const name of ['ada', 'Bob', 'cyd', 'Dee']) {
      const enabled = name !== 'cyd'
      const user_id = await identities.addUser({ name, domainId, enabled })
      await admin.get('addGroupUser', { path: { id: group.id, user_id } })
    }
    assert.deepEqual(await membersOf(group.id), ['Bob', 'Dee', 'ada', 'cyd'])
    assert.deepEqual(await membersOf(group.id, 'sort_dir=desc&limit=2'), ['cyd', 'ada'])
    assert.deepEqual(await membersOf(group.id, 'enabled=false'), ['cyd'])
    assert.deepEqual(await membersOf(group.id, 'name=ADA'), ['ada'])
    const { links } = await admin.get<{ links: { next: string } }>('listGroupUsers', {
      path: { id: group.id },
      query: 'limit=3',
    })
    const { search } = new URL(links.next)
    assert.deepEqual(await membersOf(group.id, search.slice(1)), ['cyd'])
  })

  test('members have the roles of the group immediately, until they leave', async () => {
    const { database } = platform
    const identities = createIdentityWorld(database)
    const userId = await identities.addUser({ name: 'guest', domainId: tenant.ids.domains })
    const unscoped = await insertToken(database, { userId })
    const projects = async () =>
      (await ask<{ projects: unknown[] }>(platform.url, '/v3/auth/projects', { token: unscoped }))
        .body.projects.length
    const path = { id: tenant.ids.groups, user_id: userId }
    assert.equal(await projects(), 0)
    await admin.get('addGroupUser', { path })
    assert.equal(await projects(), 1)
    const scope = { kind: 'project', id: tenant.ids.projects } as const
    const token = await insertToken(database, { userId, scope })
    const member = createContractClient(platform.url, token)
    assert.equal((await member.call('listGroups')).status, 200)
    await admin.get('removeGroupUser', { path })
    assert.equal(await projects(), 0)
    await member.fail('UnauthorizedError', 'listGroups')
  })

  test('deleting a group deletes its memberships and role assignments, not its members', async () => {
    const { groups, users } = tenant.ids
    await admin.get('deleteGroup', { path: { id: groups } })
    const left = await platform.database.db
      .selectFrom('group_members')
      .where('group_id', '=', groups)
      .selectAll()
      .execute()
    assert.deepEqual(left, [])
    await admin.get('getUser', { path: { id: users } })
    const query = `group.id=${groups}`
    const held = await admin.get<{ role_assignments: unknown[] }>('listRoleAssignments', { query })
    assert.deepEqual(held.role_assignments, [])
  })
})
