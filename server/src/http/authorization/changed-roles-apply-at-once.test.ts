import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ask } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  pollForValue,
  grantPath,
  openIdentityApi,
  type IdentityApi,
  type OwnRole,
} from '../../testing/identity-world/open-identity-api.ts'
import { parseRule } from '../../testing/identity-world/parse-rule.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { statusOf } from '../../testing/identity-world/token-holder.ts'

/** A user who can read all domains through a group; nothing is shared with other tests. */
interface Watcher {
  readonly userId: string
  readonly group: string
  readonly role: OwnRole
  readonly token: string
}
type Request = readonly [method: string, path: string, body?: object]

/** Changes that remove the permission and leave the token valid. */
const losses: Record<string, (watcher: Watcher) => Request> = {
  'the user leaves the group': ({ group, userId }) => [
    'DELETE',
    `/v3/groups/${group}/users/${userId}`,
  ],
  'the group is deleted': ({ group }) => ['DELETE', `/v3/groups/${group}`],
  'the role of the group is revoked': ({ group, role }) => [
    'DELETE',
    grantPath(role.id, { group }, 'system'),
  ],
  'the role is deleted': ({ role }) => ['DELETE', `/v3/roles/${role.id}`],
  'the policy is unbound': ({ role }) => [
    'DELETE',
    `/v3/roles/${role.id}/policies/${role.policyId}`,
  ],
  'the policy is disabled': ({ role }) => [
    'PUT',
    `/v3/policies/${role.policyId}`,
    { policy: { enabled: false } },
  ],
  'the policy is deleted': ({ role }) => ['DELETE', `/v3/policies/${role.policyId}`],
  'the policy is changed': ({ role }) => [
    'PUT',
    `/v3/policies/${role.policyId}`,
    { policy: { rules: [parseRule('allow identity domains get')] } },
  ],
  'the policy gets a deny rule': ({ role }) => [
    'PUT',
    `/v3/policies/${role.policyId}`,
    {
      policy: {
        rules: ['allow identity domains list', 'deny identity domains list'].map(parseRule),
      },
    },
  ],
}

onEngineOfLane('the permissions of a token', (engine) => {
  let platform: TestPlatform
  let beside: TestPlatform | undefined
  let identityApi: IdentityApi
  before(async () => {
    platform = await startPlatform({ engine })
    // SQLite is for one process; PostgreSQL is shared.
    if (engine === 'postgres') beside = await startPlatform({ engine, beside: platform })
    identityApi = await openIdentityApi(platform)
  })
  after(async () => {
    await beside?.close()
    await platform.close()
  })

  async function addWatcher(): Promise<Watcher> {
    const { id: userId, token } = await identityApi.addCaller()
    const given = await identityApi.add((plan) => {
      const role = plan.role('system', 'allow identity domains list')
      const group = plan.group('default', userId)
      plan.grant(role.id, { group }, 'system')
      return { role, group }
    })
    return { userId, token, ...given }
  }

  const lookAt = async (url: string, token: string) =>
    (await ask(url, '/v3/domains', { token })).status

  /** At once in this process, within five seconds in the other; the token itself stays valid. */
  async function assertRight({ token }: Watcher, status: 200 | 403): Promise<void> {
    assert.equal(await lookAt(platform.url, token), status, 'on this node, at the next request')
    if (beside) {
      const node = beside.url
      const found = await pollForValue(
        () => lookAt(node, token),
        (seen) => seen === status,
      )
      assert.equal(found, status, 'on the other node, in 5 seconds')
    }
    assert.equal(await statusOf(platform.url, token), 200)
  }

  for (const [what, lose] of Object.entries(losses)) {
    test(`SEC-03: shrink when ${what}`, async () => {
      const [watcher, bystander] = [await addWatcher(), await addWatcher()]
      await assertRight(watcher, 200)
      await identityApi.order(...lose(watcher))
      await assertRight(watcher, 403)
      await assertRight(bystander, 200)
    })
  }

  test('SEC-03: shrink and grow as a role is revoked and granted', async () => {
    const watcher = await addWatcher()
    const path = grantPath(watcher.role.id, { group: watcher.group }, 'system')
    for (let time = 0; time < 2; time += 1) {
      await identityApi.order('DELETE', path)
      await assertRight(watcher, 403)
      await identityApi.order('PUT', path)
      await assertRight(watcher, 200)
    }
  })
})
