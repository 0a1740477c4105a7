import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ask, requestToken, secretOf, tokenIdentity } from '../../testing/client.ts'
import {
  plainHash,
  startMeasuredLogins,
  type MeasuredLogins,
} from '../../testing/identity-world/measured-logins.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'

const password = 'the right password'
const start = Date.now()

type User = Record<string, unknown>
const login = (user: User, scope?: unknown) => ({
  identity: { methods: ['password'], password: { user: { password, ...user } } },
  ...(scope !== undefined && { scope }),
})

/** Users, projects and domains, each with a reason to fail. */
async function populate(platform: TestPlatform) {
  const identities = createIdentityWorld(platform.database)
  const { change } = identities
  const { db } = platform.database
  const passwordHash = plainHash(password)
  const closedDomain = await identities.addDomain('closed')
  const project = await identities.addProject('open')
  const closedProject = await identities.addProject('closed')
  const add = async (name: string, options: object = {}) => {
    const userId = await identities.addUser({ name, passwordHash, ...options })
    await identities.assign({ role: 'project_owner', userId, projectId: project })
    await identities.assign({ role: 'project_owner', userId, projectId: closedProject })
    return userId
  }
  await add('good')
  await add('delayed')
  await add('disabled', { enabled: false })
  await add('ended', { expiresAt: start })
  await add('stale', { passwordExpiresAt: start })
  await add('elsewhere', { domainId: closedDomain })
  const noPassword = await identities.addUser({ name: 'no password' })
  await identities.assign({ role: 'project_owner', userId: noPassword, projectId: project })
  await change(
    db.updateTable('domains').set({ enabled: 0 }).where('id', '=', closedDomain).compile(),
    db.updateTable('projects').set({ enabled: 0 }).where('id', '=', closedProject).compile(),
  )
  return { project, closedProject, closedDomain }
}

