import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv } from 'ajv'
import { exampleToken, exampleTokenRequest } from './identity.examples.ts'
import { Token, TokenBody, identityOperations } from './identity.ts'
import { TokenRequest } from './token-request.ts'

const ajv = new Ajv({ strict: false, validateFormats: false })
const acceptsToken = ajv.compile(Token)
const acceptsRequest = ajv.compile(TokenRequest)

interface Node {
  readonly type?: string
  readonly format?: string
  readonly properties?: Record<string, Node>
  readonly required?: readonly string[]
  readonly additionalProperties?: unknown
  readonly items?: Node
  readonly anyOf?: readonly Node[]
}

/**
 * A schema in the notation of the specification: keys in their exact case, types by name, lists in brackets.
 */
function shapeOf(given: object): unknown {
  const schema = given as Node
  if (schema.anyOf) return shapeOf(schema.anyOf[0] ?? {})
  if (schema.items) return [shapeOf(schema.items)]
  if (!schema.properties) return schema.format === 'date-time' ? 'timestamp' : schema.type
  return Object.fromEntries(
    Object.entries(schema.properties).map(([name, property]) => [name, shapeOf(property)]),
  )
}

/** Every object of a schema, with the path to it. */
function* objectsIn(given: object, path = 'token'): Generator<[string, Node]> {
  const schema = given as Node
  if (schema.items) yield* objectsIn(schema.items, `${path}[]`)
  if (!schema.properties) return
  yield [path, schema]
  for (const [name, property] of Object.entries(schema.properties)) {
    yield* objectsIn(property, `${path}.${name}`)
  }
}

const text = 'string'
const reference = { id: text, name: text }
const member = { domain: reference, id: text, name: text }
const tokenProject = { Domain: reference, Id: text, Name: text }

/** The Token object of the specification, written out. */
const specifiedToken = {
  access_key: { AccessKey: text, expire: 'integer', secret: text },
  catalog: [
    {
      id: text,
      name: text,
      type: text,
      endpoints: [
        { id: text, interface: text, name: text, region: text, region_id: text, url: text },
      ],
    },
  ],
  context: { ip: text, source: text },
  expires_at: 'timestamp',
  issued_at: 'timestamp',
  is_domain: 'boolean',
  methods: [text],
  policies: { Domain: [text], Project: [text], System: [text] },
  project: tokenProject,
  projects: [tokenProject],
  role_assignments: [
    {
      group: member,
      role: member,
      user: member,
      policies: { domain: [text], project: [text], system: [text] },
      scope: { domain: reference, project: member },
    },
  ],
  roles: [reference],
  user: {
    Displayname: text,
    Email: text,
    Id: text,
    Mobile: text,
    Name: text,
    Domain: reference,
    PasswordExpiresAt: 'timestamp',
  },
}

/** The request body of the specification, in the contract's lower-case spelling of its mixed keys. */
const specifiedRequest = {
  auth: {
    context: { ip: text, source: text },
    identity: {
      access_key_secret: text,
      // `provider` is an addition of Muster, for installations with several. It is optional.
      cas_ticket: { id: text, provider: text },
      // An addition of Muster for identity providers besides CAS. Their drivers know the other keys.
      credential: { provider: text },
      methods: [text],
      // In the specification's spelling, and in that of everything around it.
      password: {
        user: { id: text, name: text, domain: reference, Domain: reference, password: text },
      },
      token: { id: text },
      // An addition of Muster, as Keystone has it.
      totp: {
        user: { id: text, name: text, domain: reference, Domain: reference, passcode: text },
      },
    },
    // An addition of Muster, to link logins at identity providers.
    link: { token: text },
    scope: {
      domain: reference,
      project: { id: text, name: text, domain: reference },
    },
  },
}

describe('the token object of the specification', () => {
  test('has exactly its keys, in their exact case, each of its type', () => {
    assert.deepEqual(shapeOf(Token), specifiedToken)
    assert.deepEqual(shapeOf(TokenBody), { token: specifiedToken })
  })

  test('has every key always, and no other, at every level', () => {
    const objects = [...objectsIn(Token)]
    assert.ok(objects.length > 15)
    for (const [path, { properties = {}, required = [], additionalProperties }] of objects) {
      assert.deepEqual([...required].sort(), Object.keys(properties).sort(), path)
      assert.equal(additionalProperties, false, path)
    }
  })

  test('only PasswordExpiresAt may be null', () => {
    const withUser = (change: object) => ({
      ...exampleToken,
      user: { ...exampleToken.user, ...change },
    })
    assert.ok(acceptsToken(withUser({ PasswordExpiresAt: null })))
    assert.ok(acceptsToken(withUser({ PasswordExpiresAt: '2026-05-04T08:00:00.000000Z' })))
    for (const key of Object.keys(exampleToken.user).filter(
      (name) => name !== 'PasswordExpiresAt',
    )) {
      assert.ok(!acceptsToken(withUser({ [key]: null })), key)
    }
    for (const key of Object.keys(exampleToken)) {
      assert.ok(!acceptsToken({ ...exampleToken, [key]: null }), key)
    }
  })

  test('times have six decimals and a Z', () => {
    const good = '2026-05-04T08:00:00.000000Z'
    assert.ok(acceptsToken({ ...exampleToken, issued_at: good }))
    const bad = ['2026-05-04T08:00:00Z', '2026-05-04T08:00:00.000Z', `${good} `, `${good}\n`, '']
    for (const time of [...bad, good.replace('Z', '+00:00'), good.toLowerCase()]) {
      assert.ok(!acceptsToken({ ...exampleToken, issued_at: time }), time)
    }
  })
})

describe('the token request of the specification', () => {
  test('has exactly its keys', () => {
    assert.deepEqual(shapeOf(TokenRequest), specifiedRequest)
    for (const [path, { additionalProperties }] of objectsIn(TokenRequest, 'body')) {
      if (path === 'body.auth.identity.credential') continue
      assert.equal(additionalProperties, false, path)
    }
  })

  test('reads without regard to case exactly the keys whose case the specification mixes', () => {
    const issue = identityOperations.find(({ id }) => id === 'issueToken')
    assert.ok(issue && 'caseInsensitiveKeys' in issue)
    assert.deepEqual([...issue.caseInsensitiveKeys].sort(), ['domain', 'id', 'name'])
  })

  test('takes one method, or two', () => {
    const asking = (methods: unknown) => ({ auth: { identity: { methods } } })
    const names = ['password', 'token', 'aksk', 'cas', 'cas_ticket', 'access_key_secret']
    for (const name of names) assert.ok(acceptsRequest(asking([name])), name)
    // Which two is not a matter of the shape.
    assert.ok(acceptsRequest(asking(['password', 'totp'])))
    const misfits = [[], ['password', 'totp', 'token'], [''], [null]]
    for (const misfit of [...misfits, 'password', null, {}, undefined]) {
      assert.ok(!acceptsRequest(asking(misfit)), JSON.stringify(misfit))
    }
  })
})

describe('examples', () => {
  test('match their schemas', () => {
    assert.ok(acceptsToken(exampleToken), ajv.errorsText(acceptsToken.errors))
    assert.ok(acceptsRequest(exampleTokenRequest), ajv.errorsText(acceptsRequest.errors))
  })

  test('the example answers the example request', () => {
    const { auth } = exampleTokenRequest
    assert.deepEqual(exampleToken.methods, auth.identity.methods)
    assert.equal(exampleToken.user.Name, auth.identity.password.user.name)
    assert.equal(exampleToken.project.Name, auth.scope.project.name)
  })
})
