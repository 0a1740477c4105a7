import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ProjectDto, Token, UserDto } from '@muster/contract'
import { ask, requestToken, secretOf, tokenIdentity } from '../../testing/client.ts'
import { createAdminClient, type ContractClient } from '../../testing/contract-client.ts'
import {
  startMeasuredLogins,
  type MeasuredLogins,
} from '../../testing/identity-world/measured-logins.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { addTenant, type Tenant } from '../../testing/identity-world/add-tenant.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import { testLifecycle } from '../../testing/identity-world/resource-lifecycle.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const password = 'tussocky moorland'

onEngineOfLane('users', (engine) => {
  let platform: TestPlatform
  let logins: MeasuredLogins
  let now = Date.now()
  let admin: ContractClient
  let tenant: Tenant
  before(async () => {
    platform = await startPlatform({ engine })
    // The password hasher is a cheap fake, and the clock can be set.
    logins = await startMeasuredLogins(platform, { clock: () => now })
    admin = await createAdminClient(platform, logins.url)
    tenant = await addTenant(platform.database, 'Tenant')
  })
  after(async () => {
    await logins.close()
    await platform.close()
  })

  if (engine === 'sqlite') {
    testLifecycle(
      {
        noun: 'User',
        nouns: 'Users',
        key: 'user',
        keys: 'users',
        bare: {
          domain_id: 'default',
          description: '',
          enabled: true,
          break_glass: false,
          service_account: false,
          owner_id: null,
          purpose: '',
          attention: '',
          displayname: '',
          email: '',
          mobile: '',
          default_project_id: null,
          password_expires_at: null,
          expires_at: null,
          last_login_at: null,
          options: {},
        },
        changes: {
          description: 'Writes programs',
          enabled: false,
          displayname: 'Ada Lovelace',
          email: 'ada@example.org',
          mobile: '+44 20 7946 0000',
          expires_at: '2099-05-04T08:00:00.250000Z',
        },
      },
      () => platform,
      () => admin,
    )
  }

  test('a user shows when it last logged in, to the minute', async () => {
    const { id } = await create({ password })
    const shown = async () =>
      (await admin.get<{ user: UserDto }>('getUser', { path: { id } })).user.last_login_at
    assert.equal((await logIn(id, 'a wrong one')).status, 401)
    assert.equal(await shown(), null)
    const at = now
    assert.equal((await logIn(id)).status, 201)
    assert.equal(Date.parse((await shown()) ?? ''), at)
    now += 59_000
    await logIn(id)
    assert.equal(Date.parse((await shown()) ?? ''), at)
    now += 1_000
    const token = secretOf(await logIn(id))
    assert.equal(Date.parse((await shown()) ?? ''), at + 60_000)
    now += 60_000
    assert.equal((await requestToken(logins.url, { identity: tokenIdentity(token) })).status, 201)
    assert.equal(Date.parse((await shown()) ?? ''), at + 60_000, 'the login was before')
    const query = `id=${id}&filter=last_login_at.isnotnull()`
    const { users } = await admin.get<{ users: UserDto[] }>('listUsers', { query })
    assert.equal(users.length, 1)
  })

  let serial = 0
  const create = async (fields: object = {}) => {
    serial += 1
    const body = { user: { name: `user ${serial}`, domain_id: tenant.ids.domains, ...fields } }
    return (await admin.get<{ user: UserDto }>('createUser', { body })).user
  }
  const change = async (id: string, user: object) =>
    (await admin.get<{ user: UserDto }>('updateUser', { path: { id }, body: { user } })).user
  const logIn = (id: string, secret = password) =>
    requestToken(logins.url, {
      identity: { methods: ['password'], password: { user: { id, password: secret } } },
    })
  const tokenOf = async (id: string) => secretOf(await logIn(id))
  const statusOf = async (token: string) =>
    (await ask(logins.url, '/v3/auth/projects', { token })).status

  test('a user can log in only with a password', async () => {
    for (const fields of [{}, { password: null }]) {
      const { id } = await create(fields)
      assert.equal((await logIn(id)).status, 401)
      assert.equal((await logIn(id, 'null')).status, 401)
    }
    const { id } = await create({ password })
    const { body } = await logIn(id)
    assert.equal(body.token.user.Id, id)
  })

  test('a weak password is rejected, and no other field is changed', async () => {
    const { id } = await create({ password })
    const before = await dumpTables(platform.database)
    for (const weak of [
      'short',
      '1234567',
      'password',
      'PASSWORD1',
      'ｐassword',
      'é'.repeat(600),
    ]) {
      const user = { name: 'never', domain_id: tenant.ids.domains, password: weak }
      await admin.fail('WeakPasswordError', 'createUser', { body: { user } })
      const body = { user: { password: weak, email: 'new@example.org' } }
      await admin.fail('WeakPasswordError', 'updateUser', { path: { id }, body })
    }
    assert.deepEqual(await dumpTables(platform.database), before)
    const long = 'é'.repeat(512)
    await change(id, { password: long })
    assert.equal((await logIn(id, long)).status, 201)
    assert.equal((await logIn(id, long.slice(0, -1))).status, 401)
  })

  test('changing or removing the password or disabling the user ends every token', async () => {
    for (const [changes, status] of [
      [{ password: 'moorland tussocks' }, 401],
      [{ password: null }, 401],
      [{ enabled: false }, 401],
      [{ displayname: 'Somebody' }, 201],
    ] as const) {
      const { id } = await create({ password })
      const tokens = [await tokenOf(id), await tokenOf(id)]
      await change(id, changes)
      const isGood = status === 201
      for (const token of tokens) assert.equal(await statusOf(token), isGood ? 200 : 401)
      assert.equal((await logIn(id)).status, status)
      if ('enabled' in changes) {
        await change(id, { enabled: true })
        for (const token of tokens) assert.equal(await statusOf(token), 401)
        assert.equal((await logIn(id)).status, 201)
      }
    }
  })

  test('no response and no event contains a password', async () => {
    const secret = 'a very particular password'
    const user = { name: 'discreet', domain_id: tenant.ids.domains, password: secret }
    const made = await admin.call<{ user: UserDto }>('createUser', { body: { user } })
    const path = { id: made.body.user.id }
    const body = { user: { password: `${secret} again` } }
    const changed = await admin.call('updateUser', { path, body })
    const events = await admin.call('listEvents', { query: `target_id=${path.id}` })
    for (const { text } of [made, changed, events]) {
      assert.ok(!text.includes(secret) && !text.includes('hash'), text)
    }
    assert.match(events.text, /"password":\["\(hidden\)","\(hidden\)"\]/)
  })

  test('a login without a scope is for the default project', async () => {
    const { projects } = tenant.ids
    const { id } = await create({ password, default_project_id: projects })
    const scope = async () => ((await logIn(id)).body.token satisfies Token).project.Id
    // Without a role there, the default project is ignored.
    assert.equal(await scope(), '')
    const { roles } = await admin.get<{ roles: { id: string }[] }>('listRoles', {
      query: 'name=project_viewer',
    })
    const role_id = roles[0]?.id ?? ''
    await admin.get('grantProjectUserRole', { path: { id: projects, user_id: id, role_id } })
    assert.equal(await scope(), projects)
    assert.equal((await change(id, { default_project_id: null })).default_project_id, null)
    assert.equal(await scope(), '')
    for (const default_project_id of ['none', tenant.ids.domains, id]) {
      const error = await admin.fail('InputParameterError', 'updateUser', {
        path: { id },
        body: { user: { default_project_id } },
      })
      assert.equal(error.fields?.[0]?.path, 'user.default_project_id')
    }
  })

  test('deleting a project clears it as the default project', async () => {
    const body = { project: { name: 'passing', domain_id: tenant.ids.domains } }
    const { project } = await admin.get<{ project: ProjectDto }>('createProject', { body })
    const { id } = await create({ default_project_id: project.id })
    await admin.get('deleteProject', { path: { id: project.id } })
    const { user } = await admin.get<{ user: UserDto }>('getUser', { path: { id } })
    assert.equal(user.default_project_id, null)
  })

  test('a user expires at the given time, and so do the tokens of the user', async () => {
    const halfAnHour = 1_800_000
    const written = (time: number) => `${new Date(time).toISOString().slice(0, 19)}Z`
    const end = Math.floor(now / 1_000) * 1_000 + halfAnHour
    const { id, expires_at } = await create({ password, expires_at: written(end) })
    assert.equal(Date.parse(expires_at ?? ''), end)
    const answer = await logIn(id)
    assert.equal(Date.parse(answer.body.token.expires_at), end)
    const token = secretOf(answer)
    now = end
    assert.equal(await statusOf(token), 401)
    assert.equal((await logIn(id)).status, 401)
    await change(id, { expires_at: null })
    assert.equal((await logIn(id)).status, 201)
    await change(id, { expires_at: written(now - halfAnHour) })
    assert.equal((await logIn(id)).status, 401)
    now = Date.now()
  })

  test('the email address can be removed with an empty text or null', async () => {
    const { id, email } = await create({ email: 'ada@example.org' })
    assert.equal(email, 'ada@example.org')
    assert.equal((await change(id, { email: null })).email, '')
    assert.equal((await change(id, { email: 'b@example.org' })).email, 'b@example.org')
    assert.equal((await change(id, { email: '' })).email, '')
    assert.equal((await create({ email: null })).email, '')
  })

  test('a user is created in the given domain and cannot move', async () => {
    const { id, domain_id } = await create()
    assert.equal(domain_id, tenant.ids.domains)
    const path = { id }
    const body = { user: { domain_id: 'default' } }
    const error = await admin.fail('InputParameterError', 'updateUser', { path, body })
    assert.equal(error.fields?.[0]?.path, 'user.domain_id')
    const nowhere = { user: { name: 'lost', domain_id: 'none' } }
    const lost = await admin.fail('InputParameterError', 'createUser', { body: nowhere })
    assert.equal(lost.fields?.[0]?.path, 'user.domain_id')
  })

  test('the projects of a user are those with a role, direct or through a group', async () => {
    const other = await addTenant(platform.database, 'Another')
    const { users, projects, groups } = other.ids
    const names = async (id: string, query = '') => {
      const answer = await admin.get<{ projects: ProjectDto[] }>('listUserProjects', {
        path: { id },
        query,
      })
      return answer.projects.map((project) => project.id)
    }
    assert.deepEqual(await names(users), [projects])
    assert.deepEqual(await names(users, `domain_id=${other.ids.domains}&enabled`), [projects])
    assert.deepEqual(await names(users, 'domain_id=default'), [])
    assert.deepEqual(await names(users, 'name=MAIN'), [projects])
    const { id } = await create()
    assert.deepEqual(await names(id), [])
    await admin.get('addGroupUser', { path: { id: groups, user_id: id } })
    assert.deepEqual(await names(id), [projects])
    await admin.fail('ResourceNotFoundError', 'listUserProjects', { path: { id: 'none' } })
  })
})
