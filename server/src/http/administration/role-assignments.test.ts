import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RoleAssignmentDto } from '@muster/contract'
import {
  createAdminClient,
  createContractClient,
  type ContractClient,
} from '../../testing/contract-client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { addTenant, type Tenant } from '../../testing/identity-world/add-tenant.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

interface Body {
  readonly role_assignments: RoleAssignmentDto[]
  readonly links: { readonly next: string | null }
}

onEngineOfLane('role assignments', (engine) => {
  let platform: TestPlatform
  let admin: ContractClient
  let tenant: Tenant
  let other: Tenant
  let viewerRole: string
  /** A second member of the tenant's group. */
  let second: string
  before(async () => {
    platform = await startPlatform({ engine })
    const { database } = platform
    admin = await createAdminClient(platform)
    tenant = await addTenant(database, 'Tenant')
    other = await addTenant(database, 'Other')
    const identities = createIdentityWorld(database)
    second = await identities.addUser({ name: 'second', domainId: tenant.ids.domains })
    await admin.get('addGroupUser', { path: { id: tenant.ids.groups, user_id: second } })
    await identities.assign({
      role: 'domain_viewer',
      userId: tenant.ids.users,
      domainId: tenant.ids.domains,
    })
    const { id } = await database.db
      .selectFrom('roles')
      .select('id')
      .where('name', '=', 'project_viewer')
      .executeTakeFirstOrThrow()
    viewerRole = id
  })
  after(() => platform.close())

  const read = async (query: string, client = admin) =>
    (await client.get<Body>('listRoleAssignments', { query })).role_assignments
  const linkOf = ({ links }: RoleAssignmentDto) => links.assignment.slice(platform.authUrl.length)

  test('are listed with ids, and on request with names', async () => {
    const { projects, users, domains } = tenant.ids
    const query = `scope.project.id=${projects}&user.id=${users}`
    assert.deepEqual(await read(query), [
      {
        role: { id: viewerRole },
        user: { id: users },
        scope: { project: { id: projects } },
        links: {
          assignment: `${platform.authUrl}/v3/projects/${projects}/users/${users}/roles/${viewerRole}`,
        },
      },
    ])
    const home = { id: domains, name: 'Tenant' }
    for (const flag of [
      'include_names',
      'include_names=True',
      'include_names=true',
      'include_names=1',
    ]) {
      const [named] = await read(`${query}&${flag}`)
      assert.deepEqual(named?.role, { id: viewerRole, name: 'project_viewer' })
      assert.deepEqual(named?.user, { id: users, name: 'member', domain: home })
      assert.deepEqual(named?.scope, { project: { id: projects, name: 'main', domain: home } })
    }
    for (const flag of ['include_names=False', 'include_names=false', 'include_names=0']) {
      assert.deepEqual(await read(`${query}&${flag}`), await read(query))
    }
    for (const flag of [
      'include_names=yes',
      'include_names=',
      'include_names=TRUE',
      'include_names=2',
      'effective=x',
    ]) {
      await admin.fail('InputParameterError', 'listRoleAssignments', { query: flag })
    }
  })

  test('on a domain and on the system are listed with that scope', async () => {
    const { domains, users } = tenant.ids
    const [onDomain] = await read(`scope.domain.id=${domains}&include_names`)
    assert.deepEqual(onDomain?.scope, { domain: { id: domains, name: 'Tenant' } })
    assert.ok(linkOf(onDomain).startsWith(`/v3/domains/${domains}/users/${users}/roles/`))
    const onSystem = await read('scope.system=all&include_names')
    assert.deepEqual(
      onSystem.map(({ scope, user, role }) => [scope, user?.name, role.name]),
      [[{ system: { all: true } }, 'sysadmin', 'admin']],
    )
    assert.ok(onSystem.every((item) => linkOf(item).startsWith('/v3/system/users/')))
    await admin.fail('InputParameterError', 'listRoleAssignments', { query: 'scope.system=some' })
  })

  test('of a group are listed for the group, and with "effective" for each member', async () => {
    const { groups, projects, users } = tenant.ids
    const query = `scope.project.id=${projects}`
    const plain = await read(query)
    assert.deepEqual(
      plain.map((item) => item.user?.id ?? item.group?.id ?? '').sort(),
      [groups, users].sort(),
    )
    const effective = await read(`${query}&effective`)
    const throughGroup = effective.filter(({ links }) => links.membership !== undefined)
    assert.deepEqual(
      effective.map(({ user }) => user?.id ?? '').sort(),
      [second, users, users].sort(),
    )
    assert.ok(effective.every(({ group }) => group === undefined))
    assert.deepEqual(throughGroup.map(({ user }) => user?.id ?? '').sort(), [second, users].sort())
    for (const item of throughGroup) {
      assert.equal(linkOf(item), `/v3/projects/${projects}/groups/${groups}/roles/${viewerRole}`)
      const membership = `${platform.authUrl}/v3/groups/${groups}/users/${item.user?.id}`
      assert.equal(item.links.membership, membership)
    }
    assert.equal((await read(`${query}&effective=false`)).length, 2)
    // Roles through the group are listed only with "effective".
    assert.deepEqual(await read(`user.id=${second}`), [])
    assert.equal((await read(`user.id=${second}&effective=1`)).length, 1)
  })

  test('can be filtered by each of their parts', async () => {
    const { groups, users, projects, domains } = tenant.ids
    const count = async (query: string) => (await read(query)).length
    assert.equal(await count(`group.id=${groups}`), 1)
    assert.equal(await count(`user.id=${users}`), 2)
    assert.equal(await count(`user.id=${users}&scope.domain.id=${domains}`), 1)
    assert.equal(await count(`role.id=${viewerRole}&scope.project.id=${projects}`), 2)
    assert.equal(await count(`role.id=${viewerRole}&scope.domain.id=${domains}`), 0)
    assert.equal(await count(`scope.project.id=${projects}&scope.system=all`), 0)
    for (const name of ['user.id', 'group.id', 'role.id', 'scope.project.id', 'scope.domain.id']) {
      assert.equal(await count(`${name}=none`), 0, name)
      await admin.fail('InputParameterError', 'listRoleAssignments', { query: `${name}=` })
    }
    for (const query of ['sort_key=name', 'order_by=name', 'name=x', 'limit=-1', 'field=id']) {
      await admin.fail('InputParameterError', 'listRoleAssignments', { query })
    }
  })

  test('are paged without duplicates or gaps', async () => {
    for (const effective of ['', '&effective']) {
      const all = (await read(`include_names${effective}`)).map((item) => JSON.stringify(item))
      for (const limit of [1, 2, 3, all.length, all.length + 1]) {
        const pages: string[] = []
        let query: string | undefined = `limit=${limit}&include_names${effective}`
        while (query !== undefined) {
          const body: Body = await admin.get<Body>('listRoleAssignments', { query })
          assert.ok(body.role_assignments.length <= limit)
          pages.push(...body.role_assignments.map((item) => JSON.stringify(item)))
          query = body.links.next === null ? undefined : new URL(body.links.next).search.slice(1)
        }
        assert.deepEqual(pages, all)
      }
    }
  })

  test("SEC-60: of other members of the caller's group are not listed", async () => {
    const { database, url } = platform
    const member = createContractClient(url, await insertToken(database, { userId: second }))
    const own = await read('', member)
    assert.deepEqual(
      own.map(({ group }) => group?.id),
      [tenant.ids.groups],
    )
    const effective = await read('effective&include_names', member)
    assert.deepEqual(
      effective.map(({ user }) => user?.name),
      ['second'],
    )
    // Nor to the owner of another project.
    const projectId = other.ids.projects
    const owning = { role: 'project_owner', userId: second, projectId }
    const assignment = await createIdentityWorld(database).assign(owning)
    const scope = { kind: 'project', id: projectId } as const
    const owner = createContractClient(url, await insertToken(database, { userId: second, scope }))
    const seen = await read('effective&include_names', owner)
    const elsewhere = seen.filter((item) => item.scope.project?.id === tenant.ids.projects)
    assert.deepEqual(
      elsewhere.map(({ user }) => user?.name),
      ['second'],
    )
    await database.commitIdentity([
      database.db.deleteFrom('assignments').where('id', '=', assignment).compile(),
    ])
  })

  test('can be granted, checked and revoked on every kind of scope', async () => {
    const { projects, domains, users, groups } = tenant.ids
    const roles = await admin.get<{ roles: { id: string; name: string }[] }>('listRoles')
    const idOf = (name: string) => roles.roles.find((role) => role.name === name)?.id ?? ''
    for (const [place, role, path] of [
      ['Project', 'project_editor', { id: projects }],
      ['Domain', 'domain_admin', { id: domains }],
      ['System', 'auditor', {}],
    ] as const) {
      for (const holder of ['User', 'Group'] as const) {
        const held = { ...path, user_id: users, group_id: groups, role_id: idOf(role) }
        const names = async () =>
          (
            await admin.get<{ roles: { name: string }[] }>(`list${place}${holder}Roles`, {
              path: held,
            })
          ).roles.map(({ name }) => name)
        const before = await names()
        await admin.fail('ResourceNotFoundError', `check${place}${holder}Role`, { path: held })
        await admin.get(`grant${place}${holder}Role`, { path: held })
        await admin.get(`grant${place}${holder}Role`, { path: held })
        await admin.get(`check${place}${holder}Role`, { path: held })
        assert.deepEqual(await names(), [...before, role].sort(), `${place} ${holder}`)
        await admin.get(`revoke${place}${holder}Role`, { path: held })
        await admin.fail('ResourceNotFoundError', `revoke${place}${holder}Role`, { path: held })
        assert.deepEqual(await names(), before)
      }
    }
  })
})
