import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loginSnippet } from './login-snippet.ts'

describe('a new access key', () => {
  it('has a command that logs in', () => {
    const snippet = loginSnippet('https://m.example.org/v3', {
      access_key: 'AK1',
      secret: 'cms_abc',
    })
    assert.equal(
      snippet,
      `curl -si https://m.example.org/v3/auth/tokens \\
  -H 'Content-Type: application/json' \\
  -d '{"auth":{"identity":{"methods":["aksk"],"access_key_secret":"AK1:cms_abc"}}}'`,
    )
  })
})
