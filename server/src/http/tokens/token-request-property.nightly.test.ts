import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ErrorBody, errorStatus } from '@muster/contract'
import { Ajv } from 'ajv'
import fc from 'fast-check'
import { ask } from '../../testing/client.ts'
import {
  startMeasuredLogins,
  type MeasuredLogins,
} from '../../testing/identity-world/measured-logins.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { dumpLasting } from '../../testing/open-storage.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const matchesContract = new Ajv({ strict: false, validateFormats: false }).compile(ErrorBody)

type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

const bases: Json[] = [
  {
    auth: {
      context: { ip: '192.0.2.1', source: 'cli' },
      identity: {
        methods: ['password'],
        password: {
          user: { name: 'sysadmin', Domain: { name: 'Default' }, password: 'a wrong password' },
        },
      },
      scope: { project: { name: 'system', domain: { id: 'default' } } },
    },
  },
  {
    auth: {
      identity: { methods: ['token'], token: { id: `mt1_${'A'.repeat(49)}` } },
      scope: { domain: { name: 'Default' } },
    },
  },
  { auth: { identity: { methods: ['cas'], cas_ticket: { id: 'ST-1' } } } },
  { auth: { identity: { methods: ['aksk'], access_key_secret: 'key:secret' } } },
]

const hostileText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom('', ' ', '\0', '\uD800', '\u202E', '\uFEFF', "' or 1=1 --", '%s%n', '${x}'),
  fc.constantFrom('password', 'token', 'default', 'sysadmin', 'null', '__proto__', 'Default'),
  fc.integer({ min: 0, max: 20_000 }).map((length) => 'x'.repeat(length)),
)
const hostileKey = fc.oneof(
  fc.constantFrom('id', 'Id', 'ID', 'name', 'Name', 'domain', 'Domain', 'methods', 'user'),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'length', 'then'),
  fc.constantFrom('user_id', 'project_id', 'roles', 'is_admin', 'target'),
  hostileText,
)
const hostileValue: fc.Arbitrary<Json> = fc.oneof(
  hostileText,
  fc.constantFrom<Json>(null, true, false, 0, -1, 1.5, 2 ** 53, 1e308, [], {}),
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
  fc.integer({ min: 1, max: 60 }).map((depth) => nest(depth)),
  fc.constantFrom(...bases),
)

function nest(depth: number): Json {
  let value: Json = 'x'
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { id: value }
  return value
}

interface Mutation {
  /** Selects a place of the body by index, modulo their number. */
  readonly place: number
  readonly kind: 'retext' | 'replace' | 'remove' | 'rename' | 'add' | 'respell'
  readonly key: string
  readonly value: Json
  readonly text: string
}
const mutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(1_000),
  // Mostly replaces a text by a text, so that the mutant passes the schema.
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constant('retext' as const) },
    {
      weight: 5,
      arbitrary: fc.constantFrom('replace', 'remove', 'rename', 'add', 'respell'),
    },
  ),
  key: hostileKey,
  value: hostileValue,
  text: hostileText,
})

type Container = Record<string, Json>

/** Every place of a body: the object or list, and the key in it. */
function placesOf(node: Json, found: [Container, string][] = []): [Container, string][] {
  if (typeof node !== 'object' || node === null) return found
  for (const key of Object.keys(node)) {
    found.push([node as Container, key])
    placesOf((node as Container)[key] ?? null, found)
  }
  return found
}

const setOwn = (container: Container, key: string, value: Json) =>
  Object.defineProperty(container, key, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })

function mutate(given: Json, mutation: Mutation): Json {
  const { place, kind, key } = mutation
  // A copy, because a base may be inserted into itself.
  const body = structuredClone(given)
  const value = structuredClone(mutation.value)
  const every = placesOf(body)
  const texts = every.filter(([container, at]) => typeof container[at] === 'string')
  const places = kind === 'retext' ? texts : every
  const [container, at] = places[place % places.length] ?? []
  if (container === undefined || at === undefined) return value
  const present = container[at] ?? null
  const isObject = !Array.isArray(container)
  if (kind === 'retext') setOwn(container, at, mutation.text)
  if (kind === 'replace') setOwn(container, at, value)
  if (kind === 'remove' || kind === 'rename') delete container[at]
  if (kind === 'rename' && isObject) setOwn(container, key, present)
  if (kind === 'add' && isObject) setOwn(container, key, value)
  if (kind === 'respell' && isObject) setOwn(container, at.toUpperCase(), present)
  return body
}

/** Request texts: mutants of valid requests, random JSON, broken JSON and random bytes. */
const hostileBody: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.constantFrom(...bases), fc.array(mutation, { minLength: 1, maxLength: 3 }))
      .map(([base, mutations]) => JSON.stringify(mutations.reduce(mutate, base))),
  },
  { weight: 1, arbitrary: fc.json({ maxDepth: 6 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...bases), fc.nat(400), hostileText)
      .map(([base, at, insert]) => {
        const text = JSON.stringify(base)
        return text.slice(0, at % text.length) + insert + text.slice(at % text.length)
      }),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
)

const batch = 25
const batches = 120

onPostgresFirst('the token operation with random input', (engine) => {
  let platform: TestPlatform
  let logins: MeasuredLogins
  before(async () => {
    platform = await startPlatform({ engine })
    logins = await startMeasuredLogins(platform)
  })
  after(async () => {
    await logins.close()
    await platform.close()
  })

  async function refuses(body: string | Uint8Array): Promise<void> {
    const answer = await ask(logins.url, '/v3/auth/tokens', { method: 'POST', body })
    assert.ok(answer.status >= 400 && answer.status < 500, `${answer.status} ${answer.text}`)
    assert.equal(answer.headers.get('content-type'), 'application/json')
    assert.ok(matchesContract(answer.body), JSON.stringify(matchesContract.errors))
    assert.equal(answer.body.code, answer.status)
    assert.equal(errorStatus[answer.body.class], answer.status)
    assert.match(answer.headers.get('x-request-id') ?? '', /^req-/)
    assert.equal(answer.body.request_id, answer.headers.get('x-request-id'))
    assert.match(answer.headers.get('x-muster-request-id') ?? '', /^req-/)
    if (answer.status === 400 && answer.body.class === 'InputParameterError') {
      assert.ok(answer.body.fields && answer.body.fields.length > 0)
    }
  }

  test(`rejects ${batch * batches} hostile bodies with an error and stores nothing`, async () => {
    const before = await dumpLasting(platform.database)
    await fc.assert(
      fc.asyncProperty(
        fc.array(hostileBody, { minLength: batch, maxLength: batch }),
        async (bodies) => {
          await Promise.all(bodies.map(refuses))
        },
      ),
      { numRuns: batches },
    )
    assert.deepEqual(await dumpLasting(platform.database), before)
    const { real, decoy } = logins.counts
    assert.ok(real + decoy >= 100, `only ${real + decoy} came as far as a password`)
  })
})
