import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { timestamp } from '../../domain/timestamp.ts'
import {
  ask,
  passwordIdentity,
  requestToken,
  secretOf,
  systemProject,
  tokenIdentity,
} from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { adminPassword, startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const hour = 3_600_000
const lifetime = 24 * hour

interface Issued {
  readonly secret: string
  readonly end: number
}

onEngineOfLane('token lifetime', (engine) => {
  let platform: TestPlatform
  let url: string
  let now = Date.UTC(2026, 0, 1)
  before(async () => {
    platform = await startPlatform({
      engine,
      clock: () => now,
      // The chains below fail more often than the limit per address allows.
      flags: ['--login-failures-per-minute=0'],
    })
    url = platform.url
  })
  after(() => platform.close())

  const statusOf = async (token: string) => (await ask(url, '/v3/auth/projects', { token })).status
  const statusesOf = (chain: readonly Issued[]) =>
    Promise.all(chain.map(({ secret }) => statusOf(secret)))
  const rescope = (secret: string, scope?: unknown) =>
    requestToken(url, { identity: tokenIdentity(secret), ...(scope !== undefined && { scope }) })

  async function logIn(): Promise<Issued> {
    const answer = await requestToken(url, {
      identity: passwordIdentity('sysadmin', adminPassword),
      scope: systemProject,
    })
    assert.equal(answer.body.token.expires_at, timestamp(now + lifetime))
    return { secret: secretOf(answer), end: now + lifetime }
  }

  const anyStep = fc.record({
    // Mostly forwards; setting the clock back must not extend a lifetime either.
    pass: fc.integer({ min: -2 * hour, max: 6 * hour }),
    from: fc.nat(),
    scope: fc.constantFrom(undefined, systemProject),
  })

  test('SEC-01: no derived token outlives the original login', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 1, maxLength: 20 }), async (steps) => {
        const root = await logIn()
        const chain = [root]
        for (const { pass, from, scope } of steps) {
          now += pass
          const parent = chain[chain.length - 1 - (from % chain.length)] ?? root
          const answer = await rescope(parent.secret, scope)
          if (now >= parent.end) {
            assert.equal(answer.status, 401)
            continue
          }
          const end = Math.min(now + lifetime, parent.end)
          assert.equal(answer.status, 201)
          assert.equal(answer.body.token.expires_at, timestamp(end))
          assert.ok(end <= root.end)
          chain.push({ secret: secretOf(answer), end })
        }
        now = root.end - 1
        assert.deepEqual(
          await statusesOf(chain),
          chain.map(({ end }) => (end > now ? 200 : 401)),
        )
        now = root.end
        assert.deepEqual(
          await statusesOf(chain),
          chain.map(() => 401),
        )
        for (const { secret } of chain) assert.equal((await rescope(secret)).status, 401)
      }),
      { numRuns: 12 },
    )
  })

  test('SEC-01: no token outlives its user', async () => {
    const end = now + hour
    const userId = await createIdentityWorld(platform.database).addUser({
      name: 'seasonal',
      expiresAt: end,
    })
    const planted = await insertToken(platform.database, {
      userId,
      issuedAt: now,
      expiresAt: now + lifetime,
    })
    const answer = await rescope(planted)
    assert.equal(answer.body.token.expires_at, timestamp(end))
    now = end - 1
    assert.equal(await statusOf(planted), 200)
    now = end
    // Nothing was written, so no event was sent: only the clock ends it.
    assert.equal(await statusOf(planted), 401)
    assert.equal(await statusOf(secretOf(answer)), 401)
    assert.equal((await rescope(planted)).status, 401)
  })

  test('SEC-01: the number of derivations is limited, so that one statement can revoke them all', async () => {
    const userId = await createIdentityWorld(platform.database).addUser({ name: 'persistent' })
    const planted = await insertToken(platform.database, {
      userId,
      generation: 499,
      issuedAt: now,
      expiresAt: now + lifetime,
    })
    const last = secretOf(await rescope(planted))
    assert.equal(await statusOf(last), 200)
    assert.equal((await rescope(last)).status, 401)
  })
})
