import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { ask, requestToken, secretOf, tokenIdentity } from '../../testing/client.ts'
import { assertError } from '../../testing/assert-error.ts'
import {
  createSigningKey,
  nowSeconds,
  startFakeOidc,
  type FakeOidc,
} from '../../testing/fake-oidc.ts'
import { newId } from '../../domain/new-id.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { proof, startOidcPlatform, type OidcPlatform } from '../../testing/oidc-platform.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }

onEngineOfLane('a logout message of an OpenID provider', (engine) => {
  const lifetime = suiteLifetime()
  let muster: OidcPlatform
  let oidc: FakeOidc
  let provider: string
  before(async () => {
    muster = await startOidcPlatform(lifetime, engine)
    oidc = await startFakeOidc(lifetime)
    provider = (await muster.addOidc(oidc.issuer)).id
  })

  async function logIn(sub: string, sid: string): Promise<string> {
    const claims = oidc.claimsOf({ sub, sid, preferred_username: sub })
    const code = oidc.codeFor(oidc.sign(claims))
    const answer = await muster.logInWith({ provider, code, iss: oidc.issuer, ...proof })
    assert.equal(answer.status, 201, answer.text)
    return secretOf(answer)
  }
  const claimsOf = (changes: object) => ({
    iss: oidc.issuer,
    aud: 'muster',
    iat: nowSeconds(),
    exp: nowSeconds() + 120,
    jti: newId(),
    events,
    ...changes,
  })
  const signed = (changes: object, header: Record<string, unknown> = { typ: 'logout+jwt' }) =>
    oidc.sign(claimsOf(changes), header)

  async function send(message: string, to = provider) {
    const response = await fetch(`${muster.url}/api/session/providers/${to}/logout`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token: message }),
    })
    return response.status
  }
  const isAlive = async (token: string) =>
    (await ask(muster.url, '/v3/auth/catalog', { token })).status === 200

  test('ends the session that it names, with all tokens of it, and no other', async () => {
    const [one, other] = [await logIn('ada', 's1'), await logIn('ada', 's2')]
    const child = await requestToken(muster.url, { identity: tokenIdentity(one) })
    assert.equal(await send(signed({ sid: 's1', sub: 'ada' })), 204)
    assert.deepEqual(await Promise.all([one, secretOf(child), other].map(isAlive)), [
      false,
      false,
      true,
    ])
    assert.equal(await send(signed({ sid: 's2' })), 204)
    assert.equal(await isAlive(other), false)
  })

  test('ends all logins of the person that it names, and of nobody else', async () => {
    const tokens = [await logIn('ada', 's3'), await logIn('ada', 's4'), await logIn('grace', 's5')]
    assert.equal(await send(signed({ sub: 'ada' })), 204)
    assert.deepEqual(await Promise.all(tokens.map(isAlive)), [false, false, true])
    const [event] = await muster.events('action=logout')
    assert.deepEqual([event?.target_type, event?.target_name], ['user', 'ada'])
    assert.equal(await send(signed({ sub: 'nobody' })), 204)
    assert.deepEqual(await Promise.all(tokens.map(isAlive)), [false, false, true])
    assert.ok(await isAlive(muster.admin))
  })

  test('works once: a repeated one does not end later logins', async () => {
    await logIn('ada', 's6')
    const message = signed({ sub: 'ada' })
    assert.equal(await send(message), 204)
    const later = await logIn('ada', 's7')
    assert.equal(await send(message), 400)
    assert.ok(await isAlive(later))
  })

  test('counts as used only once it has had its effect: the provider repeats one that failed', async () => {
    const rename = (from: string, to: string) =>
      muster.database.commit([{ sql: `alter table ${from} rename to ${to}`, parameters: [] }])
    const token = await logIn('ada', 's10')
    const message = signed({ sub: 'ada', sid: 's10' })
    await rename('events', 'hidden')
    const failed = await send(message).finally(() => rename('hidden', 'events'))
    assert.equal(failed, 500)
    assert.ok(await isAlive(token))
    assert.equal(await send(message), 204)
    assert.equal(await isAlive(token), false)
  })

  test('about a stranger is used too: it does not end the logins of who comes later', async () => {
    const message = signed({ sub: 'late' })
    assert.equal(await send(message), 204)
    const token = await logIn('late', 's11')
    assert.equal(await send(message), 400)
    assert.ok(await isAlive(token))
  })

  test('that is forged ends nothing', async () => {
    const token = await logIn('ada', 's8')
    const mine = { sub: 'ada' }
    const forged: Record<string, () => string> = {
      'no token': () => '',
      nonsense: () => 'a.b.c',
      'an ID token': () => oidc.sign(oidc.claimsOf(mine)),
      'a nonce': () => signed({ ...mine, nonce: 'x' }),
      'no event': () => signed({ ...mine, events: {} }),
      'another event': () => signed({ ...mine, events: { other: {} } }),
      'an event that is no object': () =>
        signed({ ...mine, events: Object.fromEntries(Object.keys(events).map((key) => [key, 1])) }),
      'another type': () => signed(mine, { typ: 'at+jwt' }),
      'alg none': () => signed(mine, { alg: 'none' }),
      'HS256 with the public key': () => signed(mine, { alg: 'HS256' }),
      'another key': () => oidc.sign(claimsOf(mine), { kid: 'first' }, createSigningKey()),
      'another audience': () => signed({ ...mine, aud: 'another' }),
      'another issuer': () => signed({ ...mine, iss: 'https://other.test' }),
      'no id': () => signed({ ...mine, jti: undefined }),
      'no time': () => signed({ ...mine, iat: undefined }),
      expired: () => signed({ ...mine, exp: nowSeconds() - 120 }),
      old: () => signed({ ...mine, iat: nowSeconds() - 3_600, exp: nowSeconds() + 3_600 }),
      'nobody named': () => signed({}),
      'something else named': () => signed({ sub: 7, sid: ['s8'] }),
    }
    for (const [name, forge] of Object.entries(forged)) assert.equal(await send(forge()), 400, name)
    assert.equal(await send(signed(mine), 'no-such-provider'), 400)
    assert.ok(await isAlive(token))
  })

  describe('of another provider', () => {
    test('ends nothing here, even for the same subject and session', async () => {
      const other = await startFakeOidc(lifetime)
      const { id } = await muster.addOidc(other.issuer)
      const token = await logIn('ada', 's9')
      const message = other.sign({ ...claimsOf({ sub: 'ada', sid: 's9' }), iss: other.issuer })
      assert.equal(await send(message, provider), 400)
      assert.equal(await send(message, id), 204)
      const bySession = other.sign({ ...claimsOf({ sid: 's9' }), iss: other.issuer })
      assert.equal(await send(bySession, id), 204)
      assert.ok(await isAlive(token))
    })
  })

  test('is a form, and needs no session', async () => {
    const path = `/api/session/providers/${provider}/logout`
    assertError(await ask(muster.url, path, { method: 'POST', body: {} }), 'InputParameterError')
  })
})
