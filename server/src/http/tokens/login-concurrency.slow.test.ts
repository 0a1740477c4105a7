import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hash } from '@node-rs/argon2'
import { passwordIdentity, requestToken } from '../../testing/client.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { assertError } from '../../testing/assert-error.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { defaultPasswordCost } from '../../vault/password-hasher.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const password = 'the right password'

/** The whole product with argon2 and its queue. */
onPostgresFirst('concurrent password logins', (engine) => {
  let platform: TestPlatform
  before(async () => {
    // The clock is fixed, so that a delayed user stays delayed.
    const now = Date.now()
    platform = await startPlatform({
      engine,
      clock: () => now,
      flags: ['--login-failures-per-minute=0'],
      passwordCost: defaultPasswordCost,
    })
    const identities = createIdentityWorld(platform.database)
    const passwordHash = await hash(password)
    for (const name of ['right', 'guessed']) await identities.addUser({ name, passwordHash })
  })
  after(() => platform.close())

  const loginMany = (name: string, times: number, passwordOf: (index: number) => string) =>
    Promise.all(
      Array.from({ length: times }, (_, index) =>
        requestToken(platform.url, { identity: passwordIdentity(name, passwordOf(index)) }),
      ),
    )

  test('SEC-22 60 concurrent correct logins of one user count no failure', async () => {
    const answers = await loginMany('right', 60, () => password)
    for (const answer of answers) {
      if (answer.status !== 201) assertError(answer, 'ServiceUnavailable', 'application/json')
    }
    assert.ok(answers.filter(({ status }) => status === 201).length >= 40)
  })

  test('SEC-22 80 concurrent wrong logins count ten failures', async () => {
    const answers = await loginMany('guessed', 80, (index) => `guess ${index}`)
    for (const answer of answers) {
      const errorClass = answer.status === 503 ? 'ServiceUnavailable' : 'UnauthorizedError'
      assertError(answer, errorClass, 'application/json')
    }
    const rows = await platform.database.db
      .selectFrom('login_attempts')
      .where('failures', '>', 0)
      .selectAll()
      .execute()
    assert.equal(rows.length, 1)
    assert.deepEqual([rows[0]?.failures, rows[0]?.pending], [10, 0])
    assert.equal((await loginMany('guessed', 1, () => password))[0]?.status, 401)
  })
})
