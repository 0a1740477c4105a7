import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { assertError } from '../../testing/assert-error.ts'
import {
  createSigningKey,
  nowSeconds,
  startFakeOidc,
  type FakeOidc,
} from '../../testing/fake-oidc.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { proof, startOidcPlatform, type OidcPlatform } from '../../testing/oidc-platform.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const audience = 'https://muster.test/api'

onEngineOfLane('a login with a token of an OpenID provider', (engine) => {
  const lifetime = suiteLifetime()
  let muster: OidcPlatform
  let oidc: FakeOidc
  let provider: string
  before(async () => {
    muster = await startOidcPlatform(lifetime, engine)
    oidc = await startFakeOidc(lifetime)
    provider = (await muster.addOidc(oidc.issuer, {}, { audience })).id
  })

  const claimsOf = (changes: object = {}) =>
    oidc.claimsOf({
      sub: 'robot',
      preferred_username: 'service-account-robot',
      aud: audience,
      azp: 'robot',
      nonce: undefined,
      jti: crypto.randomUUID(),
      ...changes,
    })
  const signed = (changes?: object, header: Record<string, unknown> = { typ: 'at+jwt' }) =>
    oidc.sign(claimsOf(changes), header)
  const send = (token: string) => muster.logInWith({ provider, token })

  test('works once, for the user of the subject', async () => {
    const token = signed()
    const first = await send(token)
    assert.equal(first.status, 201, first.text)
    const { methods, user } = first.body.token
    assert.deepEqual([methods, user.Name], [['oidc'], 'service-account-robot'])
    await muster.assertRefused(await send(token), /used before/)
    // The last character of the signature has bits that mean nothing.
    const bytesOf = (text: string) => Buffer.from(text, 'base64url').toString('hex')
    const spellings = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .map((last) => token.slice(0, -1) + last)
      .filter((other) => other !== token)
      .filter((other) => bytesOf(other.split('.')[2] ?? '') === bytesOf(token.split('.')[2] ?? ''))
    assert.ok(spellings.length > 0)
    for (const other of spellings.slice(0, 3)) {
      await muster.assertRefused(await send(other), /used before/)
    }
    for (const typ of ['JWT', 'application/at+jwt', undefined]) {
      const again = await send(signed({}, { typ }))
      assert.equal(again.body.token.user.Id, user.Id)
    }
    assert.equal((await muster.logInWith({ token: signed() })).status, 201, 'the only provider')
  })

  test('that is not for Muster is refused', async () => {
    const bad: Record<string, () => string> = {
      'another audience': () => signed({ aud: 'https://other.test' }),
      'the audience of ID tokens': () => signed({ aud: 'muster' }),
      'an ID token of Keycloak': () => signed({ typ: 'ID' }, { typ: 'JWT' }),
      'a refresh token of Keycloak': () => signed({ typ: 'Refresh' }, { typ: 'JWT' }),
      'a token with a nonce': () => signed({ nonce: 'x' }),
      'a logout token': () => signed({}, { typ: 'logout+jwt' }),
      'a logout token without a type': () => signed({ events: {} }, {}),
      'another issuer': () => signed({ iss: 'https://other.test' }),
      expired: () => signed({ exp: nowSeconds() - 120 }),
      'without an end': () => signed({ exp: undefined }),
      'issued long ago': () => signed({ iat: nowSeconds() - 90_000 }),
      'alg none': () => signed({}, { alg: 'none' }),
      'HS256 with the public key': () => signed({}, { alg: 'HS256' }),
      'another key': () => oidc.sign(claimsOf(), { kid: 'first' }, createSigningKey()),
      'no subject': () => signed({ sub: undefined }),
      nonsense: () => 'eyJ.eyJ.eyJ',
    }
    for (const make of Object.values(bad)) await muster.assertRefused(await send(make()), /^OIDC: /)
  })

  test('that is older than the last one that was used changes no roles', async () => {
    const project_id = await muster.identities.addProject('lab')
    const role_id = await muster.roleId('project_owner')
    const mapping = [{ attribute: 'groups', value: 'staff', role_id, project_id }]
    await muster.changeProvider(provider, { mapping })
    const person = { sub: 'clerk', preferred_username: 'clerk' }
    const rolesAfter = async (age: number, groups: readonly string[]) => {
      const answer = await send(signed({ ...person, groups, iat: nowSeconds() - age }))
      assert.equal(answer.status, 201, answer.text)
      return answer.body.token.role_assignments.length
    }
    assert.equal(await rolesAfter(500, ['staff']), 1)
    assert.equal(await rolesAfter(400, []), 0, 'a newer one takes roles')
    assert.equal(await rolesAfter(450, ['staff']), 0, 'an older one gives none')
    assert.equal(await rolesAfter(430, ['staff']), 0, 'an older one does not become the last')
    assert.equal(await rolesAfter(300, ['staff']), 1, 'a newer one gives roles')
    assert.equal(await rolesAfter(350, []), 1, 'an older one takes none')

    const inBrowser = oidc.sign(oidc.claimsOf({ ...person, groups: [] }))
    const code = oidc.codeFor(inBrowser)
    const now = await muster.logInWith({ provider, code, iss: oidc.issuer, ...proof })
    assert.equal(now.body.token.role_assignments.length, 0, 'a login in the browser says it now')
    assert.equal(await rolesAfter(100, ['staff']), 0)
    await muster.changeProvider(provider, { mapping: [] })
  })

  test('ends with the token', async () => {
    const exp = nowSeconds() + 100
    const { body, status } = await send(signed({ exp, iat: nowSeconds() - 50 }))
    assert.equal(status, 201)
    assert.ok(Date.parse(body.token.expires_at) <= exp * 1_000, body.token.expires_at)
    // Within the time that clocks may differ. Nobody is provisioned.
    const late = signed({ exp: nowSeconds() - 30, sub: 'late', preferred_username: 'late' })
    await muster.assertRefused(await send(late), /expired/)
    const { db } = muster.database
    const subjects = await db.selectFrom('subjects').select('subject').execute()
    assert.ok(!subjects.some(({ subject }) => subject === 'late'))
  })

  test('needs an audience of its own', async () => {
    for (const [value, reason] of [
      ['', /no audience/],
      ['muster', /must differ/],
    ] as const) {
      await muster.changeProvider(provider, { options: { audience: value } })
      await muster.assertRefused(await send(signed({ aud: value })), reason)
    }
    await muster.changeProvider(provider, { options: { audience } })
    assert.equal((await send(signed())).status, 201)
  })

  test('a malformed credential is 400, and the provider is not asked', async () => {
    const asked = oidc.requests.length
    const code = { code: 'x', ...proof }
    const { nonce: _, ...withoutNonce } = code
    const bad: [Record<string, string>, string][] = [
      [{}, 'code'],
      [withoutNonce, 'nonce'],
      [{ ...code, redirect_uri: 'nowhere' }, 'redirect_uri'],
      [{ ...code, token: 'x' }, 'code_verifier'],
      [{ token: 'x', code: 'x' }, 'code'],
      [{ ...code, state: 'x' }, 'state'],
      [{ token: '' }, 'token'],
      [{ token: 'eyJ' }, 'token'],
      [{ token: `${signed()}==` }, 'token'],
      [{ token: `${signed()} ` }, 'token'],
    ]
    for (const [credential, name] of bad) {
      const { class: errorClass, fields } = (await muster.logInWith(credential)).body as never as {
        class: string
        fields: { path: string }[]
      }
      assert.match(errorClass, /ParameterError$/)
      assert.equal(fields[0]?.path, `auth.identity.credential.${name}`)
    }
    const missing = await muster.call('POST', '/v3/auth/tokens', {
      auth: { identity: { methods: ['oidc'] } },
    })
    assertError(missing, 'MissingParameterError', 'application/json')
    assert.equal(oidc.requests.length, asked)
  })
})
