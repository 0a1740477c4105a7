import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { hash } from '@node-rs/argon2'
import { onEngineOfLane } from '../../testing/lanes.ts'
import {
  pollForValue,
  grantPath,
  openIdentityApi,
  type IdentityApi,
} from '../../testing/identity-world/open-identity-api.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import {
  addTokenHolder,
  logInByKey,
  rescope,
  statusOf,
  type TokenHolder,
  type TokenName,
} from '../../testing/identity-world/token-holder.ts'
import { testPasswordCost } from '../../testing/password-cost.ts'

const password = 'tussocky moorland'

/** The request; sent by the administrator by default. */
type Request = readonly [method: string, path: string, body?: object, token?: string]

interface Change {
  readonly sends: (holder: TokenHolder) => Request[]
  readonly ends: readonly TokenName[]
  /** Whether a login with the access key still works. */
  readonly keyLogin?: 'ends'
  /** Whether a valid token can still be exchanged for one of the project. */
  readonly entry?: 'ends'
  /** The request that reverts the change, if possible. */
  readonly undo?: (holder: TokenHolder) => Request
}

const byKey: readonly TokenName[] = ['byKey', 'childByKey']
const byProvider: readonly TokenName[] = ['byProvider', 'childByProvider']
const ofProject: readonly TokenName[] = ['inProject', 'child', ...byKey, ...byProvider]
const ofDomain: readonly TokenName[] = ['inDomain', ...ofProject]
const every: readonly TokenName[] = ['unscoped', ...ofDomain]
const noEntry = { keyLogin: 'ends', entry: 'ends' } as const

const enable = (kind: string, key: string, id: string, enabled: boolean): Request => [
  'PUT',
  `/v3/${kind}/${id}`,
  { [key]: { enabled } },
]
const switched = (kind: string, key: string, id: (holder: TokenHolder) => string) => ({
  sends: (holder: TokenHolder) => [enable(kind, key, id(holder), false)],
  undo: (holder: TokenHolder) => enable(kind, key, id(holder), true),
})
const removed = (path: (holder: TokenHolder) => string) => ({
  sends: (holder: TokenHolder): Request[] => [['DELETE', path(holder)]],
})
const afterDisabling = (domain: (holder: TokenHolder) => string) => ({
  sends: (holder: TokenHolder): Request[] => [
    enable('domains', 'domain', domain(holder), false),
    ['DELETE', `/v3/domains/${domain(holder)}`],
  ],
})

const changes: Record<string, Change> = {
  'the user is disabled': {
    ...switched('users', 'user', ({ userId }) => userId),
    ends: every,
    ...noEntry,
  },
  'the user is deleted': {
    ...removed(({ userId }) => `/v3/users/${userId}`),
    ends: every,
    ...noEntry,
  },
  'the user expires': {
    sends: ({ userId }) => [
      ['PUT', `/v3/users/${userId}`, { user: { expires_at: '2020-01-01T00:00:00Z' } }],
    ],
    ends: every,
    ...noEntry,
  },
  'the password is set': {
    sends: ({ userId }) => [['PUT', `/v3/users/${userId}`, { user: { password: `${password}s` } }]],
    ends: every,
  },
  'the password is removed': {
    sends: ({ userId }) => [['PUT', `/v3/users/${userId}`, { user: { password: null } }]],
    ends: every,
  },
  'the user changes their password': {
    sends: ({ userId, tokens }) => [
      [
        'POST',
        `/v3/users/${userId}/password`,
        { user: { original_password: password, password: `${password}s` } },
        tokens.unscoped,
      ],
    ],
    ends: every,
  },
  "the user's domain is disabled": {
    ...switched('domains', 'domain', ({ userDomain }) => userDomain),
    ends: every,
    ...noEntry,
  },
  "the user's domain is deleted": {
    ...afterDisabling(({ userDomain }) => userDomain),
    ends: every,
    ...noEntry,
  },
  "the project's domain is disabled": {
    ...switched('domains', 'domain', ({ projectDomain }) => projectDomain),
    ends: ofDomain,
    ...noEntry,
  },
  "the project's domain is deleted": {
    ...afterDisabling(({ projectDomain }) => projectDomain),
    ends: ofDomain,
    ...noEntry,
  },
  'the project is disabled': {
    ...switched('projects', 'project', ({ project }) => project),
    ends: ofProject,
    ...noEntry,
  },
  'the project is deleted': {
    ...removed(({ project }) => `/v3/projects/${project}`),
    ends: ofProject,
    ...noEntry,
  },
  'the role in the project is revoked': {
    ...removed(({ projectRole, userId, project }) =>
      grantPath(projectRole, { user: userId }, { project }),
    ),
    ends: ofProject,
    ...noEntry,
  },
  'the role in the domain is revoked': {
    ...removed(({ domainRole, userId, projectDomain }) =>
      grantPath(domainRole, { user: userId }, { domain: projectDomain }),
    ),
    ends: ['inDomain'],
  },
  'the role in the project is deleted': {
    ...removed(({ projectRole }) => `/v3/roles/${projectRole}`),
    ends: ofProject,
    ...noEntry,
  },
  'the access key is disabled': {
    ...switched('credentials', 'credential', ({ keyId }) => keyId),
    ends: byKey,
    keyLogin: 'ends',
  },
  'the access key is deleted': {
    ...removed(({ keyId }) => `/v3/credentials/${keyId}`),
    ends: byKey,
    keyLogin: 'ends',
  },
  'the identity provider is disabled': {
    ...switched('identity_providers', 'identity_provider', ({ provider }) => provider),
    ends: byProvider,
  },
  'the identity provider is deleted': {
    ...removed(({ provider }) => `/v3/identity_providers/${provider}`),
    ends: byProvider,
  },
}

