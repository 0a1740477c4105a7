// @own-process: it replaces a function of argon2 before the server loads it.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { after, before, test } from 'node:test'
import { onEngineOfLane } from '../../testing/lanes.ts'
import type { TestPlatform } from '../../testing/start-platform.ts'

// Wraps the library before the platform loads it, so that a test can act during a password
// comparison, in the middle of a login.
const library = createRequire(import.meta.url)('@node-rs/argon2') as {
  verify: (...parameters: unknown[]) => Promise<boolean>
}
let duringComparison: (() => Promise<unknown>) | undefined
const verify = library.verify
library.verify = async (...parameters) => {
  const matches = await verify(...parameters)
  await duringComparison?.()
  return matches
}
const { adminPassword, startPlatform } = await import('../../testing/start-platform.ts')
const { ask, passwordIdentity, requestToken, secretOf } = await import('../../testing/client.ts')

onEngineOfLane('a login in progress', (engine) => {
  let platform: TestPlatform
  before(async () => {
    platform = await startPlatform({ engine })
  })
  after(() => platform.close())

  const logIn = () =>
    requestToken(platform.url, { identity: passwordIdentity('sysadmin', adminPassword) })
  const statusOf = async (token: string) =>
    (await ask(platform.url, '/v3/auth/projects', { token })).status

  /** Like any password change: the new hash and the end of all tokens in one commit. */
  function changePassword() {
    duringComparison = undefined
    const { db, commitIdentity } = platform.database
    return commitIdentity([
      db.updateTable('users').set({ password_hash: 'of a new password' }).compile(),
      db.deleteFrom('tokens').compile(),
    ])
  }

  test('SEC-02: with the old password fails if the password changes meanwhile', async () => {
    assert.equal(await statusOf(secretOf(await logIn())), 200)
    duringComparison = changePassword
    const answer = await logIn()
    assert.equal(duringComparison, undefined, 'the change came in the middle')
    const token = answer.headers.get('x-subject-token')
    if (token !== null) assert.equal(await statusOf(token), 401, 'its token is good')
    else assert.equal(answer.status, 401)
  })
})
