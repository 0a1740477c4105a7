import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createTokenStore } from '../../storage/identity/tokens.ts'
import { ask, requestToken, secretOf, tokenIdentity } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  createKeyHolders,
  forms,
  type HeldKey,
  type KeyHolder,
  type KeyHolders,
} from '../../testing/identity-world/access-key-holders.ts'
import { makeEvent, makeToken } from '../../testing/identity-world/identity-records.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2027, 0, 31, 12)
const crowd = 20

interface Use {
  readonly owner: KeyHolder
  readonly key: HeldKey
  readonly token: string
  readonly child: string
}

onEngineOfLane('ending an access key', (engine) => {
  let platform: TestPlatform
  let beside: TestPlatform | undefined
  let holders: KeyHolders
  let admin: string
  let bystander: Use
  let now = start
  before(async () => {
    const clock = () => now
    const flags = ['--login-failures-per-minute=0', '--public-url=http://muster.test']
    platform = await startPlatform({ engine, clock, flags })
    // SQLite is for one process; PostgreSQL is shared.
    if (engine === 'postgres') {
      beside = await startPlatform({ engine, clock, flags, beside: platform })
    }
    holders = createKeyHolders(platform, clock)
    admin = await holders.plantAdmin()
    bystander = await addUse()
  })
  after(async () => {
    await beside?.close()
    await platform.close()
  })

  const statusOf = async (token: string, node = platform) =>
    (await ask(node.url, '/v3/auth/catalog', { token })).status
  const rescope = async (token: string) =>
    secretOf(await requestToken(platform.url, { identity: tokenIdentity(token) }))
  /** Sends a change as the system administrator. */
  async function administer(method: string, path: string, body?: object): Promise<void> {
    const answer = await ask(platform.url, `/v3${path}`, {
      method,
      token: admin,
      ...(body && { body }),
    })
    assert.ok(answer.status < 300, answer.text)
  }

  async function addUse(fields: object = {}): Promise<Use> {
    const owner = await holders.addHolder()
    const key = await holders.makeOwnKey(owner, fields)
    const token = secretOf(await holders.login(holders.present('own', key)))
    return { owner, key, token, child: await rescope(token) }
  }

  /** Uses the token in every process, so that each one caches it. */
  async function isGood({ key, token, child }: Use): Promise<void> {
    for (const node of [platform, beside]) {
      if (!node) continue
      secretOf(await holders.login(holders.present('own', key), { url: node.url }))
      assert.deepEqual([await statusOf(token, node), await statusOf(child, node)], [200, 200])
    }
  }

  const loginStatuses = (key: HeldKey, node: TestPlatform) =>
    Promise.all(
      forms.map(async (form) => {
        const { status } = await holders.login(holders.present(form, key), { url: node.url })
        return status
      }),
    )
  const statusesAt = async ({ key, token, child }: Use, node: TestPlatform) => [
    ...(await loginStatuses(key, node)),
    await statusOf(token, node),
    await statusOf(child, node),
  ]
  const allRefused = [...forms.map(() => 401), 401, 401]

  async function isOver(use: Use): Promise<void> {
    now += 3_000
    assert.deepEqual(await statusesAt(use, platform), allRefused, 'here, at the next request')
    if (!beside) return
    // The other process applies the change within five seconds.
    const limit = performance.now() + 5_000
    let statuses = await statusesAt(use, beside)
    while (performance.now() < limit && statuses.some((status) => status !== 401)) {
      await pause(50)
      now += 3_000
      statuses = await statusesAt(use, beside)
    }
    assert.deepEqual(statuses, allRefused, 'on the other node, in 5 seconds')
  }

  const roleId = async (name: string) => {
    const { id } = await platform.database.db
      .selectFrom('roles')
      .select('id')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
    return id
  }
  const disable = (kind: string, id: string) =>
    administer('PUT', `/${kind}s/${id}`, { [kind]: { enabled: false } })

  /** Changes that end a key. */
  const changes: Record<string, (use: Use) => Promise<void>> = {
    'its user is disabled': ({ owner }) => disable('user', owner.userId),
    'its user is deleted': ({ owner }) => administer('DELETE', `/users/${owner.userId}`),
    'its user expires': ({ owner }) =>
      administer('PUT', `/users/${owner.userId}`, {
        user: { expires_at: new Date(now - minute).toISOString().replace('.000', '') },
      }),
    'its user leaves the project': async ({ owner: { projectId, userId } }) =>
      administer(
        'DELETE',
        `/projects/${projectId}/users/${userId}/roles/${await roleId('project_owner')}`,
      ),
    'its project is disabled': ({ owner }) => disable('project', owner.projectId),
    'its project is deleted': ({ owner }) => administer('DELETE', `/projects/${owner.projectId}`),
    'the domain of its user is disabled': ({ owner }) => disable('domain', owner.userDomain),
    'the domain of its project is disabled': ({ owner }) => disable('domain', owner.projectDomain),
    'it is disabled': ({ key }) => disable('credential', key.id),
    'it is deleted': ({ key }) => administer('DELETE', `/credentials/${key.id}`),
  }

  describe('SEC-33: also ends every token issued with it', () => {
    for (const [what, change] of Object.entries(changes)) {
      test(`SEC-33: when ${what}`, async () => {
        const use = await addUse()
        await isGood(use)
        await change(use)
        await isOver(use)
        await isGood(bystander)
      })
    }

    test('SEC-33: when its user leaves the group that had a role in the project', async () => {
      const owner = await holders.addHolder()
      const { userId, projectDomain } = owner
      const projectId = await holders.identities.addProject('of the group', projectDomain)
      const groupId = await holders.identities.addGroup('group', [userId])
      await holders.identities.assign({ role: 'project_viewer', groupId, projectId })
      const key = await holders.makeKey(owner.token, { project_id: projectId })
      const token = secretOf(await holders.login(holders.present('own', key)))
      const use = { owner, key, token, child: await rescope(token) }
      await isGood(use)
      await administer('DELETE', `/groups/${groupId}/users/${userId}`)
      await isOver(use)
    })

    test('SEC-33: an enabled key works again, but its earlier tokens do not', async () => {
      const use = await addUse()
      await disable('credential', use.key.id)
      await isOver(use)
      await administer('PUT', `/credentials/${use.key.id}`, { credential: { enabled: true } })
      now += 3_000
      assert.deepEqual(await loginStatuses(use.key, platform), [201, 201, 201])
      assert.deepEqual([await statusOf(use.token), await statusOf(use.child)], [401, 401])
    })

    test('SEC-33: an enabled key works again on a process that only saw it disabled', async () => {
      const key = await holders.makeOwnKey(await holders.addHolder())
      await disable('credential', key.id)
      assert.deepEqual(await loginStatuses(key, platform), [401, 401, 401])
      await administer('PUT', `/credentials/${key.id}`, { credential: { enabled: true } })
      assert.deepEqual(await loginStatuses(key, platform), [201, 201, 201])
    })

    test('SEC-33: a new key with the same name does not restore a deleted one', async () => {
      const { owner, key, token } = await addUse({ name: 'job' })
      await administer('DELETE', `/credentials/${key.id}`)
      const again = await holders.makeOwnKey(owner, { name: 'job' })
      assert.notEqual(again.id, key.id)
      assert.deepEqual(await loginStatuses(key, platform), [401, 401, 401])
      assert.equal(await statusOf(token), 401)
    })
  })

  describe('SEC-33: during a login', () => {
    /** Writes a token like a login that read the key before it was disabled. */
    const writeLate = ({ owner, key }: Use) =>
      createTokenStore(platform.database).insert(
        makeToken({
          id: `late-${key.id}`,
          userId: owner.userId,
          scope: { kind: 'project', id: owner.projectId },
          accessKey: { id: key.id, expiresAt: null, restriction: null },
          issuedAt: now,
          expiresAt: now + hour,
        }),
        { accessKeyId: key.id },
        makeEvent(),
      )

    test('SEC-33: issues no token for a key that was just disabled or deleted', async () => {
      assert.equal(await writeLate(await addUse()), true)
      for (const what of ['it is disabled', 'it is deleted']) {
        const use = await addUse()
        await changes[what]?.(use)
        assert.equal(await writeLate(use), false, what)
      }
    })

    test('SEC-33: concurrent logins leave no valid token once the key is disabled', async () => {
      const { key } = await addUse()
      const login = () => holders.login(holders.present('own', key))
      const [answers] = await Promise.all([
        Promise.all(Array.from({ length: crowd }, login)),
        disable('credential', key.id),
      ])
      for (const { status } of answers) assert.ok(status === 201 || status === 401, String(status))
      const tokens = answers.flatMap(({ headers }) => headers.get('x-subject-token') ?? [])
      for (const token of tokens) assert.equal(await statusOf(token), 401)
    })
  })

  describe('SEC-35: when the key expires', () => {
    const timestamp = (time: number) => new Date(time).toISOString().replace('Z', '000Z')
    const endOf = async (token: string) =>
      (
        await ask<{ token: { expires_at: string } }>(platform.url, '/v3/auth/tokens', {
          token,
          headers: { 'x-subject-token': token },
        })
      ).body.token.expires_at

    test('SEC-35: its tokens do not outlive it', async () => {
      const end = now + 2 * hour
      const use = await addUse({ expires_at: new Date(end).toISOString().replace('.000', '') })
      await isGood(use)
      for (const token of [use.token, use.child, await rescope(use.child)]) {
        assert.equal(await endOf(token), timestamp(end))
      }
      now = end - 1
      secretOf(await holders.login(holders.present('own', use.key)))
      assert.deepEqual([await statusOf(use.token), await statusOf(use.child)], [200, 200])
      now = end
      assert.deepEqual(await statusesAt(use, platform), allRefused)
      if (beside) assert.deepEqual(await statusesAt(use, beside), allRefused)
    })

    test('SEC-35: its tokens do not outlive the usual lifetime or the user', async () => {
      const far = new Date(now + 1_000 * hour).toISOString().replace(/\.\d+/, '')
      const { owner, key } = await addUse({ expires_at: far })
      const login = async () => secretOf(await holders.login(holders.present('own', key)))
      assert.equal(await endOf(await login()), timestamp(now + 24 * hour))
      await holders.identities.change(
        platform.database.db
          .updateTable('users')
          .set({ expires_at: now + hour })
          .where('id', '=', owner.userId)
          .compile(),
      )
      assert.equal(await endOf(await login()), timestamp(now + hour))
    })
  })
})
