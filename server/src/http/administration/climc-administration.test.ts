import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  operations,
  type CloudpodsEventDto,
  type EventDto,
  type Operation,
  type OperationId,
  type PolicyBindingDto,
  type RoleAssignmentDto,
  type RoleDto,
} from '@muster/contract'
import { newId } from '../../domain/new-id.ts'
import {
  createAdminClient,
  createContractClient,
  type ContractClient,
} from '../../testing/contract-client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { addTenant, type Tenant } from '../../testing/identity-world/add-tenant.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const all: readonly Operation[] = operations

onEngineOfLane('administration with the Cloudpods command line', (engine) => {
  let platform: TestPlatform
  let admin: ContractClient
  let here: Tenant
  let there: Tenant
  /** Administrator of the domain `here`, and owner of its project. */
  let chief: ContractClient
  let owner: ContractClient
  before(async () => {
    platform = await startPlatform({ engine, flags: ['--auth-url=http://id.example'] })
    admin = await createAdminClient(platform)
    here = await addTenant(platform.database, 'here')
    there = await addTenant(platform.database, 'there')
    const client = async (role: string) =>
      createContractClient(platform.url, (await here.person(role)).token)
    chief = await client('domain_admin')
    owner = await client('project_owner')
  })
  after(() => platform.close())

  type One = Record<string, { readonly id: string }>
  const create = async (noun: string, fields: object) => {
    const key = noun.replaceAll(/\B[A-Z]/g, '_$&').toLowerCase()
    const body = { [key]: { name: `new ${newId()}`, ...fields } }
    const made = await admin.get<One>(`create${noun}` as OperationId, { body })
    return made[key]?.id ?? ''
  }
  const addUser = (domain_id: string, name?: string) =>
    create('User', { domain_id, ...(name !== undefined && { name }) })
  const isThere = async (noun: string, id: string) =>
    (await admin.call(`get${noun}` as OperationId, { path: { id } })).status === 200

  const rule = { service: 'compute', resource: 'servers', action: 'get', effect: 'allow' }
  const kinds: [noun: string, fields: () => object][] = [
    ['Domain', () => ({ enabled: false })],
    ['Project', () => ({ domain_id: here.ids.domains })],
    ['User', () => ({ domain_id: here.ids.domains })],
    ['Group', () => ({ domain_id: here.ids.domains })],
    ['Role', () => ({})],
    ['Policy', () => ({ scope: 'project', rules: [rule] })],
    ['Credential', () => ({ type: 'aksk' })],
    [
      'IdentityProvider',
      () => ({
        driver: 'cas',
        url: 'https://cas.example.org/cas',
        service_url: 'https://muster.example.org/',
        domain_id: here.ids.domains,
      }),
    ],
  ]
  for (const [noun, fields] of kinds) {
    test(`delete${noun} takes a name, but none that looks like an id`, async () => {
      const operation = `delete${noun}` as OperationId
      const [id, hidden] = [newId(), newId()]
      const named = await create(noun, { ...fields(), name: id.slice(1) })
      const shaped = await create(noun, { ...fields(), name: hidden })
      await admin.get(operation, { path: { id: id.slice(1).toUpperCase() } })
      assert.equal(await isThere(noun, named), false)
      await admin.fail('ResourceNotFoundError', operation, { path: { id: hidden } })
      assert.ok(await isThere(noun, shaped))
      await admin.fail('ResourceNotFoundError', operation, { path: { id: 'nobody' } })
    })

    test(`delete${noun} takes no blank name`, async () => {
      // Only access keys can be without a name.
      const name = noun === 'Credential' ? { name: undefined } : {}
      const id = await create(noun, { ...fields(), ...name })
      for (const blank of [' ', '\u{3000}']) {
        await admin.fail('ResourceNotFoundError', `delete${noun}` as OperationId, {
          path: { id: blank },
        })
      }
      assert.ok(await isThere(noun, id))
    })
  }

  test('a name counts within the scope of the caller, and must be unique there', async () => {
    const name = `twin ${newId()}`
    const [mine, other] = [
      await addUser(here.ids.domains, name),
      await addUser(there.ids.domains, name),
    ]
    const { details } = await admin.fail('ConflictError', 'deleteUser', { path: { id: name } })
    assert.ok(details.includes(mine) && details.includes(other), details)
    await admin.fail('ConflictError', 'disableUser', { path: { id: name } })
    const body = { user: { domain_id: 'there' } }
    await admin.get('disableUser', { path: { id: name }, body })
    await admin.fail('ResourceNotFoundError', 'enableUser', { path: { id: mine }, body })
    await chief.fail('ResourceNotFoundError', 'enableUser', { path: { id: name }, body })
    const enabled = async (id: string) =>
      (await admin.get<{ user: { enabled: boolean } }>('getUser', { path: { id } })).user.enabled
    assert.deepEqual([await enabled(mine), await enabled(other)], [true, false])
    await chief.get('deleteUser', { path: { id: name } })
    assert.deepEqual([await isThere('User', mine), await isThere('User', other)], [false, true])
  })

  test('enabling and disabling a user takes what updating takes', async () => {
    const { userId, token } = await here.person('project_viewer')
    await chief.get('disableUser', { path: { id: userId } })
    await createContractClient(platform.url, token).fail('UnauthorizedError', 'listProjects')
    await chief.get('enableUser', { path: { id: userId } })
    const auditor = await here.person('auditor')
    const abroad = there.ids.users
    for (const operation of ['enableUser', 'disableUser'] as const) {
      await chief.fail('ForbiddenError', operation, { path: { id: auditor.userId } })
      await chief.fail('ResourceNotFoundError', operation, { path: { id: abroad } })
      await owner.fail('ForbiddenError', operation, { path: { id: userId } })
    }
  })

  const rolesOf = async (id: string) => {
    const query = `user.id=${id}&include_names`
    const { role_assignments } = await admin.get<{ role_assignments: RoleAssignmentDto[] }>(
      'listRoleAssignments',
      { query },
    )
    return role_assignments.map(({ role }) => role.name ?? '').toSorted()
  }
  const grantsOf = async (id: string) => {
    const query = `target_id=${id}&action=grant&action=revoke&result=success`
    return (await admin.get<{ events: EventDto[] }>('listEvents', { query })).events.length
  }

  test('joining and leaving projects is all or nothing, within the authority of the caller', async () => {
    const id = await addUser(here.ids.domains)
    const path = { id }
    const join = (roles: string[], projects = ['main']) => ({
      path,
      body: { user: { projects, roles } },
    })
    // "main" is a project of both domains.
    await admin.fail('ConflictError', 'joinUserProjects', join(['project_viewer']))
    await owner.fail('ResourceNotFoundError', 'joinUserProjects', join(['nothing']))
    await owner.fail(
      'ResourceNotFoundError',
      'joinUserProjects',
      join(['project_viewer'], ['main', there.ids.projects]),
    )
    await owner.fail(
      'InputParameterError',
      'joinUserProjects',
      join(['project_viewer', 'domain_admin']),
    )
    const { roles } = await admin.get<{ roles: RoleDto[] }>('listRoles')
    const wide = roles.find(({ name }) => name === 'project_owner')?.id ?? ''
    const editor = createContractClient(platform.url, (await here.person('project_editor')).token)
    await editor.fail('ForbiddenError', 'joinUserProjects', join([wide]))
    assert.deepEqual(await rolesOf(id), [])
    assert.equal(await grantsOf(id), 0)

    await owner.get('joinUserProjects', join(['project_viewer', wide, 'PROJECT_OWNER']))
    assert.deepEqual(await rolesOf(id), ['project_owner', 'project_viewer'])
    assert.equal(await grantsOf(id), 2)
    const leave = (...names: string[]) => ({
      path,
      body: { user: { project_roles: names.map((role) => ({ project: 'main', role })) } },
    })
    await owner.fail(
      'ResourceNotFoundError',
      'leaveUserProjects',
      leave('project_viewer', 'project_editor'),
    )
    await editor.fail('ForbiddenError', 'leaveUserProjects', leave('project_viewer'))
    assert.deepEqual(await rolesOf(id), ['project_owner', 'project_viewer'])
    await owner.get('leaveUserProjects', leave('project_viewer', wide))
    assert.deepEqual(await rolesOf(id), [])
    assert.equal(await grantsOf(id), 4)
    await owner.fail('InputParameterError', 'joinUserProjects', {
      path,
      body: { user: { projects: ['main'], roles: [wide], enabled: true } },
    })
    const eleven = Array.from({ length: 11 }, () => wide)
    await owner.fail('InputParameterError', 'joinUserProjects', join(eleven))
    await owner.fail('InputParameterError', 'joinUserProjects', join([wide], eleven))
    const tooMany = Array.from({ length: 101 }, () => wide)
    await owner.fail('InputParameterError', 'leaveUserProjects', leave(...tooMany))
  })

  test('a name tells a project owner nothing about users outside of the project', async () => {
    const name = `stranger ${newId()}`
    const id = await addUser(here.ids.domains, name)
    const body = { user: { projects: ['main'], roles: ['project_viewer'] } }
    await owner.fail('ResourceNotFoundError', 'joinUserProjects', { path: { id: name }, body })
    await owner.get('joinUserProjects', { path: { id }, body })
    await owner.get('joinUserProjects', { path: { id: name }, body })
  })

  test('groups get and lose several members, all or none', async () => {
    const users = [await addUser(here.ids.domains), await addUser(here.ids.domains, 'by name')]
    const members = async () => {
      const { users: found } = await admin.get<{ users: { id: string }[] }>('listGroupUsers', {
        path: { id: here.ids.groups },
      })
      return found.map((user) => user.id).toSorted()
    }
    const before = await members()
    const change = (...user: (string | undefined)[]) => ({
      path: { id: 'team' },
      body: { group: { user } },
    })
    await chief.fail('ResourceNotFoundError', 'addGroupUsers', change(users[0], there.ids.users))
    await owner.fail('ForbiddenError', 'addGroupUsers', change(users[0]))
    assert.deepEqual(await members(), before)
    await chief.get('addGroupUsers', change(users[0], 'BY NAME', users[1]))
    assert.deepEqual(await members(), [...before, ...users].toSorted())
    await chief.fail('ResourceNotFoundError', 'removeGroupUsers', change(users[0], 'nobody'))
    assert.deepEqual(await members(), [...before, ...users].toSorted())
    await chief.get('removeGroupUsers', change(...users))
    assert.deepEqual(await members(), before)
  })

  test('a group with more authority than the caller gets no members', async () => {
    const group = await create('Group', { domain_id: here.ids.domains })
    const id = await addUser(here.ids.domains)
    const { roles } = await admin.get<{ roles: RoleDto[] }>('listRoles', { query: 'name=admin' })
    const role_id = roles[0]?.id ?? ''
    await admin.get('grantSystemGroupRole', { path: { group_id: group, role_id } })
    const body = { group: { user: [id] } }
    await chief.fail('ForbiddenError', 'addGroupUsers', { path: { id: group }, body })
    assert.deepEqual(await rolesOf(id), [])
  })

  test('rolepolicies lists the policies of every role', async () => {
    const { roles } = await admin.get<{ roles: RoleDto[] }>('listRoles')
    const expected: string[] = []
    for (const { id, name } of roles) {
      const { policies } = await admin.get<{ policies: { id: string; scope: string }[] }>(
        'listRolePolicies',
        { path: { id } },
      )
      expected.push(...policies.map((policy) => `${name} ${id} ${policy.id} ${policy.scope}`))
    }
    const bindings = async (query: string) =>
      (
        await chief.get<{ rolepolicies: PolicyBindingDto[] }>('listPolicyBindings', { query })
      ).rolepolicies.map((each) => `${each.role} ${each.role_id} ${each.policy_id} ${each.scope}`)
    assert.deepEqual((await bindings('limit=200')).toSorted(), expected.toSorted())
    const [role] = roles
    const ofOne = expected.filter((line) => line.startsWith(`${role?.name} `))
    assert.deepEqual(await bindings(`role_ids.0=${role?.id}`), ofOne)
  })

  const lists = all.filter(
    ({ id, path, query }) => id.startsWith('list') && query && !/\{/.test(path),
  )
  for (const { id, query } of lists) {
    const flags = Object.keys(query?.properties ?? {})
    if (engine !== 'sqlite' || !flags.includes('admin')) continue
    test(`admin=true and format=yaml do not change what ${id} shows`, async () => {
      // Servers have `admin` for `scope=system`, which takes the permission.
      if (id === 'listServers') {
        await chief.fail('ForbiddenError', id, { query: 'admin=true' })
        return
      }
      const plain = await chief.call<object>(id as OperationId)
      const own = await chief.call<object>(id as OperationId, { query: 'admin=true' })
      const comparable = (body: object) => ({ ...body, links: undefined, time: 0, request_id: 0 })
      assert.equal(own.status, plain.status)
      assert.deepEqual(comparable(own.body), comparable(plain.body))
    })
  }

  test('policies are answered in JSON, also if YAML is requested', async () => {
    for (const format of ['yaml', 'json']) {
      const { policies } = await chief.get<{ policies: { id: string }[] }>('listPolicies', {
        query: `format=${format}&limit=2`,
      })
      assert.equal(policies.length, 2)
      const path = { id: policies[0]?.id ?? '' }
      await chief.get('getPolicy', { path, query: `format=${format}` })
    }
    await chief.fail('InputParameterError', 'listPolicies', { query: 'format=xml' })
  })

  test('events have the field names of Cloudpods, and are those that the caller may see', async () => {
    const id = await addUser(here.ids.domains)
    await admin.get('updateUser', { path: { id }, body: { user: { description: 'new' } } })
    type Plain = { events: EventDto[] }
    type Named = { events: CloudpodsEventDto[]; next_marker: string }
    const { events } = await admin.get<Plain>('listEvents', { query: `target_id=${id}` })
    assert.equal(events.length, 2)
    const expected = events.map((event) => ({
      id: event.id,
      ops_time: event.time,
      obj_type: 'user',
      obj_id: id,
      obj_name: event.target_name,
      user: event.user,
      user_id: event.user_id,
      owner_tenant_id: '',
      owner_domain_id: here.ids.domains,
      action: event.action,
      success: true,
      notes: JSON.stringify(event.changes),
      ip: event.ip,
      request_id: event.request_id,
    }))
    const query = `limit=20&obj_id.0=${id}&obj_type.0=user`
    for (const operation of ['listEvents', 'listIdentityEvents'] as const) {
      const found = await chief.get<Named>(operation, { query })
      assert.deepEqual(found.events, expected)
      const hidden = await owner.get<Named>(operation, { query })
      assert.deepEqual(hidden.events, [])
      const stranger = createContractClient(
        platform.url,
        (await there.person('domain_admin')).token,
      )
      assert.deepEqual((await stranger.get<Named>(operation, { query })).events, [])
      await chief.fail('ForbiddenError', operation, { query: `${query}&scope=system` })
      const other = await chief.get<Named>(operation, { query: `obj_id=${id}&obj_type=server` })
      assert.deepEqual(other.events, [])
    }
    const { actions } = await chief.get<{ actions: CloudpodsEventDto[] }>('listActions', { query })
    assert.deepEqual(actions, expected)
    const links = { listEvents: platform.baseUrl, listIdentityEvents: platform.authUrl } as const
    assert.notEqual(platform.baseUrl, platform.authUrl)
    for (const [operation, url] of Object.entries(links)) {
      const { headers } = await chief.call(operation as OperationId, {
        query: `limit=1&obj_id=${id}`,
      })
      assert.ok(headers.get('link')?.startsWith(`<${url}/`), operation)
    }

    const first = await chief.get<Named>('listEvents', { query: query.replace('20', '1') })
    assert.deepEqual(first.events, expected.slice(0, 1))
    const next = await chief.get<Named>('listEvents', {
      query: `${query}&paging_marker=${first.next_marker}&field.0=action`,
    })
    assert.deepEqual(next.events, [{ action: 'create' }])
    assert.equal(next.next_marker, '')
    for (const wrong of [`obj_id=${id}&target_id=${id}`, 'obj_id=x&field=time']) {
      await chief.fail('InputParameterError', 'listEvents', { query: wrong })
    }
  })

  test('events are filtered by success, owner and end', async () => {
    await owner.fail('ForbiddenError', 'createUser', { body: { user: { name: 'x' } } })
    type Named = { events: CloudpodsEventDto[] }
    const find = async (query: string) =>
      (await admin.get<Named>('listIdentityEvents', { query: `limit=500&${query}` })).events
    const everything = await find('')
    for (const success of [true, false]) {
      const found = await find(`success=${success}`)
      assert.ok(found.length > 0)
      assert.deepEqual(
        found,
        everything.filter((event) => event.success === success),
      )
    }
    const owned = await find(`owner_domain_ids.0=${here.ids.domains}`)
    assert.deepEqual(
      owned,
      everything.filter((event) => event.owner_domain_id === here.ids.domains),
    )
    assert.deepEqual(await find('until=2020-01-01T00:00:00Z'), [])
  })
})
