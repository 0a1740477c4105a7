import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EventStore } from '../audit/event-store.ts'
import type { EventRecord } from '../audit/event.ts'
import { loginFailed, PlatformError } from '../error.ts'
import {
  makeDomain,
  makeProject,
  makeRole,
  makeUserStatus,
  makeUser,
  onDomain,
  onProject,
} from '../../testing/identity-world/identity-records.ts'
import { createCacheMemory } from '../cache.ts'
import { createDescribeToken } from './describe-token.ts'
import { createIssueToken } from './issue-token.ts'
import type { AuthMethod, AuthenticationResult } from './methods/auth-method.ts'
import type { TokenRecord } from './records.ts'
import { summarizeUser } from './user-status.ts'

const red = makeProject('red')
const blue = makeProject('blue')
const home = makeDomain('home')
const role = makeRole('owner')
const alice = makeUser('alice', { defaultProjectId: blue.id })
const userStatus = makeUserStatus(
  alice,
  onProject(role, red),
  onProject(role, blue),
  onDomain(role, home),
)
const now = Date.UTC(2026, 0, 1)
const origin = { ip: '192.0.2.1', requestId: 'req-1', isConfidential: true }

interface Frame {
  readonly names?: AuthMethod['names']
  readonly loginLimit?: Parameters<typeof createIssueToken>[0]['loginLimit']
}

/** Issues tokens with a method that returns this result, or fails. */
function issueWith(
  authenticated: Partial<AuthenticationResult> | PlatformError,
  {
    names = ['aksk', 'access_key_secret'],
    loginLimit = { countFailure: () => undefined, isScopeRefusalRecorded: () => true },
  }: Frame = {},
) {
  const written: TokenRecord[] = []
  const told: EventRecord[] = []
  const events: Pick<EventStore, 'record'> = {
    record: async (event) => void told.push(event),
  }
  const method: AuthMethod = {
    names,
    section: 'access_key_secret',
    async authenticate() {
      if (authenticated instanceof PlatformError) throw authenticated
      return { user: summarizeUser(userStatus), ...authenticated }
    },
  }
  const issueToken = createIssueToken({
    methods: [method],
    findUserStatus: async () => userStatus,
    tokens: {
      async insert(token, _grounds, event) {
        told.push(event)
        return written.push(token) > 0
      },
      useOnce: async () => true,
      find: async () => undefined,
      revoke: async () => {},
      purgeExpired: async () => {},
    },
    events: events as EventStore,
    loginLimit,
    describeToken: createDescribeToken([], createCacheMemory(0)),
    clock: () => now,
    lifetime: 86_400_000,
  })
  const identity = { methods: [names[0]], access_key_secret: 'x' }
  return {
    written,
    told,
    issue: async (scope?: object) =>
      await issueToken({ auth: { identity, ...(scope && { scope }) } }, origin),
  }
}

/** The audit event of an attempt. */
const outcomes = (events: readonly EventRecord[]) =>
  events.map(({ action, user_id, result, project_id }) => [action, user_id, result, project_id])

const isLoginFailure = (error: unknown) =>
  error instanceof PlatformError && error.class === 'UnauthorizedError'

describe('a credential with a scope of its own', () => {
  const own = { scope: { kind: 'project', id: red.id } } as const

  test('SEC-08 gets that scope, whatever the default project', async () => {
    const { issue, told } = issueWith(own)
    const { token } = await issue()
    assert.equal(token.project.Id, red.id)
    assert.deepEqual(token.methods, ['aksk'])
    assert.deepEqual(outcomes(told), [['login', alice.id, 'success', red.id]])
  })

  test('SEC-08 may name it, by id or by name', async () => {
    for (const project of [{ id: red.id }, { name: 'RED', domain: { name: 'home' } }]) {
      const { token } = await issueWith(own).issue({ project })
      assert.equal(token.project.Id, red.id)
    }
  })

  test('SEC-08 gets no other, though the user holds it', async () => {
    for (const scope of [{ project: { id: blue.id } }, { domain: { id: home.id } }]) {
      const { issue, written, told } = issueWith(own)
      await assert.rejects(issue(scope), isLoginFailure)
      assert.deepEqual(written, [])
      assert.deepEqual(outcomes(told), [['login', alice.id, 'failure', '']])
    }
  })

  test('SEC-08 gets nothing once the user has lost it', async () => {
    const lost = { scope: { kind: 'project', id: 'project-gone' } } as const
    await assert.rejects(issueWith(lost).issue(), isLoginFailure)
  })
})

describe('an access key', () => {
  test('is told of in the token, without its secret', async () => {
    const accessKey = { id: 'key-1', expiresAt: now + 5_000, restriction: null }
    const { issue, written } = issueWith({ accessKey, expiresAt: accessKey.expiresAt })
    const { token } = await issue()
    assert.deepEqual(token.access_key, {
      AccessKey: 'key-1',
      expire: (now + 5_000) / 1_000,
      secret: '',
    })
    assert.equal(written[0]?.expiresAt, accessKey.expiresAt)
    assert.deepEqual(written[0]?.accessKey, accessKey)
  })

  test('that never ends has 0 for an end', async () => {
    const { token } = await issueWith({
      accessKey: { id: 'key-1', expiresAt: null, restriction: null },
    }).issue()
    assert.equal(token.access_key.expire, 0)
  })
})

describe('a failed login', () => {
  const refusal = new PlatformError('TooManyRequests', 'Too many failed logins.')
  for (const name of ['password', 'token', 'aksk', 'cas'] as const) {
    for (const user of [undefined, summarizeUser(userStatus)]) {
      for (const isLimited of [false, true]) {
        // A valid token that is refused a scope is limited per user, everything else per address.
        const isScopeRefusal = name === 'token' && user !== undefined
        const isRecorded = !isLimited || (name === 'password' && user !== undefined)
        const title = `${name} of ${user ? 'a known' : 'an unknown'} user, ${isLimited ? 'over' : 'within'} the limit`
        test(`${title}: ${isRecorded ? 'recorded' : 'not recorded'}`, async () => {
          const counted: unknown[][] = []
          const { issue, told, written } = issueWith(loginFailed('wrong', user), {
            names: [name],
            loginLimit: {
              countFailure(...call) {
                counted.push(call)
                return isLimited ? refusal : undefined
              },
              isScopeRefusalRecorded: (id) => id === alice.id && !isLimited,
            },
          })
          await assert.rejects(issue(), (error) =>
            isLimited && !isScopeRefusal ? error === refusal : isLoginFailure(error),
          )
          assert.deepEqual(counted, isScopeRefusal ? [] : [[name, origin.ip, user?.id ?? '']])
          const event = ['login', user?.id ?? '', 'failure', '']
          assert.deepEqual(outcomes(told), isRecorded ? [event] : [])
          assert.equal(written.length, 0)
        })
      }
    }
  }
})
