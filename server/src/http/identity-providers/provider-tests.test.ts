import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { before, describe, test } from 'node:test'
import type { ProviderTest } from '@muster/contract'
import { startFakeCas, casFailure, casSuccess, type FakeCas } from '../../testing/fake-cas.ts'
import { fakeGroup, fakePerson, startFakeLdap, type FakeLdap } from '../../testing/fake-ldap.ts'
import { startFakeOidc, type FakeOidc } from '../../testing/fake-oidc.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { startLdapPlatform, type LdapPlatform } from '../../testing/ldap-platform.ts'
import { startSecureServer, testAuthority } from '../../testing/secure-server.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

/** The checks of a test as short texts: `name`, or `name: option` where it failed. */
const outlineOf = ({ checks }: ProviderTest) =>
  checks.map(({ name, ok, option }) => (ok ? name : `${name}: ${option}`))

onEngineOfLane('the test of an identity provider', (engine) => {
  const lifetime = suiteLifetime()
  let muster: LdapPlatform
  let oidc: FakeOidc
  let ldap: FakeLdap
  let cas: FakeCas
  before(async () => {
    muster = await startLdapPlatform(lifetime, engine)
    oidc = await startFakeOidc(lifetime)
    ldap = await startFakeLdap(lifetime)
    cas = await startFakeCas(lifetime)
    const ada = fakePerson('ada')
    ldap.entries.push(ada, fakeGroup('staff', ada.dn))
  })

  const send = (path: string, identity_provider: object) =>
    muster.call<{ test: ProviderTest }>('POST', `/v3/identity_providers${path}`, {
      identity_provider,
    })

  /** Runs a test that changes nothing but the activity log. */
  async function run(driver: string, options: object, id?: string): Promise<ProviderTest> {
    const rows = await muster.lastingRows()
    const path = id === undefined ? '/test' : `/${id}/test`
    const answer = await send(path, { ...(id === undefined && { driver }), options })
    assert.equal(answer.status, 200, answer.text)
    assert.ok(!answer.text.includes('canary'), 'no secret in the response')
    assert.deepEqual(await muster.lastingRows(), rows)
    const requestId = answer.headers.get('x-request-id') ?? ''
    const told = await muster.events(`request_id=${requestId}`)
    assert.deepEqual(
      told.map(({ action, target_type }) => [action, target_type]),
      [['test', 'identity_provider']],
    )
    assert.ok(!JSON.stringify(told).includes('canary'), 'no secret in the event')
    const { test } = answer.body
    for (const { ok, text, option } of test.checks) {
      assert.equal(ok, option === '')
      assert.match(text, /^[^\p{C}]{1,300}$/u)
    }
    assert.equal(
      test.ok,
      test.checks.every(({ ok }) => ok),
    )
    return test
  }

  const oidcOptions = (changes: object = {}) => ({
    issuer: oidc.issuer,
    client_id: 'muster',
    client_secret: 'canary of the client',
    ca: testAuthority,
    ...changes,
  })
  const ldapOptions = (changes: object = {}) => ({
    servers: ldap.url,
    base_dn: 'dc=example,dc=org',
    bind_dn: 'cn=reader,dc=example,dc=org',
    bind_password: 'of the reader',
    // The fake takes every entry for one that has an attribute.
    user_filter: '(&(uid={name})(cn=Name of ada))',
    ca: testAuthority,
    ...changes,
  })
  const casOptions = (changes: object = {}) => ({
    url: cas.base,
    service_url: 'https://muster.test/',
    ca: testAuthority,
    ...changes,
  })

  describe('OIDC', () => {
    const all = ['discovery', 'issuer', 'keys', 'token_endpoint']

    test('passes, and sends the secret to the token endpoint only', async () => {
      const { checks } = await run('oidc', oidcOptions())
      assert.deepEqual(
        checks.map(({ name, ok }) => [name, ok]),
        all.map((name) => [name, true]),
      )
      assert.equal(checks[2]?.text, '1 key for signatures')
      const [request, ...more] = oidc.requests.filter(({ target }) => target === '/token')
      assert.ok(request && more.length === 0)
      assert.ok(!checks.some(({ text }) => text.includes('canary')))
    })

    for (const [name, [status, body]] of Object.entries({
      invalid_client: [401, { error: 'invalid_client' }],
      'a 400 with invalid_client': [400, { error: 'invalid_client' }],
      unauthorized_client: [400, { error: 'unauthorized_client' }],
    } as const)) {
      test(`fails at the secret of the client for ${name}`, async () => {
        oidc.state.tokenRefusal = { status, body }
        const secret = outlineOf(await run('oidc', oidcOptions()))
        const publicClient = outlineOf(await run('oidc', oidcOptions({ client_secret: '' })))
        oidc.state.tokenRefusal = undefined
        assert.equal(secret.at(-1), 'token_endpoint: client_secret')
        assert.equal(publicClient.at(-1), 'token_endpoint: client_id')
      })
    }

    const reply =
      (status: number, text: string, type = 'application/json'): RequestListener =>
      (_, response) => {
        response.writeHead(status, { 'content-type': type })
        response.end(text)
      }
    const scripts: Readonly<Record<string, RequestListener>> = {
      'a page': reply(200, '<html>', 'text/html'),
      garbage: reply(200, '\u0000\u001B[31m{'),
      'an empty object': reply(200, '{}'),
      'status 404': reply(404, '{}'),
      'status 500': reply(500, 'internal text of the host'),
      'a redirect': (_, response) => {
        response.writeHead(302, { location: 'https://169.254.169.254/latest' })
        response.end()
      },
      'a huge response': reply(200, ' '.repeat(100_000)),
      'a closed connection': (request) => void request.socket.destroy(),
    }
    for (const [name, script] of Object.entries(scripts)) {
      test(`${name} fails the discovery`, async () => {
        oidc.state.script = script
        const { checks } = await run('oidc', oidcOptions())
        oidc.state.script = undefined
        assert.deepEqual(outlineOf({ checks } as ProviderTest), ['discovery: issuer'])
        assert.ok(!checks[0]?.text.includes('internal text'))
      })
    }

    const metadata: Readonly<Record<string, readonly [() => object, readonly string[], RegExp]>> = {
      'another issuer': [
        () => ({ issuer: 'https://other.test' }),
        ['discovery', 'issuer: issuer'],
        /issuer does not match/,
      ],
      'no token endpoint': [
        () => ({ token_endpoint: undefined }),
        ['discovery', 'issuer', 'keys', 'token_endpoint: issuer'],
        /token_endpoint/,
      ],
      'no keys': [() => ({ jwks_uri: undefined }), ['discovery: issuer'], /jwks_uri/],
      'keys where Muster must not look': [
        () => ({ jwks_uri: 'https://169.254.169.254/keys' }),
        ['discovery', 'issuer', 'keys: issuer', 'token_endpoint'],
        /not allowed/,
      ],
      'keys that are none': [
        () => ({ jwks_uri: `${oidc.issuer}/userinfo` }),
        ['discovery', 'issuer', 'keys: issuer', 'token_endpoint'],
        /key|JSON Web Key Set/i,
      ],
      'another way to authenticate': [
        () => ({ token_endpoint_auth_methods_supported: ['private_key_jwt'] }),
        ['discovery', 'issuer', 'keys', 'token_endpoint: client_secret'],
        /private_key_jwt/,
      ],
    }
    for (const [name, [change, outline, text]] of Object.entries(metadata)) {
      test(`metadata with ${name} fails`, async () => {
        oidc.state.metadata = change() as typeof oidc.state.metadata
        const result = await run('oidc', oidcOptions())
        oidc.state.metadata = {}
        assert.deepEqual(outlineOf(result), outline)
        assert.match(result.checks.find(({ ok }) => !ok)?.text ?? '', text)
      })
    }

    test('an authority that is not trusted is named', async () => {
      const result = await run('oidc', oidcOptions({ ca: '' }))
      assert.deepEqual(outlineOf(result), ['discovery: ca'])
      assert.match(result.checks[0]?.text ?? '', /unknown authority/)
    })

    test('finds what the provider says now, not what it said before', async () => {
      assert.ok((await run('oidc', oidcOptions())).ok)
      const { keys } = oidc.state
      oidc.state.keys = []
      assert.deepEqual(outlineOf(await run('oidc', oidcOptions())), [
        'discovery',
        'issuer',
        'keys: issuer',
        'token_endpoint',
      ])
      oidc.state.keys = keys
    })
  })

  describe('LDAP', () => {
    const all = ['connection', 'bind', 'base_dn', 'people', 'groups']

    test('passes, and tells how many people and groups it finds', async () => {
      const { checks } = await run('ldap', ldapOptions())
      assert.deepEqual(
        checks.map(({ name, ok }) => [name, ok]),
        all.map((name) => [name, true]),
      )
      assert.deepEqual(
        checks.slice(3).map(({ text }) => text),
        ['1 person', 'ada is in 1 group'],
      )
    })

    const cases: Readonly<Record<string, readonly [() => object, readonly string[], RegExp]>> = {
      'a wrong password': [
        () => ({ bind_password: 'canary' }),
        ['connection', 'bind: bind_dn'],
        /bind_dn and bind_password/,
      ],
      'an unknown authority': [() => ({ ca: '' }), ['connection: ca'], /unknown authority/],
      'a base that does not exist': [
        () => ({ base_dn: 'dc=elsewhere' }),
        ['connection', 'bind', 'base_dn: base_dn'],
        /cannot be read/,
      ],
      'a filter that finds nobody': [
        () => ({ user_filter: '(uid=nobody)' }),
        ['connection', 'bind', 'base_dn', 'people: user_filter'],
        /finds nobody/,
      ],
      'a filter that is none': [
        () => ({ user_filter: '((' }),
        ['connection', 'bind', 'base_dn', 'people: user_filter'],
        /./,
      ],
      'people without an id': [
        () => ({ id_attribute: 'ipaUniqueID' }),
        ['connection', 'bind', 'base_dn', 'people: id_attribute'],
        /ipaUniqueID/,
      ],
      'people without a name': [
        () => ({ name_attribute: 'sn' }),
        ['connection', 'bind', 'base_dn', 'people: name_attribute'],
        /sn/,
      ],
      'groups by a filter that is none': [
        () => ({ group_filter: '((' }),
        ['connection', 'bind', 'base_dn', 'people', 'groups: group_filter'],
        /./,
      ],
      'no groups': [() => ({ group_filter: '' }), all.slice(0, 4), /^$/],
      'direct bind without a reader': [
        () => ({ bind_dn: '', bind_password: '', user_dn: 'uid={name},dc=example,dc=org' }),
        ['connection', 'bind'],
        /^$/,
      ],
      'two servers of which one refuses': [
        () => ({ servers: `ldap://localhost:9 ${ldap.url}` }),
        ['connection: servers', ...all],
        /localhost:9/,
      ],
    }
    for (const [name, [change, outline, text]] of Object.entries(cases)) {
      test(name, async () => {
        const result = await run('ldap', ldapOptions(change()))
        assert.deepEqual(outlineOf(result), outline)
        assert.match(result.checks.find(({ ok }) => !ok)?.text ?? '', text)
      })
    }

    test('a connection that ends during a check fails that check', async () => {
      ldap.state.fault = (operation, socket) => operation === 'search' && socket.destroy()
      const result = await run('ldap', ldapOptions())
      ldap.state.fault = undefined
      assert.deepEqual(outlineOf(result), ['connection', 'bind', 'base_dn: base_dn'])
    })

    test('a stored password is never sent to another server', async () => {
      const other = await startFakeLdap(lifetime)
      const { id } = await muster.addLdap({ ...ldapOptions() })
      assert.ok((await run('ldap', {}, id)).ok)
      const moves = [
        { servers: other.url },
        { servers: `${ldap.url} ${other.url}` },
        { plain_text: 'always' },
        { ca: '' },
      ]
      for (const options of moves) {
        const { status, body } = await send(`/${id}/test`, { options })
        assert.equal(status, 400)
        assert.equal(body.fields?.[0]?.path, 'identity_provider.options.bind_password')
      }
      assert.equal(other.state.connections, 0)
      const typed = await run('ldap', { servers: other.url, bind_password: 'canary' }, id)
      assert.deepEqual(outlineOf(typed), ['connection', 'bind: bind_dn'])
      assert.deepEqual(
        other.binds.map(({ password }) => password),
        ['canary'],
      )
    })
  })

  describe('CAS', () => {
    test('passes if the server refuses a ticket that nobody has', async () => {
      assert.deepEqual(outlineOf(await run('cas', casOptions())), ['ticket_validation'])
    })

    const answers: Readonly<Record<string, readonly [string, string]>> = {
      'an unknown service': [casFailure('no', 'INVALID_SERVICE'), 'service_url'],
      'a service without authorization': [casFailure('no', 'UNAUTHORIZED_SERVICE'), 'service_url'],
      'a success for any ticket': [casSuccess('admin'), 'url'],
      'a page': ['<html>internal text</html>', 'url'],
      nothing: ['', 'url'],
    }
    for (const [name, [answer, option]] of Object.entries(answers)) {
      test(`${name} fails`, async () => {
        const server = await startSecureServer(lifetime, (_, response) => response.end(answer))
        const result = await run('cas', casOptions({ url: server.url }))
        assert.deepEqual(outlineOf(result), [`ticket_validation: ${option}`])
        assert.ok(!JSON.stringify(result).includes('internal text'))
      })
    }
  })

  test('wrong options are a 400 at their field, and contact nobody', async () => {
    const connections = [oidc.connections(), ldap.state.connections, cas.connections()]
    const cases: readonly (readonly [string, object, string])[] = [
      ['none', {}, 'driver'],
      ['oidc', { client_id: 'muster' }, 'options.issuer'],
      ['oidc', oidcOptions({ issuer: 'https://127.0.0.1' }), 'options.issuer'],
      ['oidc', oidcOptions({ nonsense: 'x' }), 'options.nonsense'],
      ['ldap', ldapOptions({ servers: 'http://localhost' }), 'options.servers'],
      ['ldap', ldapOptions({ servers: 'ldap://127.0.0.1' }), 'options.servers'],
      ['cas', { service_url: 'https://muster.test/' }, 'options.url'],
      ['cas', casOptions({ protocol: 4 }), 'options.protocol'],
    ]
    for (const [driver, options, path] of cases) {
      const { status, body } = await send('/test', { driver, options })
      assert.equal(status, 400, path)
      assert.equal(body.fields?.[0]?.path, `identity_provider.${path}`)
    }
    assert.equal((await send('/none/test', {})).status, 404)
    assert.deepEqual([oidc.connections(), ldap.state.connections, cas.connections()], connections)
  })
})
