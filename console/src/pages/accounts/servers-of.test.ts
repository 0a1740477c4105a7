import assert from 'node:assert/strict'
import { it } from 'node:test'
import { serversOf } from './servers-of.ts'

it('an account filter is quoted if necessary', () => {
  assert.equal(serversOf('aws-prod.eu'), 'account:aws-prod.eu')
  assert.equal(serversOf('my "own" account'), String.raw`account:"my \"own\" account"`)
  assert.equal(serversOf('a,b'), 'account:"a,b"')
})
