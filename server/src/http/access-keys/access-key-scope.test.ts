import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Token } from '@muster/contract'
import { ask, requestToken, secretOf, tokenIdentity } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import {
  createKeyHolders,
  forms,
  type HeldKey,
  type KeyHolder,
  type KeyHolders,
} from '../../testing/identity-world/access-key-holders.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

onEngineOfLane('the scope of an access key', (engine) => {
  let platform: TestPlatform
  let holders: KeyHolders
  before(async () => {
    platform = await startPlatform({ engine, flags: ['--login-failures-per-minute=0'] })
    holders = createKeyHolders(platform)
  })
  after(() => platform.close())

  const rescope = (token: string, scope?: unknown) =>
    requestToken(platform.url, {
      identity: tokenIdentity(token),
      ...(scope !== undefined && { scope }),
    })
  const statusOf = async (token: string) =>
    (await ask(platform.url, '/v3/auth/catalog', { token })).status
  const describeToken = async (token: string) =>
    (
      await ask<{ token: Token }>(platform.url, '/v3/auth/tokens', {
        token,
        headers: { 'x-subject-token': token },
      })
    ).body.token
  const logIn = async (key: HeldKey) => secretOf(await holders.login(holders.present('own', key)))
  const take = (assignment: string) =>
    holders.identities.change(
      platform.database.db.deleteFrom('assignments').where('id', '=', assignment).compile(),
    )
  const countKeys = async () =>
    (await platform.database.db.selectFrom('access_keys').select('id').execute()).length

  /** A user with more roles than the key's project and another default project. */
  async function addWideHolder() {
    const owner = await holders.addHolder()
    const { userId, projectDomain: domainId } = owner
    const other = await holders.identities.addProject(`other of ${userId}`, domainId)
    await holders.identities.assign({ role: 'project_owner', userId, projectId: other })
    await holders.identities.assign({ role: 'domain_admin', userId, domainId })
    await holders.identities.change(
      platform.database.db
        .updateTable('users')
        .set({ default_project_id: other })
        .where('id', '=', userId)
        .compile(),
    )
    const key = await holders.makeOwnKey(owner)
    const elsewhere = [
      { project: { id: other } },
      { project: { name: `other of ${userId}`, domain: { id: domainId } } },
      { domain: { id: domainId } },
      { domain: { name: `projects ${owner.name}` } },
      { project: { id: 'nowhere' } },
      { domain: { id: 'default' } },
      { project: { name: 'system', domain: { name: 'Default' } } },
    ]
    const itself = [
      { project: { id: owner.projectId } },
      { project: { name: owner.projectName, domain: { id: domainId } } },
      { project: { id: owner.projectId, name: owner.projectName.toUpperCase() } },
      {},
    ]
    // By password or by token the user would get all of these.
    for (const scope of elsewhere.slice(0, 4)) secretOf(await rescope(owner.token, scope))
    return { owner, key, elsewhere, itself }
  }
  const isOfKey = ({ access_key, project }: Token, owner: KeyHolder, key: HeldKey) => {
    assert.deepEqual(access_key, { AccessKey: key.id, expire: 0, secret: '' })
    assert.equal(project.Id, owner.projectId)
  }

  describe('SEC-08: is the project of the key', () => {
    test('SEC-08: a login with it cannot request another scope', async () => {
      const { owner, key, elsewhere, itself } = await addWideHolder()
      for (const form of forms) {
        for (const scope of elsewhere) {
          const answer = await holders.login(holders.present(form, key), { scope })
          assertError(answer, 'UnauthorizedError', 'application/json')
          assert.equal(answer.headers.get('x-subject-token'), null)
        }
      }
      for (const scope of itself) {
        const answer = await holders.login(holders.present('own', key), { scope })
        secretOf(answer)
        isOfKey(answer.body.token, owner, key)
      }
      const scope = { project: { id: owner.projectId }, domain: { id: owner.projectDomain } }
      const both = await holders.login(holders.present('plain', key), { scope })
      assertError(both, 'InputParameterError', 'application/json')
    })

    test('SEC-08: neither can its tokens, nor tokens obtained with those', async () => {
      const { owner, key, elsewhere, itself } = await addWideHolder()
      let token = await logIn(key)
      for (let generation = 0; generation < 3; generation += 1) {
        for (const scope of elsewhere) {
          assertError(await rescope(token, scope), 'UnauthorizedError', 'application/json')
        }
        for (const scope of [...itself, undefined]) {
          const answer = await rescope(token, scope)
          secretOf(answer)
          isOfKey(answer.body.token, owner, key)
          assert.deepEqual(answer.body.token.methods, ['token'])
        }
        const child = await rescope(token)
        // Inspecting the child token later still shows the key.
        token = secretOf(child)
        const shown = await describeToken(token)
        assert.deepEqual(shown, child.body.token)
        isOfKey(shown, owner, key)
      }
    })

    test('SEC-08: its tokens have the roles of the user in that project', async () => {
      const { owner, key } = await addWideHolder()
      const { userId, projectId } = owner
      await holders.identities.assign({ role: 'project_viewer', userId, projectId })
      const { roles, policies, is_domain } = await describeToken(await logIn(key))
      assert.deepEqual(roles.map(({ name }) => name).sort(), ['project_owner', 'project_viewer'])
      assert.deepEqual([policies.Domain, policies.System, is_domain], [[], [], false])
    })
  })

  describe('SEC-08: never exceeds the current permissions of its user', () => {
    test('SEC-08: revoking a role removes it from the tokens of the key', async () => {
      const owner = await holders.addHolder()
      const { userId, projectId } = owner
      const other = await holders.addHolder()
      const foreign = await holders.makeOwnKey(other)
      const viewer = await holders.identities.assign({ role: 'project_viewer', userId, projectId })
      const auditor = await holders.identities.assign({ role: 'auditor', userId })
      const key = await holders.makeOwnKey(owner)
      const token = await logIn(key)
      const child = secretOf(await rescope(token))
      const seen = async (token: string) => {
        const { status } = await holders.credentials(token, 'GET', `/${foreign.id}`)
        const { roles } = await describeToken(token)
        return { status, roles: roles.map(({ name }) => name).sort() }
      }
      const all = ['auditor', 'project_owner', 'project_viewer']
      for (const one of [token, child]) {
        assert.deepEqual(await seen(one), { status: 200, roles: all })
      }
      await take(auditor)
      for (const one of [token, child, await logIn(key)]) {
        assert.deepEqual(await seen(one), { status: 404, roles: all.slice(1) })
      }
      await take(viewer)
      for (const one of [token, child]) {
        assert.deepEqual((await seen(one)).roles, ['project_owner'])
      }
      await take(owner.assignment)
      assert.deepEqual([await statusOf(token), await statusOf(child)], [401, 401])
      for (const form of forms) {
        assert.equal((await holders.login(holders.present(form, key))).status, 401)
      }
    })
  })

  describe('SEC-08: does not include other keys', () => {
    test('SEC-08: cannot create a key, whoever owns it', async () => {
      const owner = await holders.addHolder()
      const { userId, projectId } = owner
      const other = await holders.addHolder()
      await holders.identities.assign({ role: 'admin', userId })
      const token = await logIn(await holders.makeOwnKey(owner))
      const child = secretOf(await rescope(token))
      const grandchild = secretOf(await rescope(child, { project: { id: projectId } }))
      const keys = await countKeys()
      for (const one of [token, child, grandchild]) {
        for (const fields of [
          { project_id: projectId },
          { project_id: projectId, user_id: userId },
          { project_id: projectId, expires_at: '2098-01-01T00:00:00Z' },
          { project_id: other.projectId, user_id: other.userId },
        ]) {
          assertError(await holders.tryToMake(one, fields), 'ForbiddenError')
        }
      }
      assert.equal(await countKeys(), keys)
      // The token works for everything else its owner is allowed to do.
      assert.equal((await ask(platform.url, '/v3/users', { token: grandchild })).status, 200)
      assert.equal((await holders.tryToMake(owner.token, { project_id: projectId })).status, 201)
    })

    test('SEC-08: cannot change or delete other keys, but can change or delete itself', async () => {
      const owner = await holders.addHolder()
      const stranger = await holders.addHolder()
      const key = await holders.makeOwnKey(owner)
      const spare = await holders.makeOwnKey(owner)
      const foreign = await holders.makeOwnKey(stranger)
      const { token } = owner
      const child = secretOf(await rescope(await logIn(key)))
      const change = (by: string, { id }: HeldKey, credential: object) =>
        holders.credentials(by, 'PUT', `/${id}`, { credential })
      const remove = (by: string, { id }: HeldKey) => holders.credentials(by, 'DELETE', `/${id}`)
      const refuse = async (other: HeldKey) => {
        for (const fields of [{ enabled: false }, { enabled: true }, { name: 'x' }]) {
          assertError(await change(child, other, fields), 'ForbiddenError')
        }
        assertError(await remove(child, other), 'ForbiddenError')
      }
      await refuse(spare)
      // Invisible keys are 404; for an administrator the change is denied.
      assert.equal((await remove(child, foreign)).status, 404)
      await holders.identities.assign({ role: 'admin', userId: owner.userId })
      await refuse(foreign)
      assert.equal((await holders.login(holders.present('plain', spare))).status, 201)
      assert.equal((await change(token, spare, { enabled: false })).status, 200)
      assertError(await change(child, spare, { enabled: true }), 'ForbiddenError')
      assert.equal((await change(child, key, { name: 'own' })).status, 200)
      // The owner of a leaked key can delete it with the key itself.
      assert.equal((await remove(child, key)).status, 204)
      assert.equal(await statusOf(child), 401)
      assert.equal((await remove(token, spare)).status, 204)
    })
  })

  describe('SEC-09: does not include keys of other users', () => {
    let ann: KeyHolder
    let bob: KeyHolder
    let keyOfAnn: HeldKey
    let keyOfBob: HeldKey
    before(async () => {
      ann = await holders.addHolder()
      bob = await holders.addHolder({ userDomain: ann.userDomain })
      keyOfAnn = await holders.makeOwnKey(ann)
      keyOfBob = await holders.makeOwnKey(bob)
    })

    test('SEC-09: the secret or signature of one key is rejected with the id of another', async () => {
      const mixed = { id: keyOfBob.id, secret: keyOfAnn.secret }
      const relabel = (text: string) =>
        JSON.stringify({ ...(JSON.parse(text) as object), access_key: keyOfBob.id })
      const texts = [
        ...forms.map((form) => holders.present(form, mixed)),
        relabel(holders.present('cloudpods', keyOfAnn)),
        relabel(holders.present('own', keyOfAnn)),
      ]
      for (const text of texts) {
        assert.equal((await holders.login(text)).status, 401, text)
        const scope = { project: { id: bob.projectId } }
        assert.equal((await holders.login(text, { scope })).status, 401, text)
      }
      const { text } = await holders.login(holders.present('own', keyOfAnn))
      assert.ok(!text.includes(bob.userId))
    })

    test('SEC-09: a used signature is rejected under another key id', async () => {
      const text = holders.present('own', keyOfAnn)
      secretOf(await holders.login(text))
      const members = JSON.parse(text) as object
      for (const access_key of [keyOfBob.id, keyOfAnn.id.toUpperCase(), ` ${keyOfAnn.id}`]) {
        const other = JSON.stringify({ ...members, access_key })
        assert.equal((await holders.login(other)).status, 401, access_key)
      }
      // Another order or spacing of the same JSON members is the same signature.
      const reordered = Object.fromEntries(Object.entries(members).toReversed())
      for (const other of [JSON.stringify(reordered), JSON.stringify(members, null, 1)]) {
        assert.equal((await holders.login(other)).status, 401)
      }
    })

    test('SEC-09: the id and the secret are rejected in any other field', async () => {
      const { id, secret } = keyOfBob
      const identities = [
        { methods: ['password'], password: { user: { id, password: secret } } },
        { methods: ['password'], password: { user: { name: id, password: secret } } },
        { methods: ['password'], password: { user: { id: bob.userId, password: secret } } },
        tokenIdentity(secret),
        tokenIdentity(id),
        tokenIdentity(`${id}:${secret}`),
        { methods: ['aksk'], access_key_secret: `${bob.userId}:${secret}` },
        { methods: ['aksk'], access_key_secret: `${bob.projectId}:${secret}` },
        { methods: ['aksk'], access_key_secret: `${id.toUpperCase()}:${secret}` },
        { methods: ['aksk'], access_key_secret: `${id}:${secret.toLowerCase()}` },
        { methods: ['aksk'], access_key_secret: `${id}: ${secret}` },
        { methods: ['aksk'], access_key_secret: `${id}:${id}` },
      ]
      for (const identity of identities) {
        const { status } = await requestToken(platform.url, { identity })
        assert.equal(status, 401, JSON.stringify(identity))
      }
      const { status } = await rescope(ann.token, { project: { id } })
      assert.equal(status, 401)
      for (const token of [secret, id, `${id}:${secret}`]) assert.equal(await statusOf(token), 401)

      const { token, projectId } = ann
      const forgedFields = [{ user_id: bob.userId }, { user_id: id }, { id }, { access_key: id }]
      for (const fields of forgedFields) {
        const answer = await holders.tryToMake(token, { project_id: projectId, ...fields })
        assertError(answer, 'InputParameterError')
      }
      for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
        const body = method.startsWith('P') ? { credential: { enabled: false } } : undefined
        const answer = await holders.credentials(token, method, `/${id}`, body)
        assertError(answer, 'ResourceNotFoundError')
      }
      secretOf(await holders.login(holders.present('plain', keyOfBob)))
    })
  })

  test('SEC-08: the key of an administrator cannot set the password of its owner', async () => {
    const owner = await holders.addHolder()
    const key = await holders.makeOwnKey(owner)
    await holders.identities.assign({ role: 'admin', userId: owner.userId })
    const token = await logIn(key)
    const path = `/v3/users/${owner.userId}`
    const change = (body: object) => ask(platform.url, path, { method: 'PUT', token, body })
    assertError(await change({ user: { password: 'a way in that stays' } }), 'ForbiddenError')
    assert.equal((await change({ user: { description: 'mine' } })).status, 200)
  })
})
