import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Token, UserDto } from '@muster/contract'
import { ask } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  openIdentityApi,
  type IdentityApi,
} from '../../testing/identity-world/open-identity-api.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const contacts = { email: 'ada@example.org', mobile: '+44 20 7946 0000' }
const lastLogin = '2026-01-02T03:04:05.000000Z'
const visible = { ...contacts, last_login_at: lastLogin }
const hidden = { email: '', mobile: '', last_login_at: null }
const personal = ({ email, mobile, last_login_at }: UserDto) => ({ email, mobile, last_login_at })

onEngineOfLane("a user's e-mail, mobile and last login", (engine) => {
  let platform: TestPlatform
  let identityApi: IdentityApi
  let ada: { readonly id: string; readonly token: string }
  let groupId: string
  let projectId: string
  before(async () => {
    platform = await startPlatform({ engine })
    identityApi = await openIdentityApi(platform)
    const person = await identityApi.addCaller({ project: [identityApi.role('project_viewer')] })
    ada = person
    projectId = person.projectId
    await identityApi.order('PUT', `/v3/users/${ada.id}`, { user: contacts })
    const { db } = platform.database
    const login = db.updateTable('users').set({ last_login_at: Date.parse(lastLogin) })
    await platform.database.commitIdentity([login.where('id', '=', ada.id).compile()])
    groupId = await identityApi.add((plan) => {
      const group = plan.group('default', ada.id)
      plan.grant(identityApi.bare, { group }, { project: projectId })
      return group
    })
  })
  after(() => platform.close())

  /** Ada as returned by the list, the details and, with permission on groups, the group members. */
  async function viewsFor(token: string) {
    const get = async <Body>(path: string) =>
      (await ask<Body>(identityApi.url, path, { token })).body
    const { users } = await get<{ users: UserDto[] }>('/v3/users')
    const { user } = await get<{ user: UserDto }>(`/v3/users/${ada.id}`)
    const members = await get<{ users?: UserDto[] }>(`/v3/groups/${groupId}/users`)
    const listed = users.filter(({ id }) => id === ada.id)
    return [...listed, user, ...(members.users ?? [])].map(personal)
  }

  async function colleague(...roles: string[]): Promise<string> {
    const { id } = await identityApi.addCaller()
    await identityApi.add((plan) => {
      for (const role of roles) plan.grant(role, { user: id }, { project: projectId })
    })
    return await identityApi.tokenFor(id, { project: projectId })
  }

  test('are hidden from members of a shared project, in every role', async () => {
    for (const role of ['project_viewer', 'project_editor', 'project_owner']) {
      const token = await colleague(identityApi.role(role))
      assert.deepEqual(await viewsFor(token), [hidden, hidden], role)
    }
  })

  test('are visible to the user', async () => {
    assert.deepEqual(await viewsFor(ada.token), [visible, visible])
  })

  test('are visible with read permission on users of the domain or of the system', async () => {
    for (const role of ['domain_viewer', 'domain_admin']) {
      const { id } = await identityApi.addCaller({ domain: [identityApi.role(role)] })
      const token = await identityApi.tokenFor(id, { domain: 'default' })
      assert.deepEqual(await viewsFor(token), [visible, visible, visible], role)
    }
    const { token } = await identityApi.addCaller({ system: [identityApi.role('auditor')] })
    assert.deepEqual(await viewsFor(token), [visible, visible, visible])
  })

  test('are hidden from a role in the domain that can read groups but not users', async () => {
    const role = await identityApi.addRole('domain', 'allow identity groups *')
    const { id } = await identityApi.addCaller({ domain: [role.id] })
    const token = await identityApi.tokenFor(id, { domain: 'default' })
    const { body } = await ask<{ users: UserDto[] }>(
      identityApi.url,
      `/v3/groups/${groupId}/users`,
      {
        token,
      },
    )
    assert.deepEqual(body.users.map(personal), [hidden])
  })

  test('are hidden in the response to a change by a role that can change users but not read them', async () => {
    const role = await identityApi.addRole('system', 'allow identity users update')
    const { token } = await identityApi.addCaller({ system: [role.id] })
    const path = `/v3/users/${ada.id}`
    const { status, body } = await ask<{ user: UserDto }>(identityApi.url, path, {
      method: 'PUT',
      token,
      body: { user: { description: 'changed' } },
    })
    assert.deepEqual([status, personal(body.user)], [200, hidden])
  })

  test('are in a token only for callers who can read them elsewhere', async () => {
    const role = await identityApi.addRole('system', 'allow identity tokens get')
    const stranger = await identityApi.addCaller({ system: [role.id] })
    const subject = async (token: string) => {
      const headers = { 'x-subject-token': ada.token }
      const { body } = await ask<{ token: Token }>(identityApi.url, '/v3/auth/tokens', {
        token,
        headers,
      })
      return { email: body.token.user.Email, mobile: body.token.user.Mobile }
    }
    assert.deepEqual(await subject(stranger.token), { email: '', mobile: '' })
    assert.deepEqual(await subject(ada.token), contacts)
    assert.deepEqual(await subject(identityApi.admin), contacts)
  })

  test('are found by filters, search and sorting only where they are visible', async () => {
    const token = await colleague(identityApi.role('project_owner'))
    const idsFor = async (caller: string, query: string) => {
      const path = `/v3/users?${query}`
      const { body, status, text } = await ask<{ users: UserDto[] }>(identityApi.url, path, {
        token: caller,
      })
      assert.equal(status, 200, text)
      return body.users.map(({ id }) => id)
    }
    const queries = [
      `email=${contacts.email}`,
      "filter=email.contains('ADA')",
      'filter=mobile.isnotempty()',
      "filter=email.ge('a')",
      "filter=last_login_at.le('2026-01-03')",
      'q=email:ada@example.org',
      'search=example.org',
      `search=${encodeURIComponent(contacts.mobile)}`,
    ]
    for (const query of queries) {
      assert.deepEqual(await idsFor(token, query), [], query)
      assert.deepEqual(await idsFor(identityApi.admin, query), [ada.id], query)
      assert.deepEqual(await idsFor(ada.token, query), [ada.id], query)
    }
    // All are hidden and thus equal, so the ids decide.
    const sorted = await idsFor(token, 'order_by=email&order=asc')
    assert.deepEqual(sorted, sorted.toSorted())
    assert.equal((await idsFor(identityApi.admin, 'order_by=email')).at(0), ada.id)
    const all = await idsFor(token, 'filter=email.isempty()')
    assert.ok(all.includes(ada.id))
  })
})
