import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { IdentityProviderDto } from '@muster/contract'
import { heldIn, startCasPlatform, type CasPlatform } from '../../testing/cas-platform.ts'
import { secretOf } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { startFakeCas, type FakeCas } from '../../testing/fake-cas.ts'

onEngineOfLane('an identity provider with users', (engine) => {
  const lifetime = suiteLifetime()
  let muster: CasPlatform
  let cas: FakeCas
  let campus: string
  let lab: string
  let provider: string
  before(async () => {
    muster = await startCasPlatform(lifetime, engine)
    cas = await startFakeCas(lifetime)
    campus = await muster.identities.addDomain('campus')
    lab = await muster.identities.addProject('lab', campus)
    const mapping = [{ role_id: await muster.roleId('project_viewer'), project_id: lab }]
    provider = (await muster.addProvider(cas, { domain_id: campus, mapping })).id
  })

  const call = (method: string, path: string, changes?: object) =>
    muster.call<{ identity_provider: IdentityProviderDto }>(
      method,
      `/v3/identity_providers${path}`,
      changes && { identity_provider: changes },
    )

  /** A user with one role from the mapping and one granted manually. */
  async function arrive(name: string) {
    const userId = (await muster.logIn(cas.ticketFor(name))).body.token.user.Id
    const projectId = await muster.identities.addProject(`${name}'s own`, campus)
    await muster.identities.assign({ role: 'project_owner', userId, projectId })
    const scope = { project: { id: lab } }
    const token = secretOf(await muster.logIn(cas.ticketFor(name), scope))
    assert.equal(await muster.statusOf(token), 200)
    return { userId, token }
  }
  const held = async (userId: string) => {
    const path = `/v3/role_assignments?user.id=${userId}&include_names=true`
    const { body } = await muster.call<{ role_assignments: { role: { name: string } }[] }>(
      'GET',
      path,
    )
    return body.role_assignments.map(({ role }) => role.name).sort()
  }

  test('SEC-47: disabling ends its tokens and issues no others', async () => {
    const { userId, token } = await arrive('ada')
    await muster.changeProvider(provider, { enabled: false })
    assert.equal(await muster.statusOf(token), 401)
    const ticket = cas.ticketFor('ada')
    await muster.assertRefused(await muster.logIn(ticket), /^CAS: no provider/)
    assert.deepEqual(cas.askedAbout(ticket), [])
    // Users and role assignments are kept until it is enabled again.
    assert.deepEqual(await held(userId), ['project_owner', 'project_viewer'])
    await muster.changeProvider(provider, { enabled: true })
    assert.equal(await muster.statusOf(token), 401)
    const { user, role_assignments } = (await muster.logIn(cas.ticketFor('ada'))).body.token
    assert.equal(user.Id, userId)
    assert.deepEqual(heldIn(role_assignments), [
      "project_owner on ada's own",
      'project_viewer on lab',
    ])
  })

  test('cannot be disabled or deleted if the last administrator depends on it', async () => {
    const { userId } = await arrive('root')
    const system = `/v3/system/users/${userId}/roles/${await muster.roleId('admin')}`
    assert.equal((await muster.call('PUT', system)).status, 204)
    const { db } = muster.database
    const setPassword = (password_hash: string | null) =>
      muster.identities.change(
        db.updateTable('users').set({ password_hash }).where('name', '=', 'sysadmin').compile(),
      )
    const { password_hash } = await db
      .selectFrom('users')
      .where('name', '=', 'sysadmin')
      .select('password_hash')
      .executeTakeFirstOrThrow()
    // The token is still valid, but the user cannot log in any more.
    await setPassword(null)
    const answers = [
      await call('DELETE', `/${provider}`),
      await call('PUT', `/${provider}`, { enabled: false }),
    ]
    await setPassword(password_hash)
    await muster.changeProvider(provider, { enabled: true })
    assert.equal((await muster.call('DELETE', system)).status, 204)
    for (const answer of answers) assertError(answer, 'ConflictError')
  })

  test('deleting ends its tokens and roles; its users stay and cannot be taken over', async () => {
    const { userId, token } = await arrive('grace')
    const { name, url } = (await call('GET', `/${provider}`)).body.identity_provider
    assert.equal((await call('DELETE', `/${provider}`)).status, 204)
    assertError(await call('GET', `/${provider}`), 'ResourceNotFoundError')
    assertError(await call('DELETE', `/${provider}`), 'ResourceNotFoundError')
    assert.equal(await muster.statusOf(token), 401)
    assert.equal((await muster.call('GET', `/v3/users/${userId}`)).status, 200)
    assert.deepEqual(await held(userId), ['project_owner'])
    // A new provider with the same name and address does not take over its users.
    await muster.addProvider(cas, { name, url, domain_id: campus })
    const answer = await muster.logIn(cas.ticketFor('grace'))
    await muster.assertRefused(answer, /^CAS: "grace" is a user that the provider did not create$/)
  })
})
