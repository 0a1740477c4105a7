import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { noLoginRules, type DomainDto } from '@muster/contract'
import { ask } from '../../testing/client.ts'
import { createAdminClient, type ContractClient } from '../../testing/contract-client.ts'
import { assertError } from '../../testing/assert-error.ts'
import { addTenant } from '../../testing/identity-world/add-tenant.ts'
import { testLifecycle } from '../../testing/identity-world/resource-lifecycle.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

describe('domains', () => {
  let platform: TestPlatform
  let admin: ContractClient
  before(async () => {
    platform = await startPlatform()
    admin = await createAdminClient(platform)
  })
  after(() => platform.close())

  testLifecycle(
    {
      noun: 'Domain',
      nouns: 'Domains',
      key: 'domain',
      keys: 'domains',
      bare: {
        description: '',
        enabled: true,
        local_passwords: 'on',
        local_passwords_since: null,
        login_rules: noLoginRules,
        tags: [],
        options: {},
      },
      changes: { description: 'The laboratories', enabled: false },
      beforeDeletion: { enabled: false },
    },
    () => platform,
    () => admin,
  )

  const statusOf = async (token: string) =>
    (await ask(platform.url, '/v3/auth/projects', { token })).status

  test('an enabled domain cannot be deleted', async () => {
    const { ids } = await addTenant(platform.database, 'Two steps')
    const path = { id: ids.domains }
    await admin.fail('InvalidStatusError', 'deleteDomain', { path })
    await admin.get('updateDomain', { path, body: { domain: { enabled: false } } })
    await admin.get('deleteDomain', { path })
    for (const [operation, id] of [
      ['getProject', ids.projects],
      ['getUser', ids.users],
      ['getGroup', ids.groups],
      ['getCredential', ids.credentials],
      ['getIdentityProvider', ids.identity_providers],
    ] as const) {
      await admin.fail('ResourceNotFoundError', operation, { path: { id } })
    }
  })

  test('the default domain cannot be deleted or disabled', async () => {
    const { token, userId } = await (
      await addTenant(platform.database, 'Elsewhere')
    ).person('admin')
    const { database } = platform
    const { db } = database
    // Only users who can log in count as administrators.
    const withPassword = db
      .updateTable('users')
      .set({ password_hash: 'some hash' })
      .where('id', '=', userId)
    await database.commitIdentity([withPassword.compile()])
    const send = (method: string, domain?: object) =>
      ask(platform.url, '/v3/domains/default', {
        method,
        token,
        ...(domain && { body: { domain } }),
      })
    for (const refused of [
      await send('PATCH', { enabled: false }),
      await send('PATCH', { enabled: false, name: 'Other' }),
      await send('DELETE'),
    ]) {
      const { details } = assertError(refused, 'ConflictError')
      assert.match(details, /^The default domain cannot be (disabled|deleted): /)
    }
    assert.equal((await send('PATCH', { enabled: true, description: 'Home' })).status, 200)
    // A domain disabled by an earlier version can be enabled.
    const disabled = db.updateTable('domains').set({ enabled: 0 }).where('id', '=', 'default')
    await database.commitIdentity([disabled.compile()])
    assertError(await send('DELETE'), 'ConflictError')
    assert.equal((await send('PATCH', { enabled: true })).status, 200)
    admin = await createAdminClient(platform)
  })

  test('disabling a domain permanently ends the tokens of its users and for its projects', async () => {
    const tenant = await addTenant(platform.database, 'Closing')
    const other = await addTenant(platform.database, 'Open')
    const own = await Promise.all(['domain_admin', 'project_owner', undefined].map(tenant.person))
    const stranger = await other.person('project_owner')
    const set = (enabled: boolean) =>
      admin.get<{ domain: DomainDto }>('updateDomain', {
        path: { id: tenant.ids.domains },
        body: { domain: { enabled } },
      })
    const statuses = () => Promise.all([...own, stranger].map(({ token }) => statusOf(token)))
    assert.deepEqual(await statuses(), [200, 200, 200, 200])
    await set(false)
    assert.deepEqual(await statuses(), [401, 401, 401, 200])
    await set(true)
    assert.deepEqual(await statuses(), [401, 401, 401, 200])
  })
})
