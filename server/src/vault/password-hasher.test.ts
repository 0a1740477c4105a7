// @own-process: it replaces a function of argon2 before the server loads it.
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { before, describe, test } from 'node:test'

const password = 'tussocky moorland'

// Wraps the library before the hasher imports it.
const library = createRequire(import.meta.url)('@node-rs/argon2') as {
  verify: (hash: string, ...rest: unknown[]) => Promise<boolean>
}
const verified: string[] = []
const verify = library.verify
library.verify = (hash, ...rest) => {
  verified.push(hash)
  return verify(hash, ...rest)
}
const { createPasswordHasher } = await import('./password-hasher.ts')

/** Everything of a PHC string but the salt and the hash itself. */
const costOf = (phc: string | undefined) => phc?.split('$').slice(1, 4).join(' ')

describe('the password hasher', () => {
  const hasher = createPasswordHasher()
  const compare = (hash: string | null, candidate: string) =>
    hasher.inTurn((compareInTurn) => compareInTurn(hash, candidate))
  let hash: string
  before(async () => {
    hash = await hasher.hash(password)
  })

  test('makes an argon2id PHC string of no less than the advised cost, salted', async () => {
    assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22,}\$[\w+/]{43}$/)
    assert.notEqual(await hasher.hash(password), hash)
  })

  test('tells the right password from others, whole and to the letter', async () => {
    assert.equal(await compare(hash, password), true)
    const others = ['', 'Tussocky moorland', `${password} `, password.slice(0, -1)]
    for (const other of others) assert.equal(await compare(hash, other), false, other)
  })

  test('SEC-70: tells apart passwords that are equal in their first 1,023 bytes', async () => {
    const long = 'w'.repeat(1_023)
    const longHash = await hasher.hash(`${long}a`)
    assert.equal(await compare(longHash, `${long}a`), true)
    assert.equal(await compare(longHash, `${long}b`), false)
  })

  test('SEC-21: without a hash it computes what it computes with one, and says no', async () => {
    verified.length = 0
    await compare(hash, 'wrong')
    assert.deepEqual(verified, [hash])
    assert.equal(await compare(null, password), false)
    assert.equal(verified.length, 2)
    assert.equal(costOf(verified[1]), costOf(hash))
  })

  test('SEC-76: refuses what it cannot queue with a 503 that says when to come again', async () => {
    const hold = Promise.withResolvers<void>()
    const many = Array.from({ length: 200 }, () => hasher.inTurn(() => hold.promise))
    const settled = Promise.allSettled(many)
    assert.equal(hasher.counts().waiting, 64)
    hold.resolve()
    const refusals = (await settled).filter((result) => result.status === 'rejected')
    assert.ok(refusals.length > 0 && refusals.length < many.length)
    for (const { reason } of refusals) {
      assert.equal(reason.class, 'ServiceUnavailable')
      assert.equal(reason.retryAfter, 1)
    }
    assert.equal(hasher.counts().waiting, 0)
  })
})
