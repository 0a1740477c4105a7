import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ErrorClass } from '@muster/contract'
import { ask } from '../../testing/client.ts'
import {
  startMeasuredLogins,
  type MeasuredLogins,
} from '../../testing/identity-world/measured-logins.ts'
import { assertError } from '../../testing/assert-error.ts'
import { dumpLasting, dumpTables } from '../../testing/open-storage.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

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

const post = (body: unknown) => ask(logins.url, '/v3/auth/tokens', { method: 'POST', body })

const user = { name: 'sysadmin', domain: { id: 'default' }, password: 'a wrong password' }
const withUser = (changes: object) => ({ password: { user: { ...user, ...changes } } })
const identity = { methods: ['password'], password: { user } }
const withIdentity = (changes: object) => ({ auth: { identity: { ...identity, ...changes } } })
const withScope = (scope: unknown) => ({ auth: { identity, scope } })
const only = (given: unknown) => ({ auth: { identity: given } })

type Case = readonly [body: unknown, path: string, errorClass?: ErrorClass]
const missing = 'MissingParameterError'
const malformed = 'InvalidFormatError'

/** Invalid input by the invalid field; the class is InputParameterError by default. */
const cases: Record<string, Case> = {
  'no auth': [{}, 'auth', missing],
  'a list for a body': [[], 'body'],
  'a text for a body': ['"auth"', 'body'],
  'a number for a body': ['7', 'body'],
  'null for a body': ['null', 'body'],
  'an unknown key beside auth': [{ auth: { identity }, more: 1 }, 'more'],
  'auth in capitals': [{ Auth: { identity } }, 'Auth'],
  'auth as a text': [{ auth: 'x' }, 'auth'],
  'auth as null': [{ auth: null }, 'auth'],
  'auth as a list': [{ auth: [] }, 'auth'],
  'no identity': [{ auth: {} }, 'auth.identity', missing],
  'identity as null': [{ auth: { identity: null } }, 'auth.identity'],
  'an unknown key in auth': [{ auth: { identity, tenant: 1 } }, 'auth.tenant'],
  'an unknown key in identity': [withIdentity({ oauth1: {} }), 'auth.identity.oauth1'],

  'no methods': [only({}), 'auth.identity.methods', missing],
  'an empty list of methods': [withIdentity({ methods: [] }), 'auth.identity.methods'],
  'methods as a text': [withIdentity({ methods: 'password' }), 'auth.identity.methods'],
  'methods as null': [withIdentity({ methods: null }), 'auth.identity.methods'],
  'methods as an object': [withIdentity({ methods: { 0: 'password' } }), 'auth.identity.methods'],
  'several methods': [withIdentity({ methods: ['password', 'token'] }), 'auth.identity.methods'],
  'a method repeated': [
    withIdentity({ methods: ['password', 'password'] }),
    'auth.identity.methods',
  ],
  'a method repeated a thousand times': [
    withIdentity({ methods: Array.from({ length: 1_000 }, () => 'password') }),
    'auth.identity.methods',
  ],
  'an unknown method': [withIdentity({ methods: ['saml'] }), 'auth.identity.methods.0'],
  'a method in capitals': [withIdentity({ methods: ['Password'] }), 'auth.identity.methods.0'],
  'an empty method': [withIdentity({ methods: [''] }), 'auth.identity.methods.0'],
  'null for a method': [withIdentity({ methods: [null] }), 'auth.identity.methods.0'],
  'a number for a method': [withIdentity({ methods: [0] }), 'auth.identity.methods.0'],
  'the name of an inherited property as a method': [
    withIdentity({ methods: ['constructor'] }),
    'auth.identity.methods.0',
  ],
  'a malformed ticket': [
    only({ methods: ['cas'], cas_ticket: { id: 'TGT-1' } }),
    'auth.identity.cas_ticket.id',
  ],
  'a ticket with query characters': [
    only({ methods: ['cas_ticket'], cas_ticket: { id: 'ST-1&service=x' } }),
    'auth.identity.cas_ticket.id',
  ],
  'no section for the ticket': [only({ methods: ['cas'] }), 'auth.identity.cas_ticket', missing],
  'no id of a ticket': [
    only({ methods: ['cas'], cas_ticket: {} }),
    'auth.identity.cas_ticket.id',
    missing,
  ],
  'a malformed access key': [
    only({ methods: ['aksk'], access_key_secret: 'nonsense' }),
    'auth.identity.access_key_secret',
  ],
  'a key without a secret': [
    only({ methods: ['access_key_secret'], access_key_secret: 'a:' }),
    'auth.identity.access_key_secret',
  ],
  'a malformed signed request': [
    only({ methods: ['aksk'], access_key_secret: '{"access_key":"a"}' }),
    'auth.identity.access_key_secret',
  ],
  'a signed request that is not JSON': [
    only({ methods: ['aksk'], access_key_secret: '{' }),
    'auth.identity.access_key_secret',
  ],
  'a signed request that is an object': [
    only({ methods: ['aksk'], access_key_secret: { access_key: 'a' } }),
    'auth.identity.access_key_secret',
  ],
  'no section for the key': [
    only({ methods: ['aksk'] }),
    'auth.identity.access_key_secret',
    missing,
  ],

  'a token beside a password': [withIdentity({ token: { id: 'x' } }), 'auth.identity.token'],
  'a ticket beside a password': [
    withIdentity({ cas_ticket: { id: 'ST-1' } }),
    'auth.identity.cas_ticket',
  ],
  'a key beside a password': [
    withIdentity({ access_key_secret: 'a:b' }),
    'auth.identity.access_key_secret',
  ],
  'a password beside a token': [
    only({ methods: ['token'], token: { id: 'x' }, ...withUser({}) }),
    'auth.identity.password',
  ],
  'no section for the password': [
    only({ methods: ['password'] }),
    'auth.identity.password',
    missing,
  ],
  'no section for the token': [only({ methods: ['token'] }), 'auth.identity.token', missing],
  'a token for a password': [
    only({ methods: ['password'], token: { id: 'x' } }),
    'auth.identity.token',
  ],
  'no id of a token': [only({ methods: ['token'], token: {} }), 'auth.identity.token.id', missing],
  'an empty token': [only({ methods: ['token'], token: { id: '' } }), 'auth.identity.token.id'],
  'null for a token': [only({ methods: ['token'], token: { id: null } }), 'auth.identity.token.id'],
  'a list for a token': [only({ methods: ['token'], token: { id: [] } }), 'auth.identity.token.id'],
  'a token that is too long': [
    only({ methods: ['token'], token: { id: 'x'.repeat(256) } }),
    'auth.identity.token.id',
  ],
  'a token as a text': [only({ methods: ['token'], token: 'x' }), 'auth.identity.token'],
  'an unknown key of a token': [
    only({ methods: ['token'], token: { id: 'x', user_id: 'y' } }),
    'auth.identity.token.user_id',
  ],
  'a token in two spellings': [
    only({ methods: ['token'], token: { id: 'x', Id: 'x' } }),
    'auth.identity.token.Id',
  ],

  'no user': [withIdentity({ password: {} }), 'auth.identity.password.user', missing],
  'user as null': [withIdentity({ password: { user: null } }), 'auth.identity.password.user'],
  'user as a text': [withIdentity({ password: { user: 'x' } }), 'auth.identity.password.user'],
  'user as a list': [withIdentity({ password: { user: [user] } }), 'auth.identity.password.user'],
  'an unknown key of the user': [
    withIdentity(withUser({ email: 'x' })),
    'auth.identity.password.user.email',
  ],
  'roles of the user': [
    withIdentity(withUser({ roles: ['admin'] })),
    'auth.identity.password.user.roles',
  ],
  'neither id nor name': [
    withIdentity({ password: { user: { password: 'x' } } }),
    'auth.identity.password.user',
    missing,
  ],
  'an empty name': [withIdentity(withUser({ name: '' })), 'auth.identity.password.user.name'],
  'an empty id': [withIdentity(withUser({ id: '' })), 'auth.identity.password.user.id'],
  'null for a name': [withIdentity(withUser({ name: null })), 'auth.identity.password.user.name'],
  'a number for a name': [withIdentity(withUser({ name: 1 })), 'auth.identity.password.user.name'],
  'a list for a name': [
    withIdentity(withUser({ name: ['a'] })),
    'auth.identity.password.user.name',
  ],
  'a name that is too long': [
    withIdentity(withUser({ name: 'x'.repeat(256) })),
    'auth.identity.password.user.name',
  ],
  'an id that is too long': [
    withIdentity(withUser({ id: 'x'.repeat(65) })),
    'auth.identity.password.user.id',
  ],
  'a name in two spellings': [
    withIdentity(withUser({ Name: 'sysadmin' })),
    'auth.identity.password.user.Name',
  ],
  'a domain in two spellings': [
    withIdentity(withUser({ Domain: { id: 'default' } })),
    'auth.identity.password.user.Domain',
  ],
  'an id in two spellings': [
    withIdentity(withUser({ ID: 'x', iD: 'y' })),
    'auth.identity.password.user.iD',
  ],
  'domain as a text': [
    withIdentity(withUser({ domain: 'default' })),
    'auth.identity.password.user.domain',
  ],
  'domain as null': [
    withIdentity(withUser({ domain: null })),
    'auth.identity.password.user.domain',
  ],
  'an unknown key of the domain': [
    withIdentity(withUser({ domain: { id: 'default', more: 1 } })),
    'auth.identity.password.user.domain.more',
  ],
  'an empty id of the domain': [
    withIdentity(withUser({ domain: { id: '' } })),
    'auth.identity.password.user.domain.id',
  ],
  'an empty name of the domain': [
    withIdentity(withUser({ domain: { Name: '' } })),
    'auth.identity.password.user.domain.Name',
  ],

  'no password': [
    withIdentity({ password: { user: { name: 'sysadmin' } } }),
    'auth.identity.password.user.password',
    missing,
  ],
  'an empty password': [
    withIdentity(withUser({ password: '' })),
    'auth.identity.password.user.password',
  ],
  'null for a password': [
    withIdentity(withUser({ password: null })),
    'auth.identity.password.user.password',
  ],
  'a number for a password': [
    withIdentity(withUser({ password: 12345678 })),
    'auth.identity.password.user.password',
  ],
  'a list for a password': [
    withIdentity(withUser({ password: ['x'] })),
    'auth.identity.password.user.password',
  ],
  'an object for a password': [
    withIdentity(withUser({ password: {} })),
    'auth.identity.password.user.password',
  ],
  'true for a password': [
    withIdentity(withUser({ password: true })),
    'auth.identity.password.user.password',
  ],
  'a password in capitals': [
    withIdentity({ password: { user: { name: 'sysadmin', Password: 'x' } } }),
    'auth.identity.password.user.Password',
  ],
  'a password that is too long': [
    withIdentity(withUser({ password: 'x'.repeat(8_193) })),
    'auth.identity.password.user.password',
  ],

  'both scopes': [withScope({ project: { id: 'x' }, domain: { id: 'default' } }), 'auth.scope'],
  'scope as a text': [withScope('unscoped'), 'auth.scope'],
  'scope as null': [withScope(null), 'auth.scope'],
  'scope as a list': [withScope([]), 'auth.scope'],
  'a scope of the system': [withScope({ system: { all: true } }), 'auth.scope.system'],
  'a scope of a trust': [withScope({ 'OS-TRUST:trust': { id: 'x' } }), 'auth.scope.OS-TRUST:trust'],
  'an empty project': [withScope({ project: {} }), 'auth.scope.project', missing],
  'project as a text': [withScope({ project: 'x' }), 'auth.scope.project'],
  'a domain without a project': [
    withScope({ project: { domain: { id: 'default' } } }),
    'auth.scope.project',
    missing,
  ],
  'an empty id of a project': [withScope({ project: { id: '' } }), 'auth.scope.project.id'],
  'null for an id of a project': [withScope({ project: { id: null } }), 'auth.scope.project.id'],
  'a project in two spellings': [
    withScope({ project: { id: 'x', Id: 'x' } }),
    'auth.scope.project.Id',
  ],
  'an unknown key of a project': [
    withScope({ project: { id: 'x', roles: [] } }),
    'auth.scope.project.roles',
  ],
  'an empty domain': [withScope({ domain: {} }), 'auth.scope.domain', missing],
  'a domain that is too long': [
    withScope({ domain: { name: 'x'.repeat(256) } }),
    'auth.scope.domain.name',
  ],

  'context as a text': [{ auth: { identity, context: 'x' } }, 'auth.context'],
  'context as null': [{ auth: { identity, context: null } }, 'auth.context'],
  'an unknown key of the context': [
    { auth: { identity, context: { user: 1 } } },
    'auth.context.user',
  ],
  'a number for an address': [{ auth: { identity, context: { ip: 1 } } }, 'auth.context.ip'],
  'an address that is too long': [
    { auth: { identity, context: { ip: '1'.repeat(65) } } },
    'auth.context.ip',
  ],
  'a list for a source': [{ auth: { identity, context: { source: [] } } }, 'auth.context.source'],

  'a duplicate key': [
    '{"auth":{"identity":{"methods":["password"],"methods":["token"]}}}',
    'auth.identity.methods',
  ],
  __proto__: ['{"auth":{"__proto__":{"identity":{}}}}', 'auth.__proto__'],
  'constructor for a key': [{ auth: { identity, constructor: 1 } }, 'auth.constructor'],
  'NUL in a name': [withIdentity(withUser({ name: 'a\0' })), 'auth.identity.password.user.name'],
  'a lone surrogate in a name': [
    '{"auth":{"identity":{"methods":["password"],"password":{"user":{"name":"\\ud800"}}}}}',
    'auth.identity.password.user.name',
  ],
}

