import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { renderCurl } from './curl.ts'

const planted = 'hunter2-planted'
const render = (body: unknown, headers: Record<string, string> = {}) =>
  renderCurl('https://m.test/x', { method: 'POST', headers, body: JSON.stringify(body) })

describe('a request as curl', () => {
  const secrets: Record<string, unknown> = {
    'a password': {
      auth: {
        identity: { methods: ['password'], password: { user: { name: 'ada', password: planted } } },
      },
    },
    'a token': { auth: { identity: { methods: ['token'], token: { id: planted } } } },
    'a signature': { auth: { identity: { methods: ['aksk'], access_key_secret: planted } } },
    'a new password': { user: { original_password: planted, password: planted } },
    'credentials of a source': { cloudaccount: { name: 'x', credentials: { secret: planted } } },
    'the blob of a key': {
      credential: { type: 'aksk', blob: JSON.stringify({ secret: planted }) },
    },
    'a code': { auth: { identity: { totp: { user: { passcode: planted } } } } },
  }
  for (const [what, body] of Object.entries(secrets)) {
    test(`does not have ${what}`, () => assert.doesNotMatch(render(body), /planted/))
  }

  test('has no token, keeps the rest, and can be pasted', () => {
    const text = render(
      { project: { name: "o'brien" } },
      {
        'x-auth-token': planted,
        'x-subject-token': planted,
        authorization: planted,
        accept: 'a/b',
      },
    )
    assert.doesNotMatch(text, /planted/)
    assert.match(text, /^curl -si -X POST 'https:\/\/m\.test\/x' -H "x-auth-token: \$OS_TOKEN"/)
    assert.ok(text.includes(String.raw`{"project":{"name":"o'\''brien"}}`))
  })
})
