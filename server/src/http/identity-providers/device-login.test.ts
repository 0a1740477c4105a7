import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { DeviceLoginDto } from '@muster/contract'
import { assertError } from '../../testing/assert-error.ts'
import { ask } from '../../testing/client.ts'
import {
  createSigningKey,
  nowSeconds,
  startFakeOidc,
  type FakeOidc,
} from '../../testing/fake-oidc.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startOidcPlatform, type OidcPlatform } from '../../testing/oidc-platform.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const device_client_id = 'muster-cli'

onEngineOfLane('a login of a command line at an OpenID provider', (engine) => {
  const lifetime = suiteLifetime()
  let muster: OidcPlatform
  let fake: FakeOidc
  let provider: string
  before(async () => {
    muster = await startOidcPlatform(lifetime, engine)
    fake = await startFakeOidc(lifetime)
    fake.state.metadata = { device_authorization_endpoint: `${fake.issuer}/device` }
    provider = (await muster.addOidc(fake.issuer, { name: 'acme' }, { device_client_id })).id
    const without = await startFakeOidc(lifetime)
    await muster.addOidc(without.issuer, { name: 'without' }, { device_client_id })
  })

  const list = async (query = '') =>
    (await ask<{ device_logins: DeviceLoginDto[] }>(muster.url, `/v3/auth/device_logins${query}`))
      .body.device_logins

  test('is listed for providers that allow it', async () => {
    const logins = await list()
    assert.deepEqual(logins, [
      {
        provider: { id: provider, name: 'acme' },
        issuer: fake.issuer,
        client_id: device_client_id,
        scopes: 'openid profile email',
        device_authorization_endpoint: `${fake.issuer}/device`,
        token_endpoint: `${fake.issuer}/token`,
      },
    ])
    assert.deepEqual(await list('?domain=Default'), logins)
    assert.deepEqual(await list('?domain=nowhere'), [])
    await muster.changeProvider(provider, { options: { device_client_id: '' } })
    assert.deepEqual(await list(), [], 'off by default')
    await muster.changeProvider(provider, { options: { device_client_id }, enabled: false })
    assert.deepEqual(await list(), [])
    await muster.changeProvider(provider, { enabled: true })
  })

  const claimsOf = (changes: object = {}) =>
    fake.claimsOf({
      sub: 'grace',
      preferred_username: 'grace',
      aud: device_client_id,
      nonce: undefined,
      jti: crypto.randomUUID(),
      ...changes,
    })
  const send = (changes: object = {}, header = {}) =>
    muster.logInWith({ provider, id_token: fake.sign(claimsOf(changes), header) })

  test('takes ID tokens of its own client only', async () => {
    assert.equal((await send()).status, 201)
    assert.equal((await send({ azp: device_client_id, typ: 'ID' }, { typ: 'JWT' })).status, 201)
    const bad: Record<string, [changes: object, header?: object]> = {
      'the client of the browser': [{ aud: 'muster' }],
      'several audiences': [{ aud: [device_client_id, 'another'] }],
      'another authorized party': [{ azp: 'another' }],
      'an ID token of the browser': [{ nonce: 'x' }],
      'an access token': [{}, { typ: 'at+jwt' }],
      'an access token of Keycloak': [{ typ: 'Bearer' }],
      'a refresh token of Keycloak': [{ typ: 'Refresh' }],
      'a logout token': [{ events: {} }],
      'another issuer': [{ iss: 'https://other.test' }],
      'issued long ago': [{ iat: nowSeconds() - 400 }],
      expired: [{ exp: nowSeconds() - 120 }],
      'alg none': [{}, { alg: 'none' }],
      'HS256 with the public key': [{}, { alg: 'HS256' }],
      'no subject': [{ sub: undefined }],
    }
    for (const [changes, header] of Object.values(bad)) {
      await muster.assertRefused(await send(changes, header), /^OIDC: /)
    }
    const foreign = fake.sign(claimsOf(), { kid: 'first' }, createSigningKey())
    await muster.assertRefused(await muster.logInWith({ provider, id_token: foreign }), /^OIDC: /)
  })

  test('is neither a login of the browser nor of a program, and the reverse', async () => {
    await muster.changeProvider(provider, { options: { audience: 'programs' } })
    const asProgram = fake.sign(claimsOf())
    await muster.assertRefused(await muster.logInWith({ provider, token: asProgram }), /^OIDC: /)
    await muster.assertRefused(await send({ aud: 'programs' }), /^OIDC: /)
    for (const same of ['muster', 'programs']) {
      await muster.changeProvider(provider, { options: { device_client_id: same } })
      await muster.assertRefused(await send({ aud: same }), /must differ/)
    }
    await muster.changeProvider(provider, { options: { device_client_id: '' } })
    await muster.assertRefused(await send({ aud: '' }), /device flow is off/)
    await muster.changeProvider(provider, { options: { device_client_id, audience: '' } })
  })

  test('a malformed credential is 400', async () => {
    const jwt = fake.sign(claimsOf())
    for (const credential of [
      { id_token: 'nonsense' },
      { id_token: jwt, token: jwt },
      { id_token: jwt, code: 'x' },
      { id_token: jwt, nonce: 'x' },
    ]) {
      const answer = await muster.logInWith({ provider, ...credential })
      assertError(answer, 'InputParameterError', 'application/json')
    }
  })
})
