import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { PolicyDto } from '@muster/contract'
import { createAdminClient, type ContractClient } from '../../testing/contract-client.ts'
import { testLifecycle } from '../../testing/identity-world/resource-lifecycle.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const rule = { service: 'compute', resource: 'servers', action: 'get', effect: 'allow' }

describe('policies', () => {
  let platform: TestPlatform
  let admin: ContractClient
  before(async () => {
    platform = await startPlatform()
    admin = await createAdminClient(platform)
  })
  after(() => platform.close())

  testLifecycle(
    {
      noun: 'Policy',
      nouns: 'Policies',
      key: 'policy',
      keys: 'policies',
      needed: { scope: 'project', rules: [rule] },
      bare: { scope: 'project', rules: [rule], enabled: true },
      changes: { enabled: false, rules: [{ ...rule, effect: 'deny' }, rule] },
    },
    () => platform,
    () => admin,
  )

  const create = (policy: object) =>
    admin.call<{ policy: PolicyDto }>('createPolicy', { body: { policy } })

  test('a rule with unknown values is rejected, naming the field', async () => {
    const wrong: [object, string][] = [
      [{ service: 'storage' }, 'service'],
      [{ service: '' }, 'service'],
      [{ resource: 'Users' }, 'resource'],
      [{ resource: 'users;' }, 'resource'],
      [{ resource: '' }, 'resource'],
      [{ resource: 'u'.repeat(65) }, 'resource'],
      [{ action: 'read' }, 'action'],
      [{ action: null }, 'action'],
      [{ effect: 'permit' }, 'effect'],
      [{ effect: true }, 'effect'],
      [{ effect: undefined }, 'effect'],
      [{ condition: 'x' }, 'condition'],
    ]
    for (const [flaw, field] of wrong) {
      const rules = [rule, { ...rule, ...flaw }]
      const error = await admin.fail(
        field === 'effect' && Object.values(flaw)[0] === undefined
          ? 'MissingParameterError'
          : 'InputParameterError',
        'createPolicy',
        { body: { policy: { name: 'flawed', scope: 'project', rules } } },
      )
      assert.ok(
        error.fields?.some(({ path }) => path === `policy.rules.1.${field}`),
        error.details,
      )
    }
  })

  test('a policy has between one and two hundred rules', async () => {
    for (const [count, status] of [
      [0, 400],
      [1, 201],
      [200, 201],
      [201, 400],
    ] as const) {
      const rules = Array.from({ length: count }, () => rule)
      const answer = await create({ name: `of ${count}`, scope: 'project', rules })
      assert.equal(answer.status, status, answer.text)
    }
  })

  test('every scope, service and action is accepted, and wildcards', async () => {
    const { policy } = (
      await create({
        name: 'all words',
        scope: 'system',
        rules: ['identity', 'compute', '*'].flatMap((service) =>
          ['list', 'get', 'create', 'update', 'delete', 'perform', '*'].map((action) => ({
            service,
            resource: '*',
            action,
            effect: 'deny',
          })),
        ),
      })
    ).body
    assert.equal(policy.rules.length, 21)
    const shown = await admin.get<{ policy: PolicyDto }>('getPolicy', { path: { id: policy.id } })
    assert.deepEqual(shown.policy, policy)
  })

  test('the scope of a policy cannot be changed', async () => {
    const { policy } = (await create({ name: 'settled', scope: 'domain', rules: [rule] })).body
    const error = await admin.fail('InputParameterError', 'updatePolicy', {
      path: { id: policy.id },
      body: { policy: { scope: 'system' } },
    })
    assert.deepEqual(error.fields, [{ path: 'policy.scope', problem: 'is not a known field' }])
    const { policies } = await admin.get<{ policies: PolicyDto[] }>('listPolicies', {
      query: 'scope=domain',
    })
    assert.ok(policies.every(({ scope }) => scope === 'domain'))
    assert.ok(policies.some(({ name }) => name === 'settled'))
  })
})
