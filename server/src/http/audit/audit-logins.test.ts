import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hash } from '@node-rs/argon2'
import { newId } from '../../domain/new-id.ts'
import { ask, requestToken, systemProject, tokenIdentity } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import { databaseMessage, doomed, failMarkedEvents } from '../../testing/failing-event-log.ts'
import {
  openIdentityApi,
  type IdentityApi,
} from '../../testing/identity-world/open-identity-api.ts'
import { adminPassword, startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { addTokenHolder, type TokenHolder } from '../../testing/identity-world/token-holder.ts'
import { testPasswordCost } from '../../testing/password-cost.ts'

const password = 'tussocky moorland'
const typed = 'a password in the place of a name'

onEngineOfLane('the audit log of logins', (engine) => {
  let platform: TestPlatform
  let identityApi: IdentityApi
  let holder: TokenHolder
  let name: string
  before(async () => {
    platform = await startPlatform({ engine, flags: ['--login-failures-per-minute=0'] })
    identityApi = await openIdentityApi(platform)
    await failMarkedEvents(platform.database)
    holder = await addTokenHolder(identityApi, await hash(password, testPasswordCost))
    const { body } = await identityApi.order('GET', `/v3/users/${holder.userId}`)
    name = body['user']?.name ?? ''
  })
  after(() => platform.close())

  const byPassword = (id: string, word: string) => ({
    methods: ['password'],
    password: { user: { id, password: word } },
  })
  const byName = (user: string) => ({
    methods: ['password'],
    password: { user: { name: user, password } },
  })
  const byKey = (text: string) => ({ methods: ['aksk'], access_key_secret: text })
  const byTicket = { methods: ['cas'], cas_ticket: { id: 'ST-1-audit' } }

  /** The event of a login. */
  async function toldOf(identity: object, scope?: object) {
    const requestId = `login-${newId()}`
    // The address is that of the connection, not the one the client claims.
    const auth = { identity, ...(scope && { scope }), context: { ip: '198.51.100.9' } }
    // A plain secret is rejected if the request was forwarded.
    const isShown = 'access_key_secret' in identity
    const answer = await requestToken(platform.url, auth, {
      'x-request-id': requestId,
      ...(!isShown && { 'x-forwarded-for': '198.51.100.9' }),
    })
    assert.equal(answer.headers.get('x-request-id'), requestId)
    const [event, ...more] = await identityApi.events(`request_id=${requestId}`)
    assert.ok(event && more.length === 0, 'one event tells of it')
    const { action, target_type, ip } = event
    assert.deepEqual([action, target_type, ip], ['login', 'user', '127.0.0.1'])
    assert.deepEqual([event.target_id, event.target_name], [event.user_id, event.user])
    return { status: answer.status, event }
  }

  test('records every successful login with user, method and project', async () => {
    const { userId, userDomain, project, keyId, keySecret, tokens } = holder
    const inProject = { project: { id: project } }
    for (const [method, identity, scope] of [
      ['password', byPassword(userId, password), inProject],
      ['password', byPassword(userId, password), undefined],
      ['token', tokenIdentity(tokens.unscoped), inProject],
      ['token', tokenIdentity(tokens.unscoped), undefined],
      ['aksk', byKey(`${keyId}:${keySecret}`), undefined],
    ] as const) {
      const { status, event } = await toldOf(identity, scope)
      assert.equal(status, 201)
      assert.equal(event.result, 'success')
      assert.deepEqual([event.user_id, event.user, event.domain_id], [userId, name, userDomain])
      const isScoped = scope !== undefined || method === 'aksk'
      assert.equal(event.project_id, isScoped ? project : '')
      assert.deepEqual(event.changes, { method: [null, method] })
    }
  })

  test('records every failed login with the reason, and the account if it exists', async () => {
    const { userId, userDomain, keyId, tokens } = holder
    const elsewhere = { project: { id: identityApi.systemProjectId } }
    const known = [userId, name, userDomain]
    const nobody = ['', '', '']
    const ended = `mt1_${'A'.repeat(49)}`
    for (const [method, identity, whose, reason, scope] of [
      ['password', byPassword(userId, 'a wrong one'), known, /wrong/, undefined],
      ['password', byPassword(userId, password), known, /no role there/, elsewhere],
      ['password', byPassword(newId(), password), nobody, /wrong/, undefined],
      ['password', byName(typed), nobody, /wrong/, undefined],
      ['token', tokenIdentity(ended), nobody, /token no good/, undefined],
      ['token', tokenIdentity(tokens.unscoped), known, /no role there/, elsewhere],
      ['aksk', byKey(`${keyId}:${newId()}`), known, /access key/, undefined],
      ['aksk', byKey(`${newId()}:${newId()}`), nobody, /no such access key/, undefined],
      ['cas', byTicket, nobody, /CAS/, undefined],
    ] as const) {
      const { status, event } = await toldOf(identity, scope)
      assert.equal(status, 401)
      assert.equal(event.result, 'failure')
      const what = `${method}: ${String(reason)}`
      assert.deepEqual([event.user_id, event.user, event.domain_id], whose, what)
      assert.deepEqual(event.changes['method'], [null, method])
      assert.match(String(event.changes['reason']?.[1]), reason)
    }
  })

  test('records logins of disabled and expired users and of deleted keys', async () => {
    const person = await addTokenHolder(identityApi, await hash(password, testPasswordCost))
    const { userId, keyId, keySecret, tokens } = person
    const key = byKey(`${keyId}:${keySecret}`)
    await identityApi.order('PUT', `/v3/credentials/${keyId}`, { credential: { enabled: false } })
    const keyless = await toldOf(key)
    assert.deepEqual([keyless.status, keyless.event.user_id], [401, userId])
    assert.match(JSON.stringify(keyless.event.changes), /disabled/)
    await identityApi.order('PUT', `/v3/users/${userId}`, { user: { enabled: false } })
    for (const identity of [byPassword(userId, password), tokenIdentity(tokens.inProject)]) {
      const { status, event } = await toldOf(identity)
      assert.deepEqual([status, event.result], [401, 'failure'])
    }
  })

  test('records a wrong original password as a failed change', async () => {
    const { userId, tokens } = holder
    const answer = await ask(platform.url, `/v3/users/${userId}/password`, {
      method: 'POST',
      token: tokens.unscoped,
      body: { user: { original_password: 'a wrong one', password: `${password}s` } },
    })
    assert.equal(answer.status, 401)
    const [event, ...more] = await identityApi.events(`request_id=${answer.body.request_id}`)
    assert.ok(event && more.length === 0)
    assert.deepEqual([event.result, event.user_id, event.target_id], ['failure', userId, userId])
  })

  test('REL-24: a login that cannot be recorded fails without revealing its result', async () => {
    const { userId, keyId, keySecret, tokens } = holder
    const attempts = [
      byPassword(userId, password),
      byPassword(userId, 'a wrong one'),
      tokenIdentity(tokens.unscoped),
      tokenIdentity('nonsense'),
      byKey(`${keyId}:${keySecret}`),
      byKey(`${keyId}:${newId()}`),
      byTicket,
    ]
    const before = await identityApi.digest()
    for (const identity of attempts) {
      const headers = { 'x-request-id': `${doomed}${newId()}` }
      const answer = await requestToken(platform.url, { identity }, headers)
      assertError(answer, 'InternalServerError', 'application/json')
      assert.ok(!answer.text.includes(databaseMessage), answer.text)
      assert.equal(answer.headers.get('x-subject-token'), null)
    }
    const changed = await ask(platform.url, `/v3/users/${userId}/password`, {
      method: 'POST',
      token: tokens.unscoped,
      headers: { 'x-request-id': `${doomed}${newId()}` },
      body: { user: { original_password: 'a wrong one', password: `${password}s` } },
    })
    assertError(changed, 'InternalServerError')
    // No token, and no recorded use of the key.
    assert.deepEqual(await identityApi.digest(), before)
    assert.equal((await toldOf(byPassword(userId, password))).status, 201)
  })

  test('does not record malformed requests', async () => {
    const answer = await requestToken(platform.url, { identity: { methods: ['password'] } })
    assert.equal(answer.status, 400)
    assert.deepEqual(await identityApi.events(`request_id=${answer.body.request_id}`), [])
  })

  test('SEC-36, SEC-64: contains no password, secret, token or unknown name that was typed', async () => {
    const admin = await toldOf(byPassword(identityApi.adminId, adminPassword), systemProject)
    assert.equal(admin.status, 201)
    const { db } = platform.database
    const rows = await db.selectFrom('events').selectAll().execute()
    const text = JSON.stringify(rows)
    assert.ok(text.includes(holder.keyId) && text.includes(name), 'it holds what it should')
    const hashes = await db.selectFrom('users').select('password_hash').execute()
    const sealed = await db.selectFrom('access_keys').select('secret').execute()
    const ids = await db.selectFrom('tokens').select('id').execute()
    const secrets = [
      password,
      typed,
      adminPassword,
      holder.keySecret,
      ...Object.values(holder.tokens),
      identityApi.admin,
      ...hashes.flatMap(({ password_hash }) => password_hash ?? []),
      ...sealed.map(({ secret }) => secret),
      ...ids.map(({ id }) => id),
      'argon2',
      'mt1_',
    ]
    for (const secret of secrets) assert.ok(!text.includes(secret), secret)
  })

  test('limits the events of scopes denied to a valid token', async () => {
    const before = await identityApi.events(`user_id=${holder.userId}&result=failure`)
    const auth = {
      identity: tokenIdentity(holder.tokens.unscoped),
      scope: { project: { id: newId() } },
    }
    for (let count = 0; count < 30; count += 1) {
      assert.equal((await requestToken(platform.url, auth)).status, 401)
    }
    const after = await identityApi.events(`user_id=${holder.userId}&result=failure`)
    assert.ok(after.length - before.length <= 20, `${after.length - before.length} more`)
  })
})
