import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { ProviderTest } from '@muster/contract'
import { ask, requestToken, secretOf } from '../../testing/client.ts'
import {
  createSigningKey,
  nowSeconds,
  startFakeOidc,
  type FakeOidc,
} from '../../testing/fake-oidc.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { startOidcPlatform, type OidcPlatform } from '../../testing/oidc-platform.ts'
import { testAuthority } from '../../testing/secure-server.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

const audience = 'https://muster.test'
const main = 'repo:acme/web:ref:refs/heads/main'

onBothEngines('a login with the token of a workload', (engine) => {
  const lifetime = suiteLifetime()
  let muster: OidcPlatform
  let issuer: FakeOidc
  let provider: string
  const optionsOf = (changes: object = {}) => ({
    issuer: issuer.issuer,
    audience,
    subjects: 'repo:acme/web:ref:refs/heads/* system:serviceaccount:prod:deployer',
    ca: testAuthority,
    ...changes,
  })
  const add = (name: string, options: object) =>
    muster.call<{ identity_provider: { id: string } }>('POST', '/v3/identity_providers', {
      identity_provider: { name, driver: 'workload', domain_id: 'default', options },
    })
  before(async () => {
    muster = await startOidcPlatform(lifetime, engine)
    issuer = await startFakeOidc(lifetime)
    const { body, text } = await add('ci', optionsOf())
    provider = body.identity_provider?.id
    assert.ok(provider, text)
  })

  const claimsOf = (changes: object = {}) =>
    issuer.claimsOf({
      sub: main,
      preferred_username: undefined,
      aud: audience,
      nonce: undefined,
      jti: crypto.randomUUID(),
      repository: 'acme/web',
      ...changes,
    })
  const signed = (changes?: object, header: Record<string, unknown> = { typ: 'JWT' }) =>
    issuer.sign(claimsOf(changes), header)
  const send = (token: string, changes: object = {}) =>
    requestToken(muster.url, {
      identity: { methods: ['workload'], credential: { provider, token, ...changes } },
    })
  const assertRefused = (answer: Parameters<OidcPlatform['assertRefused']>[0], reason: RegExp) =>
    muster.assertRefused(answer, reason, 'workload')

  test('works once, and gives the roles of the mapping for at most an hour', async () => {
    const project_id = await muster.identities.addProject('lab')
    const role_id = await muster.roleId('project_owner')
    await muster.changeProvider(provider, {
      mapping: [{ attribute: 'repository', value: 'acme/web', role_id, project_id }],
    })
    const iat = nowSeconds() - 60
    const token = signed({ iat, exp: iat + 20_000 })
    const { status, text, body } = await send(token)
    assert.equal(status, 201, text)
    const { methods, user, role_assignments, expires_at } = body.token
    assert.deepEqual([methods, user.Name], [['workload'], main])
    assert.deepEqual(
      role_assignments.map(({ role }) => role.name),
      ['project_owner'],
    )
    assert.equal(Date.parse(expires_at), (iat + 3_600) * 1_000)
    await assertRefused(await send(token), /used before/)

    const login = await send(signed())
    const key = { credential: { type: 'aksk', project_id } }
    const made = await ask(muster.url, '/v3/credentials', {
      method: 'POST',
      token: secretOf(login),
      body: key,
    })
    assert.equal(made.status, 403, 'a key would last longer')
    assert.match(made.text, /token of a program/)

    const soon = nowSeconds() + 100
    const short = await send(signed({ exp: soon }))
    assert.equal(Date.parse(short.body.token.expires_at), soon * 1_000)
    await assertRefused(await send(signed({ iat: nowSeconds() - 3_700 })), /expired/)
  })

  test('is refused, and makes no user, for any other subject, audience, issuer or signature', async () => {
    const bad: Record<string, () => string> = {
      'a fork': () => signed({ sub: 'repo:evil/web:ref:refs/heads/main' }),
      'a request of a fork': () => signed({ sub: 'repo:acme/web:pull_request' }),
      'a tag': () => signed({ sub: 'repo:acme/web:ref:refs/tags/v1' }),
      'another namespace': () => signed({ sub: 'system:serviceaccount:dev:deployer' }),
      'another audience': () => signed({ aud: 'https://other.test' }),
      'no audience': () => signed({ aud: undefined }),
      'another issuer': () => signed({ iss: 'https://other.test' }),
      expired: () => signed({ exp: nowSeconds() - 120 }),
      'without an end': () => signed({ exp: undefined }),
      'alg none': () => signed({}, { alg: 'none' }),
      'HS256 with the public key': () => signed({}, { alg: 'HS256' }),
      'another key': () => issuer.sign(claimsOf(), { kid: 'first' }, createSigningKey()),
      'a logout token': () => signed({}, { typ: 'logout+jwt' }),
    }
    const { db } = muster.database
    const users = async () => (await db.selectFrom('users').select('id').execute()).length
    const before = await users()
    for (const [name, make] of Object.entries(bad)) {
      const answer = await send(make())
      assert.equal(answer.status, 401, name)
      await assertRefused(answer, /^(?:OIDC|workload): /)
    }
    assert.equal(await users(), before)
  })

  test('is no login of the OpenID Connect driver, and the reverse', async () => {
    await muster.assertRefused(await muster.logInWith({ provider, token: signed() }), /no provider/)
    const oidc = await muster.addOidc(issuer.issuer, {}, { audience })
    await assertRefused(await send(signed(), { provider: oidc.id }), /no provider/)
    const { providers } = (await muster.call<{ providers: { id: string }[] }>('GET', '/api/login'))
      .body
    assert.ok(!providers?.some(({ id }) => id === provider), 'it has no button')
  })

  test('needs an issuer, an audience, and subjects that let in no strangers', async () => {
    const bad: [object, string, RegExp][] = [
      [{ audience: undefined }, 'audience', /required/],
      [{ audience: '' }, 'audience', /empty/],
      [{ subjects: undefined }, 'subjects', /required/],
      [{ subjects: '' }, 'subjects', /empty/],
      [{ subjects: '  ' }, 'subjects', /empty/],
      [{ subjects: '*' }, 'subjects', /strangers/],
      [{ subjects: 'repo:*/web:ref:refs/heads/main' }, 'subjects', /strangers/],
      [{ subjects: 7 }, 'subjects', /text/],
      [{ issuer: 'http://id.example.org' }, 'issuer', /HTTPS/],
      [{ client_id: 'x' }, 'client_id', /not an option/],
    ]
    for (const [changes, name, problem] of bad) {
      const { status, text, body } = await add('another', optionsOf(changes))
      assert.equal(status, 400, text)
      const [field] = (body as never as { fields: { path: string; problem: string }[] }).fields
      assert.equal(field?.path, `identity_provider.options.${name}`)
      assert.match(field?.problem ?? '', problem)
    }
  })

  test('is tested without a token, and a preview tells who would log in', async () => {
    const { body } = await muster.call<{ test: ProviderTest }>(
      'POST',
      `/v3/identity_providers/${provider}/test`,
      { identity_provider: {} },
    )
    assert.deepEqual(
      body.test.checks.map(({ name, ok }) => [name, ok]),
      [
        ['discovery', true],
        ['issuer', true],
        ['keys', true],
      ],
    )
    const previewOf = (subject: string) =>
      muster.call('POST', `/v3/identity_providers/${provider}/mapping/preview`, {
        claims: { sub: subject, repository: 'acme/web' },
      })
    const known = await previewOf(main)
    assert.equal(known.status, 200, known.text)
    assert.match(known.text, /project_owner/)
    const fork = await previewOf('repo:evil/web:ref:refs/heads/main')
    assert.match(fork.text, /the subject is not one of the provider/)
  })

  test('a malformed credential is 400', async () => {
    for (const [credential, name] of [
      [{}, 'token'],
      [{ token: 'x' }, 'token'],
      [{ token: signed(), code: 'x' }, 'code'],
    ] as const) {
      const { status, body } = await requestToken(muster.url, {
        identity: { methods: ['workload'], credential },
      })
      assert.equal(status, 400)
      const { fields } = body as never as { fields: { path: string }[] }
      assert.equal(fields[0]?.path, `auth.identity.credential.${name}`)
    }
  })
})
