import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { mintToken, tokenId } from './token-secret.ts'

describe('the secret of a token', () => {
  test('has a prefix, 256 random bits, a checksum, and fits every header', () => {
    const secret = mintToken().secret
    assert.match(secret, /^mt1_[A-Za-z0-9_-]{49}$/)
    assert.equal(Buffer.from(secret.slice(4, 47), 'base64url').length, 32)
  })

  test('is never the same twice', () => {
    const secrets = Array.from({ length: 10_000 }, () => mintToken().secret)
    assert.equal(new Set(secrets).size, secrets.length)
    // Every position is random, not only the whole.
    for (let position = 4; position < 46; position += 1) {
      assert.equal(
        new Set(secrets.map((secret) => secret[position])).size,
        64,
        `position ${position}`,
      )
    }
  })

  test('is stored as its SHA-256 and as nothing else', () => {
    const secret = mintToken().secret
    const hash = createHash('sha256').update(secret).digest('base64url')
    assert.equal(tokenId(secret), hash)
  })

  test('is known from any other text before the database is asked', () => {
    const secret = mintToken().secret
    const others = [
      '',
      'mt1_',
      secret.slice(0, -1),
      `${secret}=`,
      `${secret}\n`,
      ` ${secret}`,
      secret.toUpperCase(),
      secret.replace('mt1_', 'mt2_'),
      secret.slice(0, -6) + mintToken().secret.slice(-6),
      `${secret}${secret}`,
    ]
    for (const other of others) assert.equal(tokenId(other), undefined, JSON.stringify(other))
  })
})
