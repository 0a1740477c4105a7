import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '../../domain/new-id.ts'
import { ask } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  openIdentityApi,
  providerFields,
  type IdentityApi,
} from '../../testing/identity-world/open-identity-api.ts'
import { parseRule } from '../../testing/identity-world/parse-rule.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import {
  addTokenHolder,
  logInByKey,
  makeKey,
  rescope,
  statusOf,
} from '../../testing/identity-world/token-holder.ts'

onEngineOfLane('reusing a name through the API', (engine) => {
  let platform: TestPlatform
  let identityApi: IdentityApi
  before(async () => {
    platform = await startPlatform({ engine, flags: ['--login-failures-per-minute=0'] })
    identityApi = await openIdentityApi(platform)
  })
  after(() => platform.close())

  /** Every id that was created here, of any type. */
  const known = new Set<string>()

  async function make(kind: string, key: string, fields: object): Promise<string> {
    const { body } = await identityApi.order('POST', `/v3/${kind}`, { [key]: fields })
    const id = body[key]?.id ?? ''
    assert.ok(id !== '' && !known.has(id), `${kind} ${id} is new`)
    known.add(id)
    return id
  }

  /** Deletes a resource and creates one with the same name in another spelling. */
  async function replace(kind: string, key: string, id: string, fields: { name: string }) {
    await identityApi.order('DELETE', `/v3/${kind}/${id}`)
    assert.equal(
      (await identityApi.call(identityApi.admin, 'GET', `/v3/${kind}/${id}`)).status,
      404,
    )
    return await make(kind, key, { ...fields, name: fields.name.toUpperCase() })
  }

  const list = async (path: string): Promise<unknown[]> => {
    const answer = await ask<Record<string, unknown[]>>(platform.url, path, {
      token: identityApi.admin,
    })
    assert.equal(answer.status, 200, answer.text)
    return Object.values(answer.body)[0] ?? []
  }
  const nothingAt = async (...paths: string[]) => {
    for (const path of paths) assert.deepEqual(await list(path), [], path)
  }
  const somethingAt = async (...paths: string[]) => {
    for (const path of paths) assert.notDeepEqual(await list(path), [], path)
  }

  test('SEC-16: a new user with an old name has no roles, groups, keys or tokens', async () => {
    const fields = { name: `alice ${newId()}`, default_project_id: null }
    const old = await make('users', 'user', fields)
    const project = await identityApi.add((plan) => {
      const id = plan.project()
      plan.grant(identityApi.role('project_owner'), { user: old }, { project: id })
      plan.grant(identityApi.role('auditor'), { user: old }, 'system')
      plan.grant(identityApi.role('domain_viewer'), { user: old }, { domain: 'default' })
      plan.grant(identityApi.role('auditor'), { group: plan.group('default', old) }, 'system')
      return id
    })
    const token = await identityApi.tokenFor(old, { project })
    const key = await makeKey(platform.url, token, project)
    const held = (id: string) => [
      `/v3/role_assignments?effective&user.id=${id}`,
      `/v3/users/${id}/groups`,
      `/v3/users/${id}/projects`,
      `/v3/credentials?user_id=${id}`,
    ]
    await somethingAt(...held(old))
    const next = await replace('users', 'user', old, fields)
    await nothingAt(...held(next))
    await nothingAt(`/v3/role_assignments?user.id=${old}`, `/v3/credentials?user_id=${old}`)
    assert.equal(await statusOf(platform.url, token), 401)
    assert.equal((await logInByKey(platform.url, key)).status, 401)
    // Events of the first user are not attributed to the second.
    assert.notDeepEqual(await identityApi.events(`user_id=${old}`), [])
    assert.deepEqual(await identityApi.events(`user_id=${next}`), [])
  })

  test('SEC-16: a new project with an old name is not accessible to earlier members', async () => {
    const fields = { name: `phoenix ${newId()}` }
    const old = await make('projects', 'project', fields)
    const user = await identityApi.add((plan) => {
      const id = plan.user()
      plan.grant(identityApi.role('project_owner'), { user: id }, { project: old })
      return id
    })
    const [token, unscoped] = [
      await identityApi.tokenFor(user, { project: old }),
      await identityApi.tokenFor(user),
    ]
    await identityApi.order('PUT', `/v3/users/${user}`, { user: { default_project_id: old } })
    const key = await makeKey(platform.url, token, old)
    const next = await replace('projects', 'project', old, fields)
    await nothingAt(
      `/v3/role_assignments?scope.project.id=${next}`,
      `/v3/users/${user}/projects`,
      `/v3/credentials?user_id=${user}`,
    )
    assert.equal(await statusOf(platform.url, token), 401)
    assert.equal((await logInByKey(platform.url, key)).status, 401)
    for (const id of [old, next]) {
      assert.equal((await rescope(platform.url, unscoped, id)).status, 401)
    }
    const { body } = await identityApi.order('GET', `/v3/users/${user}`)
    assert.equal((body['user'] as { default_project_id?: unknown }).default_project_id, null)
  })

  test('SEC-16: a new domain with an old name is empty', async () => {
    const fields = { name: `atlantis ${newId()}` }
    const old = await make('domains', 'domain', fields)
    const { user, governor } = await identityApi.add((plan) => {
      const ids = { user: plan.user(old), governor: plan.user() }
      plan.grant(
        identityApi.role('project_owner'),
        { user: ids.user },
        { project: plan.project(old) },
      )
      plan.grant(identityApi.role('domain_admin'), { user: ids.governor }, { domain: old })
      plan.group(old, ids.user)
      plan.provider(old)
      return ids
    })
    const tokens = [
      await identityApi.tokenFor(user),
      await identityApi.tokenFor(governor, { domain: old }),
    ]
    const held = (id: string) => [
      ...['users', 'projects', 'groups', 'identity_providers'].map(
        (kind) => `/v3/${kind}?domain_id=${id}`,
      ),
      `/v3/role_assignments?scope.domain.id=${id}`,
    ]
    await somethingAt(...held(old))
    await identityApi.order('PUT', `/v3/domains/${old}`, { domain: { enabled: false } })
    const next = await replace('domains', 'domain', old, fields)
    await nothingAt(...held(next), ...held(old))
    for (const token of tokens) assert.equal(await statusOf(platform.url, token), 401)
  })

  test('SEC-16: a new group with an old name has no members and no roles', async () => {
    const fields = { name: `club ${newId()}` }
    const old = await make('groups', 'group', fields)
    const { id: member, projectId } = await identityApi.addCaller()
    await identityApi.order('PUT', `/v3/groups/${old}/users/${member}`)
    await identityApi.add((plan) => {
      plan.grant(identityApi.role('project_owner'), { group: old }, { project: projectId })
    })
    const next = await replace('groups', 'group', old, fields)
    await nothingAt(
      `/v3/groups/${next}/users`,
      `/v3/users/${member}/groups`,
      `/v3/role_assignments?group.id=${next}`,
      `/v3/role_assignments?group.id=${old}`,
    )
  })

  test('SEC-16: a new role or policy with an old name has no bindings', async () => {
    const [roleFields, policyFields] = [
      { name: `visitor ${newId()}` },
      {
        name: `visits ${newId()}`,
        scope: 'project',
        rules: [parseRule('allow compute servers get')],
      },
    ]
    const [role, policy] = [
      await make('roles', 'role', roleFields),
      await make('policies', 'policy', policyFields),
    ]
    await identityApi.order('PUT', `/v3/roles/${role}/policies/${policy}`)
    const { id: user, projectId: project } = await identityApi.addCaller()
    await identityApi.add((plan) => plan.grant(role, { user }, { project }))
    await somethingAt(`/v3/roles/${role}/policies`, `/v3/role_assignments?role.id=${role}`)
    await replace('policies', 'policy', policy, policyFields)
    await nothingAt(`/v3/roles/${role}/policies`)
    const next = await replace('roles', 'role', role, roleFields)
    await nothingAt(`/v3/roles/${next}/policies`, `/v3/role_assignments?role.id=${next}`)
  })

  test('SEC-16: a new access key with an old name rejects the old secret', async () => {
    const { url } = platform
    const { id: user, projectId, token } = await identityApi.addCaller()
    const fields = { name: `backup ${newId()}` }
    const old = await makeKey(url, token, projectId, fields)
    const got = (await logInByKey(url, old)).headers.get('x-subject-token') ?? ''
    assert.equal(await statusOf(url, got), 200)
    await identityApi.order('DELETE', `/v3/credentials/${old.keyId}`)
    const next = await makeKey(url, token, projectId, fields)
    assert.notEqual(next.keyId, old.keyId)
    assert.equal(await statusOf(url, got), 401)
    assert.equal((await logInByKey(url, old)).status, 401)
    assert.equal((await logInByKey(url, { ...next, keySecret: old.keySecret })).status, 401)
    assert.equal((await logInByKey(url, next)).status, 201)
    assert.equal((await list(`/v3/credentials?user_id=${user}`)).length, 1)
  })

  test('SEC-16: a new identity provider with an old name has no linked users', async () => {
    const fields = { name: `campus ${newId()}`, ...providerFields('default') }
    const old = await make('identity_providers', 'identity_provider', fields)
    const { userId, project } = await addTokenHolder(identityApi)
    await identityApi.add((plan) => {
      plan.subject(old, userId)
      plan.grant(identityApi.bare, { user: userId }, { project }, old)
    })
    const token = await identityApi.tokenFor(userId, { project }, { providerId: old })
    const next = await replace('identity_providers', 'identity_provider', old, fields)
    assert.equal(await statusOf(platform.url, token), 401)
    await nothingAt(`/v3/role_assignments?user.id=${userId}&role.id=${identityApi.bare}`)
    const { db } = platform.database
    for (const id of [old, next]) {
      const subjects = db.selectFrom('subjects').selectAll().where('provider_id', '=', id)
      assert.deepEqual(await subjects.execute(), [])
    }
  })
})