onEngineOfLane('tokens and access key logins end', (engine) => {
  let platform: TestPlatform
  let beside: TestPlatform | undefined
  let identityApi: IdentityApi
  let passwordHash: string
  before(async () => {
    platform = await startPlatform({ engine, flags: ['--login-failures-per-minute=0'] })
    // SQLite is for one process; PostgreSQL is shared.
    if (engine === 'postgres') beside = await startPlatform({ engine, beside: platform })
    identityApi = await openIdentityApi(platform)
    // The cheapest argon2 parameters: the password is changed once.
    passwordHash = await hash(password, testPasswordCost)
  })
  after(async () => {
    await beside?.close()
    await platform.close()
  })

  async function send([method, path, body, token = identityApi.admin]: Request): Promise<void> {
    const answer = await identityApi.call(token, method, path, body)
    assert.ok(answer.status === 200 || answer.status === 204, `${method} ${path}: ${answer.text}`)
  }

  /** All tokens but these are valid: at once in this process, within five seconds in the other. */
  async function assertEnded({ tokens }: TokenHolder, ended: readonly TokenName[]): Promise<void> {
    const wanted = every.map((name) => (ended.includes(name) ? 401 : 200))
    const lookAt = (url: string) => Promise.all(every.map((name) => statusOf(url, tokens[name])))
    assert.deepEqual(await lookAt(platform.url), wanted, 'on this node, at the next request')
    if (!beside) return
    const node = beside.url
    const found = await pollForValue(
      () => lookAt(node),
      (statuses) => isDeepStrictEqual(statuses, wanted),
    )
    assert.deepEqual(found, wanted, 'on the other node, in 5 seconds')
  }

  /** Asserts which logins still work in each process. */
  async function assertLogins(holder: TokenHolder, key: number, entry: number): Promise<void> {
    for (const node of [platform, beside]) {
      if (!node) continue
      assert.equal((await logInByKey(node.url, holder)).status, key, 'by the access key')
      const entering = await rescope(node.url, holder.tokens.unscoped, holder.project)
      assert.equal(entering.status, entry, 'into the project')
    }
  }

  for (const [what, change] of Object.entries(changes)) {
    test(`SEC-02, SEC-04, SEC-33: when ${what}`, async () => {
      const [holder, bystander] = [
        await addTokenHolder(identityApi, passwordHash),
        await identityApi.addCaller(),
      ]
      const { ends, keyLogin, entry, undo } = change
      await assertEnded(holder, [])
      for (const request of change.sends(holder)) await send(request)

      await assertEnded(holder, ends)
      const canEnter = entry === undefined && !ends.includes('unscoped')
      const [key, door] = [keyLogin === 'ends' ? 401 : 201, canEnter ? 201 : 401]
      await assertLogins(holder, key, door)
      assert.equal(await statusOf(platform.url, bystander.token), 200)

      if (!undo) return
      await send(undo(holder))
      const isOpen = (status: number) => status === 201
      const node = beside ?? platform
      await pollForValue(async () => (await logInByKey(node.url, holder)).status, isOpen)
      await assertEnded(holder, ends)
      await assertLogins(holder, 201, ends.includes('unscoped') ? 401 : 201)
    })
  }
})
