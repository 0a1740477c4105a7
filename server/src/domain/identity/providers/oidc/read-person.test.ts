import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPerson } from './read-person.ts'

test('an address that the provider did not verify is no name and no attribute', () => {
  const claims = { sub: 'ada', email: 'boss@example.org', name: 'Ada' }
  for (const [email_verified, isUsed] of [
    [true, true],
    ['true', true],
    [undefined, true],
    [false, false],
    ['false', false],
  ] as const) {
    const { profile, attributes } = readPerson({ ...claims, email_verified }, 'email')
    const expected = isUsed ? claims.email : ''
    assert.deepEqual([profile?.name, profile?.email], [expected, expected])
    assert.equal(attributes.has('email'), isUsed, String(email_verified))
  }
})