describe('the token operation with invalid input', () => {
  for (const [name, [body, path, errorClass = 'InputParameterError']] of Object.entries(cases)) {
    test(`SEC-14 names the field: ${name}`, async () => {
      const hashed = logins.counts.real + logins.counts.decoy
      const error = assertError(await post(body), errorClass, 'application/json')
      assert.ok(
        error.fields?.some((field) => field.path === path),
        `expected ${path} among ${JSON.stringify(error.fields)}`,
      )
      assert.ok(error.details.includes(path))
      assert.equal(logins.counts.real + logins.counts.decoy, hashed, 'a password was hashed')
    })
  }

  test('a body that is not JSON names no field', async () => {
    for (const body of ['{', 'auth=password', '<auth/>', '{"auth":undefined}', "{'auth':{}}"]) {
      const error = assertError(await post(body), malformed, 'application/json')
      assert.equal(error.fields, undefined)
    }
  })

  test('a missing body is reported', async () => {
    assertError(await post(''), missing, 'application/json')
  })

  test('all problems are named', async () => {
    const error = assertError(
      await post({ auth: { identity: { methods: [], token: {} }, scope: 1 } }),
      'InputParameterError',
      'application/json',
    )
    assert.deepEqual(error.fields?.map(({ path }) => path).sort(), [
      'auth.identity.methods',
      'auth.identity.token.id',
      'auth.scope',
    ])
  })

  test('SEC-11 nothing is stored in the database', async () => {
    const before = await dumpTables(platform.database)
    for (const [body] of Object.values(cases)) await post(body)
    assert.deepEqual(await dumpTables(platform.database), before)
  })

  test('SEC-11 an unknown access key or ticket is 401, and only the audit log records it', async () => {
    const unknown = [
      only({ methods: ['aksk'], access_key_secret: 'a:b' }),
      only({ methods: ['access_key_secret'], access_key_secret: 'a:b' }),
      only({ methods: ['cas'], cas_ticket: { id: 'ST-1' } }),
      only({ methods: ['cas_ticket'], cas_ticket: { id: 'ST-1' } }),
    ]
    const before = await dumpLasting(platform.database)
    for (const body of unknown) {
      assertError(await post(body), 'UnauthorizedError', 'application/json')
    }
    assert.deepEqual(await dumpLasting(platform.database), before)
  })

  test('no submitted value is echoed', async () => {
    const secret = 'value-that-must-not-come-back'
    const bodies = [
      withIdentity({ methods: [secret] }),
      withIdentity(withUser({ password: [secret] })),
      withIdentity(withUser({ name: { secret } })),
      withIdentity({
        methods: ['token'],
        token: { id: secret },
        ...withUser({ password: secret }),
      }),
      withScope(secret),
    ]
    for (const body of bodies) {
      const answer = await post(body)
      assert.equal(answer.status, 400)
      assert.ok(!answer.text.includes(secret), answer.text)
    }
  })
})

