import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { loginSnippet, secretOf } from './login-snippet.ts'

describe('a new access key', () => {
  it('has its secret in the blob', () => {
    assert.equal(secretOf('{"secret":"cms_abc","expire":0}'), 'cms_abc')
  })

  it('comes with a command that logs in', () => {
    const snippet = loginSnippet('https://m.example.org/v3', { id: 'AK1', secret: 'cms_abc' })
    assert.equal(
      snippet,
      `curl -si https://m.example.org/v3/auth/tokens \\
  -H 'Content-Type: application/json' \\
  -d '{"auth":{"identity":{"methods":["aksk"],"access_key_secret":"AK1:cms_abc"}}}'`,
    )
  })
})
