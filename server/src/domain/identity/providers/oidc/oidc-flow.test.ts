import assert from 'node:assert/strict'
import { createHmac, hash } from 'node:crypto'
import { describe, test, type TestContext } from 'node:test'
import { createAddressRule } from '../../../../egress/allowed-addresses.ts'
import { createGuardedRequest } from '../../../../egress/guarded-request.ts'
import { createSigningKey, startFakeOidc, type FakeOidc } from '../../../../testing/fake-oidc.ts'
import { proof } from '../../../../testing/oidc-platform.ts'
import { startSecureServer, testAuthority } from '../../../../testing/secure-server.ts'
import { createOidcFlow } from './oidc-flow.ts'
import type { OidcOptions } from './oidc-servers.ts'

const optionsFor = ({ issuer }: FakeOidc, changes: Partial<OidcOptions> = {}): OidcOptions => ({
  issuer,
  client_id: 'muster',
  client_secret: 'a client/secret',
  scopes: 'openid',
  name_claim: 'preferred_username',
  audience: '',
  device_client_id: '',
  ca: testAuthority,
  ...changes,
})

async function start(t: TestContext) {
  const oidc = await startFakeOidc(t)
  const flow = createOidcFlow(createGuardedRequest(createAddressRule(['localhost'])))
  const exchange = (code: string, changes?: Partial<OidcOptions>) =>
    flow.exchangeCode(optionsFor(oidc, changes), code, { ...proof, iss: oidc.issuer })
  const logIn = () => exchange(oidc.codeFor(oidc.sign(oidc.claimsOf())))
  return { oidc, flow, exchange, logIn }
}

