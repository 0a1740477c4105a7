import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { operations, type Operation } from '@muster/contract'
import { hash } from '@node-rs/argon2'
import { callOperation } from '../../testing/call-operation.ts'
import {
  ask,
  loginAdmin,
  passwordIdentity,
  requestToken,
  secretOf,
  systemProject,
  tokenIdentity,
  type ClientResponse,
} from '../../testing/client.ts'
import { sampleOperations } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import {
  createOperationFixtures,
  type OperationFixtures,
} from '../../testing/platform-world/operation-fixtures.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'
import { testPasswordCost } from '../../testing/password-cost.ts'

const all: readonly Operation[] = operations
const password = 'a password of nobody special'

let platform: TestPlatform
let url: string
let admin: string
let adminId: string
let systemId: string
let plain: string
let fixtures: OperationFixtures
/** The claimed identity. */
let forged: Record<string, string>

before(async () => {
  // A token contains the time; a fixed clock gives the same bytes.
  const now = Date.now()
  platform = await startPlatform({ clock: () => now })
  url = platform.url
  admin = await loginAdmin(url)
  const { body } = await requestToken(url, { identity: tokenIdentity(admin), scope: systemProject })
  adminId = body.token.user.Id
  systemId = body.token.project.Id
  fixtures = await createOperationFixtures(platform, admin)

  const identities = createIdentityWorld(platform.database)
  const projectId = await identities.addProject('plain')
  const userId = await identities.addUser({
    name: 'plain',
    passwordHash: await hash(password, testPasswordCost),
  })
  await identities.assign({ role: 'project_viewer', userId, projectId })
  plain = secretOf(
    await requestToken(url, {
      identity: passwordIdentity('plain', password),
      scope: { project: { id: projectId } },
    }),
  )
  forged = {
    'x-identity-status': 'Confirmed',
    'x-service-identity-status': 'Confirmed',
    'x-user-id': adminId,
    'x-user-name': 'sysadmin',
    'x-user': 'sysadmin',
    'x-roles': 'admin,project_owner',
    'x-role': 'admin',
    'x-project-id': systemId,
    'x-project-name': 'system',
    'x-tenant-id': systemId,
    'x-domain-id': 'default',
    'x-user-domain-id': 'default',
    'x-is-admin-project': 'True',
    'x-system-scope': 'all',
    'openstack-system-scope': 'all',
    'x-service-token': admin,
    'x-remote-user': 'sysadmin',
    'remote-user': 'sysadmin',
    'x-forwarded-user': 'sysadmin',
    'x-auth-request-user': 'sysadmin',
    'x-original-url': '/v3',
    'x-rewrite-url': '/v3',
    'x-muster-user-id': adminId,
    principal: adminId,
  }
})
after(() => platform.close())

describe('SEC-10 forged identity headers', () => {
  for (const operation of sampleOperations(all)) {
    test(`SEC-10 do not change a byte of ${operation.id}`, async () => {
      for (const token of [undefined, plain, admin]) {
        const answers = []
        for (const headers of [{}, forged]) {
          const { token: own, ...prepared } = await fixtures.prepare(operation)
          const caller = token === admin ? own : await callerFor(operation, token)
          const options = { ...prepared, ...(caller !== undefined && { token: caller }), headers }
          answers.push(stripFresh(await callOperation<unknown>(url, operation, options)))
        }
        if (operation.id === 'showMetrics') continue
        assert.deepEqual(answers[1], answers[0])
      }
    })
  }

  test('SEC-10 do not show a token of another user', async () => {
    for (const method of ['GET', 'DELETE']) {
      const headers = { ...forged, 'x-subject-token': admin }
      const answer = await ask(url, '/v3/auth/tokens', { method, token: plain, headers })
      assertError(answer, 'ResourceNotFoundError')
    }
    assert.equal((await ask(url, '/v3/auth/projects', { token: admin })).status, 200)
  })

  test('SEC-10 do not open a protected route', async () => {
    for (const operation of all.filter(({ access }) => access === 'token')) {
      const { status } = await callOperation(url, operation, { headers: forged })
      assert.equal(status, 401, operation.id)
    }
  })

  test('SEC-10 do not open metrics to forwarded clients', async () => {
    const headers = { ...forged, 'x-forwarded-for': '127.0.0.1' }
    assertError(await ask(url, '/metrics', { headers }), 'UnauthorizedError')
    assertError(await ask(url, '/metrics', { headers, token: plain }), 'ForbiddenError')
  })
})