describe('SEC-13 at most one hash', () => {
  const hashesFor = async (body: unknown) => {
    const { counts } = logins
    const before = counts.real + counts.decoy
    const { status } = await post(body)
    assert.ok(status === 400 || status === 401, String(status))
    return counts.real + counts.decoy - before
  }

  test('SEC-13 one for a login with one method', async () => {
    assert.equal(await hashesFor(withIdentity({})), 1)
    assert.equal(await hashesFor(withIdentity(withUser({ name: 'nobody' }))), 1)
  })

  test('SEC-13 none for repeated, too many, unknown or mixed methods', async () => {
    const bodies = [
      ['password', 'password'],
      Array.from({ length: 500 }, () => 'password'),
      ['password', 'token'],
      ['password', 'oidc'],
      ['oidc'],
    ].map((methods) => withIdentity({ methods }))
    for (const body of bodies) assert.equal(await hashesFor(body), 0)
    const twoUsers = withIdentity({
      methods: ['password', 'token'],
      token: { id: 'mt1_of-another' },
    })
    assert.equal(await hashesFor(twoUsers), 0)
  })

  test('SEC-13 none for a login by token', async () => {
    assert.equal(await hashesFor(only({ methods: ['token'], token: { id: 'mt1_none' } })), 0)
  })
})