describe('the flow of OpenID Connect', () => {
  test('follows keys that rotate, but asks for them no more often than every 30 s', async (t) => {
    const { oidc, logIn } = await start(t)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    await logIn()
    oidc.state.keys = [createSigningKey('second')]
    await assert.rejects(logIn())
    assert.equal(oidc.requestsOf('/jwks'), 1)
    t.mock.timers.tick(31_000)
    assert.equal((await logIn()).subject, 'ada-1815')
    assert.equal(oidc.requestsOf('/jwks'), 2)
  })

  test('forgets a key that the provider removed', async (t) => {
    const { oidc, exchange, logIn } = await start(t)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
    await logIn()
    const [leaked] = oidc.state.keys
    oidc.state.keys = [createSigningKey('second')]
    t.mock.timers.tick(601_000)
    const forged = oidc.sign(oidc.claimsOf(), {}, leaked)
    await assert.rejects(exchange(oidc.codeFor(forged)))
  })

  test('proves who Muster is in the way that the provider accepts', async (t) => {
    const ways = [
      [undefined, 'a client secret', 'Basic'],
      [['client_secret_post', 'client_secret_basic'], 'a client secret', 'Basic'],
      [['client_secret_post'], 'a client secret', 'post'],
      [['client_secret_basic'], '', 'none'],
    ] as const
    for (const [methods, client_secret, expected] of ways) {
      const { oidc, exchange } = await start(t)
      oidc.state.metadata = { token_endpoint_auth_methods_supported: methods }
      await exchange(oidc.codeFor(oidc.sign(oidc.claimsOf())), { client_secret })
      const { headers } = oidc.requests.find(({ target }) => target === '/token') ?? {}
      const [form] = oidc.tokenRequests
      const sent =
        headers?.authorization?.split(' ')[0] ?? (form?.has('client_secret') ? 'post' : 'none')
      assert.equal(sent, expected)
    }
  })

  test('reads what only the UserInfo endpoint tells, about the same subject only', async (t) => {
    const { oidc, exchange } = await start(t)
    oidc.state.metadata = { userinfo_endpoint: `${oidc.issuer}/userinfo` }
    const read = async (sub: string) => {
      oidc.state.userInfo = { sub, groups: ['staff'], preferred_username: 'mallory' }
      return await exchange(oidc.codeFor(oidc.sign(oidc.claimsOf())))
    }
    const { profile, attributes } = await read('ada-1815')
    assert.deepEqual([profile?.name, attributes.get('groups')], ['ada', ['staff']])
    await assert.rejects(read('somebody-else'), { class: 'UnauthorizedError' })
  })

  test('asks no address but those that a login may', async (t) => {
    const inside = 'https://127.0.0.1:9'
    const changes = [
      { issuer: 'https://other.test' },
      { token_endpoint: `${inside}/token` },
      { token_endpoint: 'http://localhost/token' },
      { token_endpoint: 'file:///etc/passwd' },
      { jwks_uri: `${inside}/jwks` },
      { jwks_uri: 'http://localhost/jwks' },
      { jwks_uri: undefined },
      { userinfo_endpoint: `${inside}/me` },
    ]
    for (const metadata of changes) {
      const { oidc, logIn } = await start(t)
      oidc.state.metadata = metadata
      await assert.rejects(logIn(), JSON.stringify(metadata))
    }
  })

  test('takes no key with which a provider, or who changes its keys, signs by a shared secret', async (t) => {
    const { oidc, exchange } = await start(t)
    const secret = Buffer.from('a secret that several know')
    const shared = { kid: 'shared', kty: 'oct', k: secret.toString('base64url') }
    for (const more of [{}, { alg: 'HS256' }, { alg: 'ES256', use: 'sig' }]) {
      oidc.state.otherKeys = [{ ...shared, ...more }]
      const [header, claims] = oidc
        .sign(oidc.claimsOf(), { alg: 'HS256', kid: 'shared' })
        .split('.')
      const signature = createHmac('sha256', secret).update(`${header}.${claims}`)
      const token = `${header}.${claims}.${signature.digest('base64url')}`
      await assert.rejects(exchange(oidc.codeFor(token)), ({ cause }: Error) =>
        /alg/.test(String(cause)),
      )
    }
  })

  test('uses PKCE with S256, whatever the provider says that it can', async (t) => {
    for (const methods of [undefined, [], ['plain'], ['plain', 'S256']]) {
      const { oidc, flow } = await start(t)
      oidc.state.metadata = { code_challenge_methods_supported: methods }
      const { address, remembered } = await flow.begin(optionsFor(oidc), proof.redirect_uri)
      const { searchParams: asked } = new URL(address)
      const challenge = hash('sha256', remembered['code_verifier'] ?? '', 'base64url')
      assert.equal(asked.get('code_challenge_method'), 'S256')
      assert.equal(asked.get('code_challenge'), challenge)
    }
  })

  test('gives a provider that never answers until the deadline of the login', async (t) => {
    const { oidc, flow } = await start(t)
    const code = oidc.codeFor(() => {})
    const credential = { ...proof, iss: oidc.issuer }
    const attempt = flow.exchangeCode(optionsFor(oidc), code, credential, performance.now() + 1_000)
    await assert.rejects(attempt, ({ cause }: Error) =>
      /no response within \d{1,4} ms/.test(String(cause)),
    )
    assert.equal(oidc.requestsOf('/token'), 1)
  })

  test('gives keys that never come until the deadline of each login, and asks for them once', async (t) => {
    const { oidc, flow } = await start(t)
    const silent = await startSecureServer(t, () => {})
    oidc.state.metadata = { jwks_uri: silent.url }
    const logIn = async (time: number) => {
      const code = oidc.codeFor(oidc.sign(oidc.claimsOf()))
      const credential = { ...proof, iss: oidc.issuer }
      const deadline = performance.now() + time
      const attempt = flow.exchangeCode(optionsFor(oidc), code, credential, deadline)
      await assert.rejects(attempt, ({ cause }: Error) => /keys .* in time/.test(String(cause)))
    }
    // Discovers the addresses, once for both.
    await flow.begin(optionsFor(oidc), proof.redirect_uri)
    await Promise.all([logIn(1_500), logIn(1_000)])
    assert.equal(silent.requests.length, 1)
  })

  test('a discovery that failed is repeated', async (t) => {
    const { oidc, logIn } = await start(t)
    oidc.state.script = (_, response) => response.writeHead(503).end()
    await assert.rejects(logIn(), { class: 'UnauthorizedError' })
    oidc.state.script = undefined
    assert.equal((await logIn()).subject, 'ada-1815')
  })
})