const forgedKeys = [
  'target',
  'user_id',
  'project_id',
  'domain_id',
  'roles',
  'is_admin',
  'is_admin_project',
  'system',
  'enabled',
  'expires_at',
  'constructor',
]

describe('SEC-10 unknown keys of a body', () => {
  const places: Record<string, (extra: object) => object> = {
    body: (extra) => ({ auth: { identity: tokenIdentity(plain) }, ...extra }),
    auth: (extra) => ({ auth: { identity: tokenIdentity(plain), ...extra } }),
    'auth.identity': (extra) => ({ auth: { identity: { ...tokenIdentity(plain), ...extra } } }),
    'auth.identity.token': (extra) => ({
      auth: { identity: { methods: ['token'], token: { id: plain, ...extra } } },
    }),
    'auth.scope': (extra) => ({ auth: { identity: tokenIdentity(plain), scope: extra } }),
    'auth.scope.project': (extra) => ({
      auth: { identity: tokenIdentity(plain), scope: { project: { id: systemId, ...extra } } },
    }),
    'auth.context': (extra) => ({ auth: { identity: tokenIdentity(plain), context: extra } }),
  }
  for (const [place, bodyWith] of Object.entries(places)) {
    test(`SEC-10 are rejected in ${place}`, async () => {
      for (const key of forgedKeys) {
        const body = bodyWith({ [key]: adminId })
        const answer = await ask(url, '/v3/auth/tokens', { method: 'POST', body })
        assertError(answer, 'InputParameterError', 'application/json')
      }
      const proto = JSON.stringify(bodyWith({ key: 1 })).replace('"key":1', '"__proto__":{"id":1}')
      const answer = await ask(url, '/v3/auth/tokens', { method: 'POST', body: proto })
      assertError(answer, 'InputParameterError', 'application/json')
    })
  }
})

describe('SEC-10 unknown query parameters', () => {
  for (const operation of sampleOperations(all)) {
    test(`SEC-10 are rejected by ${operation.id}`, async () => {
      const known = Object.keys(operation.query?.properties ?? {})
      for (const key of [...forgedKeys, '__proto__'].filter((name) => !known.includes(name))) {
        const query = `?${key}=${adminId}`
        const { status } = await callOperation(url, operation, { token: admin, query })
        assert.equal(status, 400, key)
        // Callers without permission are denied first.
        const { status: unprivileged } = await callOperation(url, operation, {
          token: plain,
          query,
        })
        assert.ok(unprivileged === 400 || unprivileged === 403, `${key}: ${unprivileged}`)
      }
    })
  }
})

/** The operation that revokes the token it is called with. */
const callerFor = async ({ id }: Operation, token: string | undefined) =>
  id === 'revokeToken' && token !== undefined
    ? secretOf(await requestToken(url, { identity: tokenIdentity(token) }))
    : token

/** Removes tokens and new ids, which differ each time; the rest must be equal. */
function stripFresh(answer: ClientResponse) {
  const { headers, text, status } = comparableParts(answer)
  const isFresh = status === 201 || status === 202
  const [thing] = isFresh ? Object.values(answer.body as Record<string, Made>) : []
  const tags = (answer.body as { metadata?: Record<string, string> } | undefined)?.metadata
  const blob = thing?.blob && JSON.stringify(thing.blob)
  const generated = [thing?.id, thing?.name, thing?.secret, blob, tags?.['user:note']]
  return {
    status,
    // A duration of 9 ms is a byte shorter than one of 10 ms.
    headers: headers.filter(([name]) => name !== 'x-subject-token' && name !== 'content-length'),
    text: generated
      .reduce<string>((rest, part) => (part ? rest.replaceAll(part, '') : rest), text)
      // A new value each time, so that there is a change.
      .replace(/"(?:period":\d+|q":"[0-9a-f]{32}")/, '')
      // The sync of a server may finish before or after the response.
      .replace(/,"sys:synced_at":"[^"]+"/, ''),
  }
}

interface Made {
  readonly id?: string
  readonly name?: string
  readonly blob?: string
  readonly secret?: string
}
