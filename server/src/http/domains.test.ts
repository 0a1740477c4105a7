import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { DomainView } from '@muster/contract'
import { ask } from '../testing/client.ts'
import { createAdminClient, type ContractClient } from '../testing/contract-client.ts'
import { addEstate } from '../testing/estate.ts'
import { testLife } from '../testing/resource-life.ts'
import { startPlatform, type TestPlatform } from '../testing/start-platform.ts'

describe('domains', () => {
  let platform: TestPlatform
  let admin: ContractClient
  before(async () => {
    platform = await startPlatform()
    admin = await createAdminClient(platform)
  })
  after(() => platform.close())

  testLife(
    {
      noun: 'Domain',
      nouns: 'Domains',
      key: 'domain',
      keys: 'domains',
      bare: { description: '', enabled: true, tags: [], options: {} },
      changes: { description: 'The laboratories', enabled: false },
      beforeDeletion: { enabled: false },
    },
    () => platform,
    () => admin,
  )

  const statusOf = async (token: string) =>
    (await ask(platform.url, '/v3/auth/projects', { token })).status

  test('an enabled domain is not deleted: it takes two steps', async () => {
    const { ids } = await addEstate(platform.database, 'Two steps')
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

  test('the default domain is never deleted, nor disabled while the only admin is in it', async () => {
    const path = { id: 'default' }
    await admin.fail('ConflictError', 'deleteDomain', { path })
    await admin.fail('ConflictError', 'updateDomain', {
      path,
      body: { domain: { enabled: false } },
    })
    const { token, userId } = await (
      await addEstate(platform.database, 'Elsewhere')
    ).person('admin')
    // Only who can log in counts as an admin.
    const { database } = platform
    const withPassword = database.read
      .updateTable('users')
      .set({ password_hash: 'some hash' })
      .where('id', '=', userId)
    await database.commitNews([withPassword.compile()])
    const elsewhere = await createAdminClient(platform)
    await elsewhere.get('updateDomain', { path, body: { domain: { enabled: false } } })
    const answer = await ask(platform.url, '/v3/domains/default', { method: 'DELETE', token })
    assert.deepEqual([answer.status, answer.body.class], [409, 'ConflictError'])
    const enabled = await ask(platform.url, '/v3/domains/default', {
      method: 'PATCH',
      token,
      body: { domain: { enabled: true } },
    })
    assert.equal(enabled.status, 200)
    // The tokens of its people ended with it.
    assert.equal((await elsewhere.call('listDomains')).status, 401)
    admin = await createAdminClient(platform)
  })

  test('disabling a domain ends the tokens of its people and for its projects, for good', async () => {
    const estate = await addEstate(platform.database, 'Closing')
    const other = await addEstate(platform.database, 'Open')
    const own = await Promise.all(['domain_admin', 'project_owner', undefined].map(estate.person))
    const stranger = await other.person('project_owner')
    const set = (enabled: boolean) =>
      admin.get<{ domain: DomainView }>('updateDomain', {
        path: { id: estate.ids.domains },
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
