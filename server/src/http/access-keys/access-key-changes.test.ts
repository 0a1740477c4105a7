import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ask } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import {
  createKeyHolders,
  type HeldKey,
  type KeyHolder,
  type KeyHolders,
} from '../../testing/identity-world/access-key-holders.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

onEngineOfLane('changing an access key', (engine) => {
  let platform: TestPlatform
  let holders: KeyHolders
  let admin: string
  before(async () => {
    platform = await startPlatform({ engine })
    holders = createKeyHolders(platform)
    admin = await holders.plantAdmin()
  })
  after(() => platform.close())

  const rowOf = ({ id }: HeldKey) =>
    platform.database.db
      .selectFrom('access_keys')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
  const change = (token: string, { id }: HeldKey, credential: object, method = 'PUT') =>
    holders.credentials(token, method, `/${id}`, { credential })

  /** An administrator of the holder's domain, with a token for it. */
  async function addRuler({ userDomain: domainId }: KeyHolder): Promise<string> {
    const { userId } = await holders.addHolder()
    await holders.identities.assign({ role: 'domain_admin', userId, domainId })
    return await holders.plant(userId, undefined, domainId)
  }

  describe('SEC-34: only the name and the enabled flag can be changed', () => {
    /** Fields that cannot be changed: owner, project, expiry, secret. */
    async function listWishes(owner: KeyHolder): Promise<Record<string, unknown>> {
      const other = await holders.addHolder()
      const { userId } = owner
      await holders.identities.assign({
        role: 'project_owner',
        userId,
        projectId: other.projectId,
      })
      return {
        user_id: other.userId,
        project_id: other.projectId,
        type: 'aksk',
        expires_at: '2099-01-01T00:00:00Z',
        id: 'f'.repeat(32),
        blob: '{"secret":"mine","expire":0}',
        secret: 'mine',
        access_key: 'f'.repeat(32),
        domain_id: 'default',
        created_at: '2020-01-01T00:00:00.000000Z',
        last_used_at: null,
        last_used_ip: '192.0.2.1',
        links: {},
        roles: [],
        unrestricted: true,
        constructor: {},
      }
    }

    test('SEC-34: rejects changes to other fields from every caller', async () => {
      const owner = await holders.addHolder()
      const key = await holders.makeOwnKey(owner, { expires_at: '2098-01-01T00:00:00Z' })
      const before = await rowOf(key)
      for (const token of [owner.token, await addRuler(owner), admin]) {
        for (const [name, value] of Object.entries(await listWishes(owner))) {
          for (const changes of [{ [name]: value }, { name: 'new', [name]: value }]) {
            for (const method of ['PUT', 'PATCH']) {
              const { status, text } = await change(token, key, changes, method)
              assert.equal(status, 400, `${method} ${name}: ${text}`)
            }
          }
        }
        assert.equal((await change(token, key, {})).status, 400)
        assert.equal((await change(token, key, { expires_at: null })).status, 400)
        const beside = { credential: { name: 'new' }, user_id: owner.userId }
        assert.equal((await holders.credentials(token, 'PUT', `/${key.id}`, beside)).status, 400)
        const inQuery = `/${key.id}?user_id=${owner.userId}`
        const body = { credential: { name: 'new' } }
        assert.equal((await holders.credentials(token, 'PUT', inQuery, body)).status, 400)
      }
      assert.deepEqual(await rowOf(key), before)
    })

    test('SEC-34: rejects changes by other routes and with a different id', async () => {
      const owner = await holders.addHolder()
      const key = await holders.makeOwnKey(owner)
      const before = await rowOf(key)
      const body = { credential: { project_id: owner.projectId, user_id: owner.userId } }
      const ways = [
        ['POST', `/v3/credentials/${key.id}`],
        ['PUT', '/v3/credentials'],
        ['PATCH', '/v3/credentials'],
        ['DELETE', '/v3/credentials'],
      ] as const
      for (const token of [owner.token, admin]) {
        for (const [method, path] of ways) {
          const answer = await ask(platform.url, path, { method, token, body })
          assertError(answer, 'MethodNotAllowedError')
        }
        // A client cannot choose the id.
        const chosen = await holders.tryToMake(token, { project_id: owner.projectId, id: key.id })
        assertError(chosen, 'InputParameterError')
      }
      assert.deepEqual(await rowOf(key), before)
    })

    test('SEC-34: a change leaves all other fields as they are', async () => {
      const owner = await holders.addHolder()
      const key = await holders.makeOwnKey(owner, { expires_at: '2098-01-01T00:00:00Z' })
      const { name: _name, name_key: _key, enabled: _enabled, ...before } = await rowOf(key)
      assert.equal((await change(owner.token, key, { name: 'n', enabled: false })).status, 200)
      const { name, name_key: _after, enabled, ...after } = await rowOf(key)
      assert.deepEqual(after, before)
      assert.deepEqual([name, enabled], ['n', 0])
      for (const wrong of ['false', 0, null, 'no']) {
        assert.equal((await change(owner.token, key, { enabled: wrong })).status, 400)
      }
    })
  })

  describe('an access key of a user with a system role', () => {
    let owner: KeyHolder
    let key: HeldKey
    let ruler: string
    before(async () => {
      owner = await holders.addHolder()
      await holders.identities.assign({ role: 'admin', userId: owner.userId })
      key = await holders.makeOwnKey(owner)
      ruler = await addRuler(owner)
    })

    test('cannot be changed by the domain administrator', async () => {
      const path = `/v3/users/${owner.userId}`
      const user = await ask(platform.url, path, {
        method: 'PUT',
        token: ruler,
        body: { user: { enabled: false } },
      })
      assertError(user, 'ForbiddenError')
      const before = await rowOf(key)
      assertError(await change(ruler, key, { enabled: false }), 'ForbiddenError')
      assertError(await holders.credentials(ruler, 'DELETE', `/${key.id}`), 'ForbiddenError')
      assert.deepEqual(await rowOf(key), before)
    })

    test('cannot be enabled again by the domain administrator', async () => {
      assert.equal((await change(owner.token, key, { enabled: false })).status, 200)
      assertError(await change(ruler, key, { enabled: true }), 'ForbiddenError')
      assert.equal((await holders.login(holders.present('plain', key))).status, 401)
    })
  })
})
