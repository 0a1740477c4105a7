import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { hash } from '@node-rs/argon2'
import { passwordIdentity, requestToken } from '../../testing/client.ts'
import {
  startMeasuredLogins,
  type MeasuredLogins,
} from '../../testing/identity-world/measured-logins.ts'
import { assertError } from '../../testing/assert-error.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import { comparableParts } from '../../testing/comparable-response.ts'
import { testPasswordCost } from '../../testing/password-cost.ts'

describe('SEC-70 long passwords', () => {
  let platform: TestPlatform
  let logins: MeasuredLogins
  before(async () => {
    platform = await startPlatform()
    logins = await startMeasuredLogins(platform)
  })
  after(async () => {
    await logins.close()
    await platform.close()
  })

  const addUser = async (name: string, password: string) =>
    createIdentityWorld(platform.database).addUser({
      name,
      passwordHash: await hash(password, testPasswordCost),
    })
  const login = async (name: string, password: string, url = platform.url) =>
    requestToken(url, { identity: passwordIdentity(name, password) })

  const whole: Record<string, string> = {
    '1,024 bytes of ASCII': 'a'.repeat(1_024),
    '1,024 bytes of two-byte letters': 'é'.repeat(512),
    '1,024 bytes of emoji': '🔑'.repeat(256),
    '64 code points': '𝔄'.repeat(64),
    'blanks around it': '  a password with blanks around it  ',
    'letters of every kind': 'ß"\\\u202E\u001B[0m<b>&amp;%00',
  }
  for (const [name, password] of Object.entries(whole)) {
    test(`SEC-70 are used in full: ${name}`, async () => {
      await addUser(name, password)
      assert.equal((await login(name, password)).status, 201)
      const letters = [...password]
      const others = [
        letters.slice(0, -1).join(''),
        letters.slice(1).join(''),
        [...letters.slice(0, -1), 'x'].join(''),
        password.trim(),
        password.toUpperCase(),
      ]
      for (const other of others.filter((text) => text !== password)) {
        assert.equal((await login(name, other)).status, 401)
      }
    })
  }

  test('SEC-70 that share their first 72 bytes are different', async () => {
    const prefix = 'p'.repeat(72)
    await addUser('prefix', `${prefix}one`)
    for (const other of [`${prefix}two`, prefix, prefix.slice(0, 54), `${prefix}one `]) {
      assert.equal((await login('prefix', other)).status, 401, other)
    }
    assert.equal((await login('prefix', `${prefix}one`)).status, 201)
  })

  test('SEC-70 above 1,024 bytes are always wrong and never hashed', async () => {
    const tooLong = ['a'.repeat(1_025), 'é'.repeat(513), `${'a'.repeat(1_023)}é`, 'a'.repeat(8_192)]
    // Even if the hash of such a password is stored.
    for (const [index, password] of tooLong.entries()) await addUser(`long ${index}`, password)
    const wrong = await login('prefix', 'wrong', logins.url)
    assertError(wrong, 'UnauthorizedError', 'application/json')
    for (const [index, password] of tooLong.entries()) {
      const { counts } = logins
      const before = counts.real + counts.decoy
      const answer = await login(`long ${index}`, password, logins.url)
      assert.deepEqual(comparableParts(answer), comparableParts(wrong))
      assert.equal(counts.real + counts.decoy, before)
      assert.equal((await login(`long ${index}`, password)).status, 401)
    }
  })

  test('SEC-70 of exactly 1,024 bytes are hashed', async () => {
    const { counts } = logins
    const before = counts.real + counts.decoy
    await login('nobody', 'a'.repeat(1_024), logins.url)
    assert.equal(counts.real + counts.decoy, before + 1)
  })
})