onEngineOfLane('a failed login', (engine) => {
  let platform: TestPlatform
  let logins: MeasuredLogins
  let places: Awaited<ReturnType<typeof populate>>
  let now = start
  before(async () => {
    platform = await startPlatform({ engine, clock: () => now })
    logins = await startMeasuredLogins(platform, { clock: () => now })
    places = await populate(platform)
  })
  after(async () => {
    await logins.close()
    await platform.close()
  })

  const send = (auth: unknown) => requestToken(logins.url, auth)
  const failTenTimes = async (user: User) => {
    for (let index = 0; index < 10; index += 1) {
      assert.equal((await send(login({ ...user, password: 'wrong' }))).status, 401)
    }
  }

  test('SEC-20 returns byte-identical responses for every cause', async () => {
    const { project, closedProject, closedDomain } = places
    const good = secretOf(await send(login({ name: 'good' })))
    const revoked = secretOf(await send({ identity: tokenIdentity(good) }))
    await ask(logins.url, '/v3/auth/tokens', {
      method: 'DELETE',
      token: good,
      headers: { 'x-subject-token': revoked },
    })
    await failTenTimes({ name: 'delayed' })

    const causes: Record<string, unknown> = {
      'wrong password': login({ name: 'good', password: 'wrong' }),
      'unknown user': login({ name: 'nobody' }),
      'unknown id': login({ id: 'nobody' }),
      'unknown domain by id': login({ name: 'good', domain: { id: 'nowhere' } }),
      'unknown domain by name': login({ name: 'good', domain: { name: 'nowhere' } }),
      'disabled user': login({ name: 'disabled' }),
      'disabled user, wrong password': login({ name: 'disabled', password: 'wrong' }),
      'disabled domain': login({ name: 'elsewhere', domain: { id: closedDomain } }),
      'disabled domain by name': login({ name: 'elsewhere', domain: { name: 'closed' } }),
      'delayed user': login({ name: 'delayed' }),
      'delayed user, wrong password': login({ name: 'delayed', password: 'wrong' }),
      'expired user': login({ name: 'ended' }),
      'expired password': login({ name: 'stale' }),
      'no password set': login({ name: 'no password' }),
      'password too long': login({ name: 'good', password: 'x'.repeat(1_025) }),
      'unknown user, password too long': login({ name: 'nobody', password: 'x'.repeat(8_000) }),
      'unknown project': login({ name: 'good' }, { project: { id: 'nowhere' } }),
      'project without a role': login(
        { name: 'good' },
        { project: { name: 'system', domain: { id: 'default' } } },
      ),
      'disabled project': login({ name: 'good' }, { project: { id: closedProject } }),
      'unknown domain scope': login({ name: 'good' }, { domain: { id: 'nowhere' } }),
      'domain without a role': login({ name: 'good' }, { domain: { id: 'default' } }),
      'disabled domain scope': login({ name: 'good' }, { domain: { id: closedDomain } }),
      'wrong password and unknown project': login(
        { name: 'good', password: 'wrong' },
        { project: { id: 'nowhere' } },
      ),
      'no token at all': { identity: tokenIdentity('nonsense') },
      'unknown token': { identity: tokenIdentity(`mt1_${'A'.repeat(49)}`) },
      'revoked token': { identity: tokenIdentity(revoked) },
      'token for a disabled project': {
        identity: tokenIdentity(good),
        scope: { project: { id: closedProject } },
      },
      'token for an unknown project': {
        identity: tokenIdentity(good),
        scope: { project: { id: 'nowhere' } },
      },
    }
    const answers = new Map<string, Awaited<ReturnType<typeof send>>>()
    for (const [cause, auth] of Object.entries(causes)) answers.set(cause, await send(auth))

    const [first] = answers.values()
    assert.ok(first)
    assertError(first, 'UnauthorizedError', 'application/json')
    for (const [cause, answer] of answers) {
      assert.deepEqual(comparableParts(answer), comparableParts(first), cause)
    }
    // The same user can log in with valid input.
    assert.equal((await send(login({ name: 'good' }, { project: { id: project } }))).status, 201)
  })

  describe('SEC-21 costs the same', () => {
    /** The work of a login: password comparisons and statements in order. */
    async function workOf(auth: unknown) {
      logins.takeStatements()
      const { counts } = logins
      const { real, decoy } = counts
      const { status } = await send(auth)
      assert.equal(status, 401)
      return {
        comparisons: counts.real - real + counts.decoy - decoy,
        statements: logins.takeStatements(),
      }
    }

    test('SEC-21 for existing and unknown users', async () => {
      now += 3_600_000
      const { closedDomain } = places
      const pairs: [User, User][] = [
        [{ name: 'good' }, { name: 'nobody at all' }],
        [
          { name: 'good', domain: { id: 'default' } },
          { name: 'nobody at all', domain: { id: 'default' } },
        ],
        [
          { name: 'good', domain: { name: 'Default' } },
          { name: 'nobody at all', domain: { name: 'Default' } },
        ],
        [
          { name: 'good', domain: { id: 'default' } },
          { name: 'good', domain: { id: 'nowhere' } },
        ],
        [
          { name: 'good', domain: { name: 'Default' } },
          { name: 'good', domain: { name: 'nowhere' } },
        ],
        [{ name: 'good' }, { name: 'disabled' }],
        [{ name: 'good' }, { name: 'no password' }],
        [{ name: 'good' }, { name: 'ended' }],
        [{ name: 'good' }, { name: 'stale' }],
        [
          { name: 'good', domain: { id: 'default' } },
          { name: 'elsewhere', domain: { id: closedDomain } },
        ],
      ]
      for (const [there, notThere] of pairs) {
        const known = await workOf(login({ ...there, password: 'wrong' }))
        const unknown = await workOf(login({ ...notThere, password: 'wrong' }))
        assert.deepEqual(unknown, known, JSON.stringify(notThere))
        assert.equal(known.comparisons, 1)
        assert.ok(known.statements.length >= 4)
        // Resets the failures, so that there is no delay.
        await send(login({ name: 'good' }))
      }
    })

    test('SEC-21 during the delay too, for every spelling of the user', async () => {
      now += 3_600_000
      const spellings: User[] = [
        {},
        { domain: { id: 'default' } },
        { domain: { name: 'Default' } },
        { domain: { name: ' DEFAULT' } },
        { domain: { id: 'default', name: 'default' } },
      ]
      await failTenTimes({ name: 'delayed' })
      await failTenTimes({ name: 'not there' })
      for (const spelling of spellings) {
        const known = await workOf(login({ name: 'DELAYED ', password: 'wrong', ...spelling }))
        const unknown = await workOf(login({ name: 'NOT THERE ', password: 'wrong', ...spelling }))
        assert.deepEqual(unknown, known, JSON.stringify(spelling))
        assert.equal(known.comparisons, 1)
      }
    })

    test('SEC-21 with a password that is too long: no comparison, for any user', async () => {
      const long = 'x'.repeat(1_025)
      const known = await workOf(login({ name: 'good', password: long }))
      const unknown = await workOf(login({ name: 'nobody at all', password: long }))
      assert.deepEqual(known, { comparisons: 0, statements: ['commit of 1'] })
      assert.deepEqual(unknown, known)
    })
  })
})
