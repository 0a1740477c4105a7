import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { newId } from '../../domain/new-id.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  openIdentityApi,
  providerFields,
  type IdentityApi,
  type Person,
} from '../../testing/identity-world/open-identity-api.ts'
import { testAuthority } from '../../testing/secure-server.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const password = 'tussocky moorland'

/** Taking over an account would grant the caller its permissions. */
onEngineOfLane('users with more permissions are protected', (engine) => {
  let platform: TestPlatform
  let identityApi: IdentityApi
  let domainId: string
  /** A domain administrator with a token for the domain. */
  let chief: Person & { inDomain: string }
  before(async () => {
    platform = await startPlatform({ engine })
    identityApi = await openIdentityApi(platform)
    domainId = await identityApi.addDomain()
    const role = identityApi.role('domain_admin')
    const person = await identityApi.addCaller({ domainId, domain: [role] })
    chief = { ...person, inDomain: await identityApi.tokenFor(person.id, { domain: domainId }) }
  })
  after(() => platform.close())

  /** Every API call that could take over an account. */
  const acts = (token: string) => {
    const on = (kind: string, key: string) => (id: string, changes: object) => () =>
      identityApi.call(token, 'PUT', `/v3/${kind}/${id}`, { [key]: changes })
    return {
      change: on('users', 'user'),
      changeKey: on('credentials', 'credential'),
      remove: (id: string) => () => identityApi.call(token, 'DELETE', `/v3/users/${id}`),
      makeKey: (user_id: string, project_id: string) => () =>
        identityApi.call(token, 'POST', '/v3/credentials', {
          credential: { type: 'aksk', user_id, project_id },
        }),
    }
  }

  /** A disabled access key. */
  async function addDisabledKey({ id, projectId, token }: Person): Promise<string> {
    const credential = { type: 'aksk', project_id: projectId }
    const made = await identityApi.call(token, 'POST', '/v3/credentials', { credential })
    assert.equal(made.status, 201, made.text)
    const key = made.body['credential']?.id ?? ''
    const disabled = await acts(token).changeKey(key, { enabled: false })()
    assert.equal(disabled.status, 200, `${id}: ${disabled.text}`)
    return key
  }

  const promoteAbroad = ({ id }: Person) =>
    identityApi.add((plan) =>
      plan.grant(identityApi.role('domain_viewer'), { user: id }, { domain: plan.domain() }),
    )

  describe('a domain administrator', () => {
    test('cannot change a user with a system role, direct or through a group', async () => {
      const auditor = identityApi.role('auditor')
      const direct = await identityApi.addCaller({ domainId, system: [auditor] })
      const member = await identityApi.addCaller({ domainId })
      await identityApi.add((plan) =>
        plan.grant(auditor, { group: plan.group('default', member.id) }, 'system'),
      )
      const { change, remove, makeKey } = acts(chief.inDomain)
      await identityApi.assertRefused(
        403,
        ...[direct, member].flatMap(({ id, projectId }) => [
          change(id, { name: newId() }),
          change(id, { enabled: false }),
          change(id, { expires_at: '2030-01-01T00:00:00Z' }),
          change(id, { password }),
          change(id, { password: null }),
          remove(id),
          makeKey(id, projectId),
        ]),
      )
    })

    test('cannot enable an access key of a user with a system role', async () => {
      const auditor = identityApi.role('auditor')
      const person = await identityApi.addCaller({ domainId, system: [auditor] })
      const key = await addDisabledKey(person)
      const { changeKey } = acts(chief.inDomain)
      await identityApi.assertRefused(403, changeKey(key, { enabled: true }))
    })

    test('cannot change role assignments in another domain', async () => {
      const person = await identityApi.addCaller({ domainId })
      await promoteAbroad(person)
      const { change, makeKey } = acts(chief.inDomain)
      await identityApi.assertRefused(
        403,
        change(person.id, { password }),
        change(person.id, { password: null }),
        makeKey(person.id, person.projectId),
      )
      // The roles of users in the own domain can still be revoked.
      assert.equal((await change(person.id, { enabled: false })()).status, 200)
    })

    test('cannot enable an access key of a user with more permissions in another domain', async () => {
      const person = await identityApi.addCaller({ domainId })
      const key = await addDisabledKey(person)
      await promoteAbroad(person)
      const { changeKey } = acts(chief.inDomain)
      await identityApi.assertRefused(403, changeKey(key, { enabled: true }))
    })

    test('can administer the users of the domain', async () => {
      const owner = identityApi.role('project_owner')
      const person = await identityApi.addCaller({ domainId, project: [owner] })
      const key = await addDisabledKey(person)
      const { change, changeKey, remove, makeKey } = acts(chief.inDomain)
      assert.equal((await changeKey(key, { enabled: true })()).status, 200)
      assert.equal((await makeKey(person.id, person.projectId)()).status, 201)
      assert.equal((await change(person.id, { password, name: newId() })()).status, 200)
      assert.equal((await change(person.id, { enabled: false })()).status, 200)
      assert.equal((await remove(person.id)()).status, 204)
    })

    test('cannot change a group with a system role', async () => {
      const auditor = identityApi.role('auditor')
      const { member, group } = await identityApi.add((plan) => {
        const user = plan.user(domainId)
        const users = plan.group(domainId, user)
        plan.grant(auditor, { group: users }, 'system')
        return { member: user, group: users }
      })
      const act = (method: string, path: string) => () =>
        identityApi.call(chief.inDomain, method, `/v3/groups/${path}`)
      await identityApi.assertRefused(
        403,
        act('PUT', `${group}/users/${chief.id}`),
        act('DELETE', `${group}/users/${member}`),
        act('DELETE', group),
      )
    })
  })

  describe('a system role for one resource type', () => {
    test('users: cannot set the password of a user with more permissions', async () => {
      const keeper = await identityApi.addRole('system', 'allow identity users *')
      const person = await identityApi.addCaller({ system: [keeper.id] })
      const owner = identityApi.role('project_owner')
      const stronger = await identityApi.addCaller({ project: [owner] })
      const { change } = acts(person.token)
      await identityApi.assertRefused(
        403,
        change(identityApi.adminId, { password }),
        change(stronger.id, { password }),
      )
      const plain = await identityApi.addCaller()
      assert.equal((await change(plain.id, { password })()).status, 200)
    })

    test('access keys: cannot create or enable one for a user with more permissions', async () => {
      const keeper = await identityApi.addRole('system', 'allow identity credentials *')
      const person = await identityApi.addCaller({ system: [keeper.id] })
      const owner = identityApi.role('project_owner')
      const stronger = await identityApi.addCaller({ project: [owner] })
      const { makeKey } = acts(person.token)
      await identityApi.assertRefused(
        403,
        makeKey(identityApi.adminId, identityApi.systemProjectId),
        makeKey(stronger.id, stronger.projectId),
      )
      const [plain, key] = [await identityApi.addCaller(), await addDisabledKey(person)]
      assert.equal((await makeKey(plain.id, plain.projectId)()).status, 201)
      assert.equal((await acts(person.token).changeKey(key, { enabled: true })()).status, 200)
    })

    test('access keys: cannot enable one of a user with more permissions', async () => {
      const keeper = await identityApi.addRole('system', 'allow identity credentials *')
      const person = await identityApi.addCaller({ system: [keeper.id] })
      const owner = identityApi.role('project_owner')
      const stronger = await identityApi.addCaller({ project: [owner] })
      const key = await addDisabledKey(stronger)
      await identityApi.assertRefused(403, acts(person.token).changeKey(key, { enabled: true }))
    })

    describe('identity providers', () => {
      let person: Person
      let owner: string
      before(async () => {
        const keeper = await identityApi.addRole('system', 'allow identity identity_providers *')
        person = await identityApi.addCaller({ system: [keeper.id] })
        owner = identityApi.role('project_owner')
      })

      const create = (mapping: readonly object[]) => () =>
        identityApi.call(person.token, 'POST', '/v3/identity_providers', {
          identity_provider: { name: newId(), ...providerFields('default'), mapping },
        })
      const change = (id: string, changes: object) => () =>
        identityApi.call(person.token, 'PUT', `/v3/identity_providers/${id}`, {
          identity_provider: changes,
        })
      /** Every change that takes over a provider or its users. */
      const takeovers = (id: string) => [
        change(id, { url: 'https://cas.example.net/' }),
        change(id, { service_url: 'https://elsewhere.example.net/' }),
        change(id, { ca: testAuthority }),
      ]

      test('cannot map users to a role with more permissions', async () => {
        const project_id = person.projectId
        const strong = [{ role_id: owner, project_id }]
        const empty = await identityApi.add((plan) => plan.provider('default'))
        await identityApi.assertRefused(
          403,
          create(strong),
          create([{ role_id: identityApi.bare, project_id }, ...strong]),
          create([{ role_id: owner, project_id, attribute: 'groups', value: 'staff' }]),
          change(empty, { mapping: strong }),
        )
        assert.equal((await create([{ role_id: identityApi.bare, project_id }])()).status, 201)
        assert.equal((await change(empty, { name: newId() })()).status, 200)
      })

      test('cannot change a provider whose mapping grants more', async () => {
        const id = await identityApi.add((plan) =>
          plan.provider('default', [{ role_id: owner, project_id: person.projectId }]),
        )
        await identityApi.assertRefused(403, ...takeovers(id))
        assert.equal((await change(id, { name: newId() })()).status, 200)
      })

      test('cannot enable a provider whose mapping grants more', async () => {
        const id = await identityApi.add((plan) =>
          plan.provider('default', [{ role_id: owner, project_id: person.projectId }]),
        )
        assert.equal((await change(id, { enabled: false })()).status, 200)
        await identityApi.assertRefused(403, change(id, { enabled: true }))
      })

      test('cannot change a provider of a user with more permissions', async () => {
        const id = await identityApi.add((plan) => {
          const provider = plan.provider('default')
          plan.subject(provider, identityApi.adminId)
          return provider
        })
        await identityApi.assertRefused(403, ...takeovers(id))
      })
    })
  })
})
