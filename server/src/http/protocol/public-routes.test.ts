import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { operations, type Operation } from '@muster/contract'
import { hash } from '@node-rs/argon2'
import { callOperation, pathOf, renewToken } from '../../testing/call-operation.ts'
import { ask, loginAdmin, passwordIdentity, requestToken, secretOf } from '../../testing/client.ts'
import { assertError } from '../../testing/assert-error.ts'
import { sampleOperations } from '../../testing/lanes.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { askRaw } from '../../testing/raw-socket.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { testPasswordCost } from '../../testing/password-cost.ts'

/** The only routes that need no token. */
const publicRoutes = new Set([
  'GET /',
  'GET /v3',
  'GET /v3/auth/device_logins',
  'POST /v3/auth/password',
  'POST /v3/auth/tokens',
  'GET /healthz',
  'GET /readyz',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/reference.js',
])
const loopbackRoutes = new Set(['GET /metrics'])

const all: readonly Operation[] = operations
const nameOf = ({ method, path }: Operation) => `${method} ${path}`
const closed = all.filter(
  (operation) => !publicRoutes.has(nameOf(operation)) && !loopbackRoutes.has(nameOf(operation)),
)

let now = Date.now()
let platform: TestPlatform
let url: string
let token: string
let revoked: string
let ending: string
before(async () => {
  platform = await startPlatform({ clock: () => now })
  url = platform.url
  token = await loginAdmin(url)
  ending = await renewToken(url, token)
  revoked = await renewToken(url, token)
  const options = { method: 'DELETE', token, headers: { 'x-subject-token': revoked } }
  assert.equal((await ask(url, '/v3/auth/tokens', options)).status, 204)
})
after(() => platform.close())

const refuse = async (operation: Operation, options: Parameters<typeof callOperation>[2]) => {
  const answer = await callOperation(url, operation, options)
  if (operation.method === 'HEAD') assert.equal(answer.status, 401)
  else assertError(answer, 'UnauthorizedError')
}

describe('SEC-12 the list of public routes', () => {
  test('SEC-12 matches the contract', () => {
    const byAccess = Map.groupBy(all, ({ access }) => access)
    assert.deepEqual(byAccess.get('public')?.map(nameOf).sort(), [...publicRoutes].sort())
    assert.deepEqual(byAccess.get('loopback')?.map(nameOf).sort(), [...loopbackRoutes].sort())
    assert.deepEqual(byAccess.get('token')?.map(nameOf).sort(), closed.map(nameOf).sort())
  })

  for (const operation of all.filter((operation) => publicRoutes.has(nameOf(operation)))) {
    test(`SEC-12 ${nameOf(operation)} answers without a token`, async () => {
      const { status, text } = await callOperation(url, operation)
      // The example's link is refused: the request itself is not.
      const isRefusedLink = operation.id === 'setFirstPassword' && text.includes('The link is')
      assert.ok(operation.responses[status] ?? isRefusedLink, text)
    })
  }

  for (const operation of closed) {
    test(`SEC-12 ${nameOf(operation)} needs a token`, async () => {
      await refuse(operation, {})
      await refuse(operation, { token: '' })
      await refuse(operation, { token: 'nonsense' })
      await refuse(operation, { token: `${token}x` })
      await refuse(operation, { token: `Bearer ${token}` })
    })
  }

  for (const operation of sampleOperations(closed)) {
    test(`SEC-12 ${nameOf(operation)} accepts the token in X-Auth-Token only`, async () => {
      const elsewhere = [
        { authorization: `Bearer ${token}` },
        { authorization: token },
        { 'x-subject-token': token },
        { 'x-storage-token': token },
        { 'x-service-token': token },
        { cookie: `X-Auth-Token=${token}; __Host-muster=${token}; muster_session=${token}` },
      ]
      for (const headers of elsewhere) await refuse(operation, { headers })
      const inQuery = await callOperation(url, operation, { query: `?X-Auth-Token=${token}` })
      assert.equal(inQuery.status, 401)
    })

    test(`SEC-12 ${nameOf(operation)} rejects an expired or revoked token`, async () => {
      await refuse(operation, { token: revoked })
      const today = now
      now += 24 * 3_600_000
      try {
        await refuse(operation, { token: ending })
      } finally {
        now = today
      }
    })
  }

  test('SEC-12 two token headers are rejected, even if identical', async () => {
    const head = ['GET /v3/auth/projects HTTP/1.1', 'Host: localhost', `X-Auth-Token: ${token}`]
    assert.equal((await askRaw(url, head)).status, 200)
    for (const second of [token, '', 'nonsense']) {
      const answer = await askRaw(url, [...head, `X-Auth-Token: ${second}`])
      assert.equal(answer.status, 401, second)
    }
  })

  test('SEC-12 a CORS preflight is not allowed', async () => {
    for (const operation of closed) {
      const answer = await ask(url, pathOf(operation), {
        method: 'OPTIONS',
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'GET' },
      })
      assert.equal(answer.status, 405)
      assert.equal(answer.headers.get('access-control-allow-origin'), null)
    }
  })
})

describe('SEC-12 /metrics', () => {
  const forwarded = { 'x-forwarded-for': '127.0.0.1' }
  const metrics = (options: Parameters<typeof ask>[2]) => ask(url, '/metrics', options)

  test('SEC-12 is open to the local machine without a token', async () => {
    const answer = await metrics({})
    assert.equal(answer.status, 200)
    assert.match(answer.text, /^muster_http_request_duration_seconds_count/m)
  })

  test('SEC-12 requires a token from forwarded clients', async () => {
    for (const headers of [
      forwarded,
      { 'x-forwarded-for': '' },
      { 'x-forwarded-for': '::1' },
      { forwarded: 'for=127.0.0.1' },
    ]) {
      assertError(await metrics({ headers }), 'UnauthorizedError')
      assert.equal((await metrics({ headers, token })).status, 200)
    }
  })

  test('SEC-12 requires a token with permission', async () => {
    const identities = createIdentityWorld(platform.database)
    const passwordHash = await hash('a password to count by', testPasswordCost)
    const projectId = await identities.addProject('counted')
    const tokenOf = async (name: string, systemRole: string | undefined, scoped = true) => {
      const userId = await identities.addUser({ name, passwordHash })
      await identities.assign({ role: 'project_owner', userId, projectId })
      if (systemRole !== undefined) await identities.assign({ role: systemRole, userId })
      const identity = passwordIdentity(name, 'a password to count by')
      const scope = scoped ? { project: { id: projectId } } : undefined
      return secretOf(await requestToken(url, { identity, scope }))
    }
    const asked = async (secret: string) =>
      (await metrics({ headers: forwarded, token: secret })).status

    assert.equal(await asked(await tokenOf('auditor-of-all', 'auditor')), 200)
    assert.equal(await asked(await tokenOf('owner', undefined)), 403)
    // A system role applies in project-scoped tokens only.
    assert.equal(await asked(await tokenOf('auditor-unscoped', 'auditor', false)), 403)
    const refused = await metrics({
      headers: forwarded,
      token: await tokenOf('owner-2', undefined),
    })
    assertError(refused, 'ForbiddenError')
  })

  test('SEC-12 has no caller names in its labels', async () => {
    await ask(url, '/a-path-that-nobody-knows')
    const { text } = await metrics({})
    assert.ok(!text.includes('a-path-that-nobody-knows'))
    assert.ok(!text.includes('sysadmin'))
  })
})
