import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { adminPassword, startPlatform } from '../../server/src/testing/start-platform.ts'
import type { TestPlatform } from '../../server/src/testing/start-platform.ts'
import {
  accessKeyLogin,
  casTicket,
  createClient,
  isApiError,
  oidcLogin,
  passwordLogin,
  tokenAuth,
  workloadLogin,
  type Input,
} from './index.ts'
import { createCountedFetch } from './testing/counted-fetch.ts'

type Identity = Input<'issueToken'>['body']['auth']['identity']

const scope = { project: { name: 'system', domain: { name: 'Default' } } }
const admin = passwordLogin({ user: { name: 'sysadmin' }, password: adminPassword, scope })
const issued = 'POST /v3/auth/tokens 201'

describe('logging in', () => {
  let platform: TestPlatform
  before(async () => {
    platform = await startPlatform()
  })
  after(() => platform.close())

  const connect = (auth = admin) => {
    const counted = createCountedFetch()
    const { url } = platform
    return { counted, client: createClient({ url, auth, fetch: counted.fetch }) }
  }

  /** Ends a token from outside, as another process would. */
  async function revoke(secret: string): Promise<void> {
    await createClient({ url: platform.url, auth: tokenAuth(secret) }).logOut()
  }

  test('happens at the first call that needs it, and once for concurrent calls', async () => {
    const { client, counted } = connect()
    assert.equal((await client.showHealth()).status, 'ok')
    assert.equal(counted.count(issued), 0)
    await Promise.all([client.listUsers(), client.listProjects(), client.listServers()])
    assert.equal(counted.count(issued), 1)
    await client.listUsers()
    assert.equal(counted.count(issued), 1)
  })

  test('returns the user and scope of the token', async () => {
    const { client } = connect()
    const { secret, token } = await client.logIn()
    assert.equal(token.user.Name, 'sysadmin')
    assert.equal(token.project.Name, 'system')
    const other = createClient({ url: platform.url, auth: tokenAuth(secret) })
    assert.deepEqual((await other.logIn()).token, token)
  })

  test('is repeated, once for all calls, when the token is no longer valid', async () => {
    const { client, counted } = connect()
    await revoke((await client.logIn()).secret)
    const lists = await Promise.all([client.listUsers(), client.listRoles(), client.listDomains()])
    assert.ok(lists[0].users.some(({ name }) => name === 'sysadmin'))
    assert.equal(counted.count(issued), 2)
  })

  test('is repeated only once: the second 401 is thrown', async () => {
    const calls: string[] = []
    const client = createClient({
      url: platform.url,
      auth: admin,
      fetch: async (address, init) => {
        calls.push(`${init.method} ${new URL(address).pathname}`)
        const headers = new Headers(init.headers)
        if (headers.has('x-auth-token')) headers.set('x-auth-token', 'no longer good')
        return await fetch(address, { ...init, headers })
      },
    })
    await assert.rejects(client.listUsers(), (error) => isApiError(error, 'UnauthorizedError'))
    assert.deepEqual(calls, [
      'POST /v3/auth/tokens',
      'GET /v3/users',
      'POST /v3/auth/tokens',
      'GET /v3/users',
    ])
  })

  test('that fails is thrown to every waiting call, and retried by the next', async () => {
    const counted = createCountedFetch()
    const wrong = passwordLogin({ user: { name: 'sysadmin' }, password: 'not this one' })
    const client = createClient({ url: platform.url, auth: wrong, fetch: counted.fetch })
    const results = await Promise.allSettled([client.listUsers(), client.listRoles()])
    for (const result of results) {
      assert.ok(result.status === 'rejected' && isApiError(result.reason, 'UnauthorizedError'))
    }
    await assert.rejects(client.listUsers())
    assert.deepEqual(counted.calls, Array(2).fill('POST /v3/auth/tokens 401'))
  })

  test('ends by revoking the token', async () => {
    const { client } = connect()
    const { secret } = await client.logIn()
    await client.logOut()
    const stale = createClient({ url: platform.url, auth: tokenAuth(secret) })
    await assert.rejects(stale.listUsers(), (error) => isApiError(error, 'UnauthorizedError'))
  })

  test('with a token for another scope issues a child token', async () => {
    const { client } = connect()
    const { secret, token } = await client.logIn()
    const { project } = await client.createProject({ body: { project: { name: 'elsewhere' } } })
    const { roles } = await client.listRoles({ query: { name: 'project_owner' } })
    await client.grantProjectUserRole({
      parameters: { id: project.id, user_id: token.user.Id, role_id: roles[0]?.id ?? '' },
    })
    const auth = tokenAuth(secret, { scope: { project: { id: project.id } } })
    const child = await createClient({ url: platform.url, auth }).logIn()
    assert.equal(child.token.project.Name, 'elsewhere')
    assert.notEqual(child.secret, secret)
  })

  test('with an access key signs each login, and never sends the secret', async () => {
    const { client } = connect()
    const { token } = await client.logIn()
    const { credential } = await client.createCredential({
      body: { credential: { type: 'aksk', project_id: token.project.Id } },
    })
    const { access_key: accessKey, secret } = credential
    const sent: string[] = []
    const counted = createCountedFetch()
    const keyed = createClient({
      url: platform.url,
      auth: accessKeyLogin({ accessKey, secret }),
      fetch: async (address, init) => {
        sent.push(init.body ?? '')
        return await counted.fetch(address, init)
      },
    })
    const first = await keyed.logIn()
    assert.equal(first.token.access_key.AccessKey, credential.id)
    await revoke(first.secret)
    await keyed.listServers()
    assert.equal(counted.count(issued), 2)
    assert.ok(sent.every((body) => !body.includes(secret)))
  })

  for (const moment of ['at the first call', 'after the token was revoked'] as const) {
    test(`a storm of calls ${moment} logs in once`, async () => {
      const { client, counted } = connect()
      const isRevoked = moment !== 'at the first call'
      if (isRevoked) await revoke((await client.logIn()).secret)
      await Promise.all(Array.from({ length: 100 }, () => client.listRoles()))
      assert.equal(counted.count(issued), isRevoked ? 2 : 1)
      await client.listRoles()
      assert.equal(counted.count(issued), isRevoked ? 2 : 1)
    })
  }

  test('a storm of calls whose login is refused sends one login', async () => {
    let isPasswordChanged = false
    const calls: string[] = []
    const client = createClient({
      url: platform.url,
      auth: admin,
      fetch: async (address, init) => {
        const { pathname } = new URL(address)
        calls.push(pathname)
        const isLogin = pathname === '/v3/auth/tokens' && init.method === 'POST'
        if (isLogin && isPasswordChanged) return new Response('', { status: 401 })
        return await fetch(address, init)
      },
    })
    await revoke((await client.logIn()).secret)
    isPasswordChanged = true
    calls.length = 0
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => client.listRoles()))
    assert.ok(results.every(({ status }) => status === 'rejected'))
    assert.equal(calls.filter((path) => path === '/v3/auth/tokens').length, 1)
    isPasswordChanged = false
    await client.listRoles()
  })

  test('is sent again while Muster does not respond, once for all calls', async () => {
    let failures = 2
    const calls: string[] = []
    const delays: number[] = []
    const client = createClient({
      url: platform.url,
      auth: admin,
      sleep: async (delay) => void delays.push(delay),
      fetch: async (address, init) => {
        calls.push(`${init.method} ${new URL(address).pathname}`)
        if (failures > 0) {
          failures -= 1
          return new Response('', { status: 503 })
        }
        return await fetch(address, init)
      },
    })
    // The login is repeated for a call, too, that is not safe to repeat: it was not sent yet.
    await Promise.all([
      client.createProject({ body: { project: { name: 'after a restart' } } }),
      client.listRoles(),
      client.listUsers(),
    ])
    assert.equal(calls.filter((call) => call === 'POST /v3/auth/tokens').length, 3)
    assert.equal(delays.length, 2)
  })

  test('that goes on failing is not multiplied by the retries of the call', async () => {
    let logins = 0
    const client = createClient({
      url: platform.url,
      auth: admin,
      sleep: async () => {},
      fetch: async () => {
        logins += 1
        return new Response('', { status: 503 })
      },
    })
    await assert.rejects(client.listRoles(), (error) => isApiError(error, 'ServiceUnavailable'))
    assert.equal(logins, 4)
  })

  test('a caller who aborts leaves the shared login to the others', async () => {
    const { client, counted } = connect()
    const abort = new AbortController()
    const left = client.listRoles({ signal: abort.signal })
    const stays = client.listUsers()
    abort.abort()
    await assert.rejects(left, { name: 'AbortError' })
    await stays
    assert.deepEqual(counted.calls, [issued, 'GET /v3/users 200'])
  })

  const credentials = [
    [
      'casTicket',
      casTicket('ST-1', { provider: 'p' }),
      { methods: ['cas'], cas_ticket: { id: 'ST-1', provider: 'p' } },
    ],
    [
      'oidcLogin',
      oidcLogin({ token: 'a.b.c', provider: 'p' }),
      { methods: ['oidc'], credential: { provider: 'p', token: 'a.b.c' } },
    ],
    [
      'workloadLogin',
      workloadLogin({ token: 'a.b.c' }),
      { methods: ['workload'], credential: { token: 'a.b.c' } },
    ],
  ] as const
  for (const [name, auth, identity] of credentials) {
    test(`${name} is sent once: neither after a failure nor after a 401`, async () => {
      const { requests, client } = answerLogins(auth, [503])
      await assert.rejects(client.listRoles(), (error) => isApiError(error, 'ServiceUnavailable'))
      assert.deepEqual(requests, [identity])
      const later = answerLogins(auth, [201])
      await assert.rejects(later.client.listRoles(), (error) =>
        isApiError(error, 'UnauthorizedError'),
      )
      assert.deepEqual(later.requests, [identity])
    })
  }

  for (const [name, login] of [
    ['oidcLogin', oidcLogin],
    ['workloadLogin', workloadLogin],
  ] as const) {
    test(`${name} with a function asks for a new token at each login`, async () => {
      let count = 0
      const auth = login({ token: async () => `token ${(count += 1)}`, scope })
      const { requests, client } = answerLogins(auth, [503, 201])
      await assert.rejects(client.listRoles(), (error) => isApiError(error, 'UnauthorizedError'))
      const sent = requests.map(({ credential }) => credential?.['token'])
      // A failure, a login, and another one after the 401.
      assert.deepEqual(sent, ['token 1', 'token 2', 'token 3'])
    })
  }
})

/** A server that answers logins with these statuses, the last one for ever, and all calls with 401. */
function answerLogins(auth: ReturnType<typeof casTicket>, statuses: readonly number[]) {
  const requests: Identity[] = []
  const client = createClient({
    url: 'http://muster.test',
    auth,
    sleep: async () => {},
    fetch: async (_, { body }) => {
      if (body === undefined) return new Response('', { status: 401 })
      const status = statuses[Math.min(requests.length, statuses.length - 1)] ?? 500
      requests.push((JSON.parse(body) as { auth: { identity: Identity } }).auth.identity)
      return new Response(JSON.stringify({ token: {} }), {
        status,
        headers: {
          'content-type': 'application/json',
          'x-subject-token': `secret ${requests.length}`,
        },
      })
    },
  })
  return { requests, client }
}
