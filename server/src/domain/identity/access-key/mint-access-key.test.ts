import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mintAccessKey } from './mint-access-key.ts'

describe('a new access key', () => {
  test('is an id like any other, and a secret of 256 random bits behind a prefix', () => {
    const { accessKey, secret } = mintAccessKey()
    assert.match(accessKey, /^[0-9a-f]{32}$/)
    assert.match(secret, /^cms_[A-Za-z0-9_-]{43}$/)
    assert.equal(Buffer.from(secret.slice(4), 'base64url').length, 32)
  })

  test('is never the same twice', () => {
    const pairs = Array.from({ length: 10_000 }, mintAccessKey)
    assert.equal(new Set(pairs.map(({ accessKey }) => accessKey)).size, pairs.length)
    const secrets = pairs.map(({ secret }) => secret)
    assert.equal(new Set(secrets).size, secrets.length)
    // Every position is random, not only the whole. The last holds four bits.
    for (let position = 4; position < 46; position += 1) {
      assert.equal(
        new Set(secrets.map((secret) => secret[position])).size,
        64,
        `position ${position}`,
      )
    }
  })
})
