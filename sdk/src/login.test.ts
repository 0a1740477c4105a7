import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { adminPassword, startPlatform } from '../../server/src/testing/start-platform.ts'
import type { TestPlatform } from '../../server/src/testing/start-platform.ts'
import { createClient, isApiError, passwordLogin, tokenAuth, accessKeyLogin } from './index.ts'
import { createCountedFetch } from './testing/counted-fetch.ts'

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
})
