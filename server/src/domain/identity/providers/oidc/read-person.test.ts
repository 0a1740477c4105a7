import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPerson } from './read-person.ts'

const read = (claims: object, nameClaim = 'preferred_username') =>
  readPerson({ sub: '1', ...claims }, nameClaim)

test('claims of every shape become attributes', () => {
  const { attributes } = read({
    groups: ['a', 'b', 7],
    department: 'x',
    is_staff: true,
    empty: [],
    nothing: null,
    realm_access: { roles: ['admin'] },
    list: [{ id: 'one' }, { id: 'two' }],
    __proto__: { polluted: 'no' },
  })
  assert.deepEqual(Object.fromEntries(attributes), {
    sub: ['1'],
    groups: ['a', 'b', '7'],
    department: ['x'],
    is_staff: ['true'],
    'realm_access.roles': ['admin'],
    'list.id': ['one', 'two'],
  })
})

test('objects inside of objects end somewhere', () => {
  let claims: object = { deep: 'x' }
  for (let depth = 0; depth < 1_000; depth += 1) claims = { a: claims }
  assert.deepEqual([...read(claims).attributes.keys()], ['sub'])
})

test('the name of a new user is in the claim of the configuration, if it is a text', () => {
  assert.equal(read({ email: 'ada@example.org' }, 'email').profile?.name, 'ada@example.org')
  for (const preferred_username of [undefined, 7, ['ada'], { name: 'ada' }, 'x'.repeat(256)]) {
    assert.equal(read({ preferred_username }).profile?.name, '')
  }
})

test('an e-mail address that the provider did not verify is not the one of the user', () => {
  const email = 'ada@example.org'
  assert.equal(read({ email }).profile?.email, email)
  assert.equal(read({ email, email_verified: true }).profile?.email, email)
  assert.equal(read({ email, email_verified: false }).profile?.email, '')
})

test('a subject is a text of 255 characters at most', () => {
  for (const sub of [undefined, '', 7, ['1'], 'x'.repeat(256)]) {
    assert.throws(() => read({ sub }), { class: 'UnauthorizedError' })
  }
  assert.equal(read({ sub: 'x'.repeat(255) }).subject.length, 255)
})
