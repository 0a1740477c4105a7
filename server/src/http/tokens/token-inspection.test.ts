import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { TokenBody, type ErrorBody, type Token } from '@muster/contract'
import { hash } from '@node-rs/argon2'
import { Ajv } from 'ajv'
import {
  ask,
  loginAdmin,
  passwordIdentity,
  requestToken,
  secretOf,
  tokenIdentity,
} from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'
import { testPasswordCost } from '../../testing/password-cost.ts'

const matchesContract = new Ajv({ strict: false, validateFormats: false }).compile(TokenBody)
const password = 'a password to look with'
const day = 86_400_000

onEngineOfLane('token inspection', (engine) => {
  let now = Date.now()
  let platform: TestPlatform
  let url: string
  let projectId: string
  let owner: string
  let stranger: string
  let auditor: string
  let domainAdmin: string
  let admin: string

  before(async () => {
    platform = await startPlatform({ engine, clock: () => now })
    url = platform.url
    const identities = createIdentityWorld(platform.database)
    const passwordHash = await hash(password, testPasswordCost)
    projectId = await identities.addProject('looked at')
    const login = async (
      name: string,
      scope: unknown,
      assignment?: { role: string; domainId?: string },
    ) => {
      const userId = await identities.addUser({ name, passwordHash })
      await identities.assign({ role: 'project_owner', userId, projectId })
      if (assignment) await identities.assign({ userId, ...assignment })
      return secretOf(
        await requestToken(url, { identity: passwordIdentity(name, password), scope }),
      )
    }
    const inProject = { project: { id: projectId } }
    owner = await login('owner', inProject)
    stranger = await login('stranger', inProject)
    auditor = await login('auditor', inProject, { role: 'auditor' })
    domainAdmin = await login(
      'domain-admin',
      { domain: { id: 'default' } },
      { role: 'domain_admin', domainId: 'default' },
    )
    admin = await loginAdmin(url)
  })
  after(() => platform.close())

  const unknown = `mt1_${'A'.repeat(49)}`
  const look = (token: string, subject: string, method = 'GET') =>
    ask<{ token: Token } & ErrorBody>(url, '/v3/auth/tokens', {
      method,
      token,
      headers: { 'x-subject-token': subject },
    })
  const childOf = async (token: string) =>
    secretOf(
      await requestToken(url, {
        identity: tokenIdentity(token),
        scope: { project: { id: projectId } },
      }),
    )

  test('a user sees the own token as it was issued', async () => {
    const issued = await requestToken(url, {
      identity: tokenIdentity(owner),
      scope: { project: { id: projectId } },
      context: { source: 'cli' },
    })
    const secret = secretOf(issued)
    const seen = await look(owner, secret)
    assert.equal(seen.status, 200)
    assert.ok(matchesContract(seen.body), JSON.stringify(matchesContract.errors))
    assert.deepEqual(seen.body, issued.body)
    assert.equal(seen.headers.get('x-subject-token'), secret)
    assert.equal(seen.headers.get('vary'), 'X-Auth-Token')
    assert.equal(seen.headers.get('cache-control'), 'no-store')
    assert.deepEqual((await look(secret, secret)).body, issued.body)
  })

  test('HEAD returns the same headers', async () => {
    const get = await look(owner, owner)
    const head = await look(owner, owner, 'HEAD')
    assert.equal(head.status, 200)
    assert.equal(head.text, '')
    assert.equal(head.headers.get('x-subject-token'), owner)
    assert.equal(head.headers.get('content-length'), String(Buffer.byteLength(get.text)))
    assert.equal((await look(owner, unknown, 'HEAD')).status, 404)
  })

  test('the token of another user is byte for byte an unknown one', async () => {
    for (const method of ['GET', 'DELETE']) {
      const absent = comparableParts(await look(stranger, unknown, method))
      assertError(await look(stranger, unknown, method), 'ResourceNotFoundError')
      for (const subject of [owner, admin, 'nonsense', `${owner}x`, owner.toLowerCase()]) {
        assert.deepEqual(comparableParts(await look(stranger, subject, method)), absent)
      }
    }
    const heads = await Promise.all([owner, unknown].map((it) => look(stranger, it, 'HEAD')))
    assert.deepEqual(
      heads.map(({ status }) => status),
      [404, 404],
    )
    assert.equal((await look(owner, owner)).status, 200)
  })

  test('an administrator can inspect and revoke any token', async () => {
    const subject = await childOf(owner)
    const { status, body } = await look(admin, subject)
    assert.equal(status, 200)
    assert.equal(body.token.user.Name, 'owner')
    assert.equal((await look(admin, subject, 'HEAD')).status, 200)
    assert.equal((await look(admin, subject, 'DELETE')).status, 204)
    assertError(await look(owner, subject), 'ResourceNotFoundError')
  })

  test('an unscoped administrator cannot: a system role applies in project scopes', async () => {
    const unscoped = await loginAdmin(url, undefined)
    const bare = secretOf(await requestToken(url, { identity: tokenIdentity(unscoped) }))
    assert.equal((await look(bare, owner)).status, 404)
    assert.equal((await look(bare, bare)).status, 200)
  })

  test('an auditor can inspect any token and revoke only the own', async () => {
    const subject = await childOf(owner)
    assert.equal((await look(auditor, subject)).status, 200)
    assert.equal((await look(auditor, subject, 'HEAD')).status, 200)
    assertError(await look(auditor, subject, 'DELETE'), 'ResourceNotFoundError')
    assert.equal((await look(owner, subject)).status, 200)
    const own = await childOf(auditor)
    assert.equal((await look(auditor, own, 'DELETE')).status, 204)
  })

  test('inspection requires the permission "get" and no other', async () => {
    const identities = createIdentityWorld(platform.database)
    const passwordHash = await hash(password, testPasswordCost)
    for (const action of ['get', 'list', 'update', 'perform'] as const) {
      const rule = { service: 'identity', resource: 'tokens', action, effect: 'allow' } as const
      await identities.addRole(`may_${action}`, 'system', [rule])
      const userId = await identities.addUser({ name: `may-${action}`, passwordHash })
      await identities.assign({ role: `may_${action}`, userId })
      await identities.assign({ role: 'project_viewer', userId, projectId })
      const token = secretOf(
        await requestToken(url, {
          identity: passwordIdentity(`may-${action}`, password),
          scope: { project: { id: projectId } },
        }),
      )
      assert.equal((await look(token, owner)).status, action === 'get' ? 200 : 404, action)
      assert.equal((await look(token, owner, 'DELETE')).status, 404, action)
    }
  })

  test('a domain administrator can inspect only the own tokens', async () => {
    assert.equal((await look(domainAdmin, owner)).status, 404)
    assert.equal((await look(domainAdmin, owner, 'DELETE')).status, 404)
  })

  test('a revoked token is 404', async () => {
    const subject = await childOf(owner)
    const deleted = await look(owner, subject, 'DELETE')
    assert.equal(deleted.status, 204)
    assert.equal(deleted.text, '')
    assert.equal(deleted.headers.get('content-type'), null)
    for (const method of ['GET', 'DELETE']) {
      assertError(await look(owner, subject, method), 'ResourceNotFoundError')
    }
    assertError(await look(subject, subject), 'UnauthorizedError')
  })

  test('a token can revoke itself', async () => {
    const subject = await childOf(owner)
    assert.equal((await look(subject, subject, 'DELETE')).status, 204)
    assertError(await look(subject, subject), 'UnauthorizedError')
    assert.equal((await look(owner, owner)).status, 200)
  })

  test('revoking a token revokes all tokens derived from it, and no others', async () => {
    const parent = await childOf(owner)
    const child = await childOf(parent)
    const grandchild = await childOf(child)
    const sibling = await childOf(owner)
    await look(owner, parent, 'DELETE')
    for (const secret of [parent, child, grandchild]) {
      assertError(await look(owner, secret), 'ResourceNotFoundError')
      assertError(await ask(url, '/v3/auth/projects', { token: secret }), 'UnauthorizedError')
    }
    assert.equal((await look(owner, sibling)).status, 200)
  })

  test('a missing subject token is an error', async () => {
    for (const method of ['GET', 'DELETE']) {
      for (const headers of [{}, { 'x-subject-token': '' }]) {
        const answer = await ask(url, '/v3/auth/tokens', { method, token: owner, headers })
        const error = assertError(answer, 'MissingParameterError')
        assert.equal(error.fields?.[0]?.path.toLowerCase(), 'x-subject-token')
      }
    }
  })

  test('an expired token is 404, and as a caller 401', async () => {
    const subject = await childOf(owner)
    now += day
    try {
      const fresh = await loginAdmin(url)
      assertError(await look(fresh, subject), 'ResourceNotFoundError')
      assertError(await look(subject, subject), 'UnauthorizedError')
    } finally {
      now -= day
    }
  })

  test('the content of a token is read anew each time', async () => {
    const identities = createIdentityWorld(platform.database)
    const userId = (await look(stranger, stranger)).body.token.user.Id
    const assignment = await identities.assign({ role: 'project_viewer', userId, projectId })
    const roles = async () =>
      (await look(stranger, stranger)).body.token.roles.map(({ name }) => name)
    assert.deepEqual(await roles(), ['project_owner', 'project_viewer'])
    const { db } = platform.database
    await identities.change(db.deleteFrom('assignments').where('id', '=', assignment).compile())
    assert.deepEqual(await roles(), ['project_owner'])
  })
})
