import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '../../domain/new-id.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  openIdentityApi,
  type IdentityApi,
  type OwnRole,
  type Person,
} from '../../testing/identity-world/open-identity-api.ts'
import { parseRule } from '../../testing/identity-world/parse-rule.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const bookkeeping = ['allow identity policies *', 'allow identity roles *']

/** A system role with all permissions on policies and roles and no others. */
onEngineOfLane('a role that manages policies and roles cannot escalate', (engine) => {
  let platform: TestPlatform
  let identityApi: IdentityApi
  let own: OwnRole
  let ban: OwnRole
  let clerk: Person
  before(async () => {
    platform = await startPlatform({ engine })
    identityApi = await openIdentityApi(platform)
    own = await identityApi.addRole('system', ...bookkeeping)
    ban = await identityApi.addRole('system', 'deny identity users delete')
    clerk = await identityApi.addCaller({ system: [own.id, ban.id] })
  })
  after(() => platform.close())

  const call = (method: string, path: string, body?: unknown) =>
    identityApi.call(clerk.token, method, path, body)
  const attempt = (method: string, path: string, body?: unknown) => () => call(method, path, body)
  const rewrite = (id: string, changes: object) =>
    attempt('PUT', `/v3/policies/${id}`, { policy: changes })
  const invent = (scope: string, rules: readonly string[], changes: object = {}) =>
    attempt('POST', '/v3/policies', {
      policy: { name: newId(), scope, rules: rules.map(parseRule), ...changes },
    })
  const bind = (role: string, policy: string) =>
    attempt('PUT', `/v3/roles/${role}/policies/${policy}`)
  const rules = (...texts: string[]) => ({ rules: texts.map(parseRule) })

  test('cannot widen any policy', async () => {
    const readers = await identityApi.add((plan) =>
      plan.policy('project', ['allow compute servers get']),
    )
    await identityApi.assertRefused(
      403,
      rewrite(own.policyId, rules(...bookkeeping, 'allow * * *')),
      rewrite(own.policyId, rules(...bookkeeping, 'allow identity users get')),
      rewrite(own.policyId, rules('allow identity * *')),
      rewrite(own.policyId, rules('allow * policies *')),
      rewrite(readers, rules('allow compute servers *')),
      // Renaming does not make it narrower.
      rewrite(own.policyId, { name: newId(), ...rules('allow * * get') }),
    )
    // PATCH is an alias of PUT.
    const path = `/v3/policies/${own.policyId}`
    await identityApi.assertRefused(403, attempt('PATCH', path, { policy: rules('allow * * *') }))
  })

  test('cannot create a policy that allows more than the caller is allowed everywhere', async () => {
    await identityApi.assertRefused(
      403,
      invent('system', ['allow * * *']),
      invent('system', ['allow identity users get']),
      invent('domain', ['allow identity users get']),
      invent('project', ['allow compute servers get']),
      invent('project', ['allow compute servers get'], { enabled: false }),
    )
    const narrow = invent('project', ['allow identity roles get', 'deny compute * *'])
    assert.equal((await narrow()).status, 201)
  })

  test('cannot bind a stronger policy to any role', async () => {
    const [admin, owner] = [
      await identityApi.idOf('policies', 'system_admin'),
      await identityApi.idOf('policies', 'project_owner'),
    ]
    const asleep = await identityApi.add((plan) =>
      plan.policy('system', ['allow identity users *'], false),
    )
    await identityApi.assertRefused(
      403,
      bind(own.id, admin),
      bind(identityApi.bare, admin),
      bind(identityApi.bare, owner),
      bind(own.id, asleep),
    )
    const weak = await identityApi.add((plan) =>
      plan.policy('system', ['allow identity roles get']),
    )
    assert.equal((await bind(identityApi.bare, weak)()).status, 204)
    assert.equal(
      (await call('DELETE', `/v3/roles/${identityApi.bare}/policies/${weak}`)).status,
      204,
    )
  })

  test('cannot enable a stronger policy', async () => {
    const asleep = await identityApi.add((plan) =>
      plan.policy('system', ['allow identity users *'], false),
    )
    await identityApi.add((plan) => plan.bind(own.id, asleep))
    await identityApi.assertRefused(403, rewrite(asleep, { enabled: true }))
    const weak = await identityApi.add((plan) =>
      plan.policy('system', ['allow identity roles get'], false),
    )
    assert.equal((await rewrite(weak, { enabled: true })()).status, 200)
  })

  test('cannot lift a deny rule on what the caller is not allowed to do', async () => {
    const forbidden = await identityApi.addRole('project', 'deny compute servers get')
    for (const { id, policyId } of [ban, forbidden]) {
      await identityApi.assertRefused(
        403,
        attempt('DELETE', `/v3/policies/${policyId}`),
        attempt('DELETE', `/v3/roles/${id}/policies/${policyId}`),
        attempt('DELETE', `/v3/roles/${id}`),
        rewrite(policyId, { enabled: false }),
        rewrite(policyId, rules('deny identity roles get')),
        // Narrower by one action, which lifts the deny rule for all others.
        rewrite(policyId, rules('deny identity roles get', 'allow identity roles list')),
      )
    }
  })

  test('can lift a deny rule on what the caller is allowed to do', async () => {
    const mild = await identityApi.addRole('system', 'deny identity policies get')
    assert.equal((await rewrite(mild.policyId, { enabled: false })()).status, 200)
    assert.equal((await rewrite(mild.policyId, { enabled: true })()).status, 200)
    assert.equal((await call('DELETE', `/v3/roles/${mild.id}`)).status, 204)
    assert.equal((await call('DELETE', `/v3/policies/${mild.policyId}`)).status, 204)
  })

  test('can rename, unbind and delete policies that only allow', async () => {
    const { id, policyId } = await identityApi.addRole('project', 'allow compute servers get')
    assert.equal((await rewrite(policyId, { name: newId() })()).status, 200)
    assert.equal((await call('DELETE', `/v3/roles/${id}/policies/${policyId}`)).status, 204)
    assert.equal((await call('DELETE', `/v3/policies/${policyId}`)).status, 204)
    assert.equal((await call('DELETE', `/v3/roles/${id}`)).status, 204)
  })

  test('cannot leave or delete a group with the deny rule, or join a stronger group', async () => {
    const domainId = await identityApi.addDomain()
    const keeper = await identityApi.addRole('domain', 'allow identity groups *')
    const barred = await identityApi.addRole('domain', 'deny identity users *')
    const person = await identityApi.addCaller({ domainId, domain: [keeper.id] })
    const token = await identityApi.tokenFor(person.id, { domain: domainId })
    const { carriers, strong, plain } = await identityApi.add((plan) => {
      const groups = {
        carriers: plan.group(domainId, person.id),
        strong: plan.group(domainId),
        plain: plan.group(domainId),
      }
      const where = { domain: domainId }
      plan.grant(barred.id, { group: groups.carriers }, where)
      plan.grant(identityApi.role('domain_viewer'), { group: groups.strong }, where)
      return groups
    })
    const group = (method: string, path: string) => () =>
      identityApi.call(token, method, `/v3/groups/${path}`)
    await identityApi.assertRefused(
      403,
      group('DELETE', `${carriers}/users/${person.id}`),
      group('DELETE', carriers),
      group('PUT', `${strong}/users/${person.id}`),
    )
    for (const [method, path] of [
      ['PUT', `${plain}/users/${person.id}`],
      ['DELETE', `${plain}/users/${person.id}`],
      ['DELETE', plain],
      // They can delete a group that only allows.
      ['DELETE', strong],
    ] as const) {
      assert.equal((await group(method, path)()).status, 204)
    }
  })

  test('cannot remove a deny rule by deleting the domain of its group', async () => {
    const domainId = await identityApi.addDomain()
    const keeper = await identityApi.addRole('system', 'allow identity domains *')
    const person = await identityApi.addCaller({ system: [keeper.id] })
    await identityApi.add((plan) =>
      plan.grant(ban.id, { group: plan.group(domainId, person.id) }, 'system'),
    )
    const path = `/v3/domains/${domainId}`
    const disabled = await identityApi.call(person.token, 'PUT', path, {
      domain: { enabled: false },
    })
    assert.equal(disabled.status, 200)
    await identityApi.assertRefused(403, () => identityApi.call(person.token, 'DELETE', path))
  })

  test('cannot remove a deny rule by deleting the provider whose mapping granted it', async () => {
    const keeper = await identityApi.addRole('system', 'allow identity identity_providers *')
    const barred = await identityApi.addRole('project', 'deny compute servers get')
    const person = await identityApi.addCaller({ system: [keeper.id] })
    const provider = await identityApi.add((plan) => {
      const id = plan.provider(person.domainId)
      plan.grant(barred.id, { user: person.id }, { project: person.projectId }, id)
      return id
    })
    const path = `/v3/identity_providers/${provider}`
    await identityApi.assertRefused(403, () => identityApi.call(person.token, 'DELETE', path))
  })
})
