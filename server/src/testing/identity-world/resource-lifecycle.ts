import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OperationId } from '@muster/contract'
import { createContractClient, operationNamed, type ContractClient } from '../contract-client.ts'
import { dumpTables } from '../open-storage.ts'
import type { TestPlatform } from '../start-platform.ts'

/** A kind of resource that is created, shown, listed, changed and deleted, with what is special about it. */
interface Kind {
  /** As in `createUser` and as in `listUsers`. */
  readonly noun: string
  readonly nouns: string
  readonly key: string
  readonly keys: string
  /** What a new one needs beside a name. */
  readonly needed?: object
  /** The fields of one that was created with only these. */
  readonly bare: object
  /** The fields that can be changed, each with a value other than the default. */
  readonly changes: Readonly<Record<string, unknown>>
  /** What must be done before it can be deleted. */
  readonly beforeDeletion?: object
}

interface Thing {
  readonly id: string
  readonly name: string
  readonly created_at: string
}

interface Schema {
  readonly type?: string
  readonly anyOf?: readonly Schema[]
  readonly maxLength?: number
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, Schema>>
}

const text = (length: number) => 'x'.repeat(length)
const notTimestamps = ['tomorrow', '2027-13-01T00:00:00Z', '2027-02-30T00:00:00Z', '2027-01-01']
const invisible = [
  '\u00ad',
  '\u061c',
  '\u200b',
  '\u200d',
  '\u200e',
  '\u202e',
  '\u2028',
  '\u2066',
  '\ufeff',
  '\u{e0041}',
]
const blank = ['', ' ', ' a', 'a ', '\u3000a', 'a\u00a0', 'a\nb', 'a\u0085b', '\u200b', '\u001f']
const notNames = [
  ...blank,
  ...invisible.flatMap((character) => [`a${character}b`, `${character}ab`]),
]

/** Values that a field must not have, whatever else is right. */
function badValues(name: string, schema: Schema): unknown[] {
  const variants = schema.anyOf ?? [schema]
  const isNullable = variants.some(({ type }) => type === 'null')
  const [{ type, maxLength = Infinity, enum: allowed }] = variants as [Schema]
  const values: unknown[] = isNullable ? [] : [null]
  if (type !== 'null') values.push([['x']], { x: 1 })
  switch (type ?? 'string') {
    case 'boolean':
      return [...values, 'true', 'false', 1, 0, '']
    case 'array':
      return [...values, 'x', ['x'], true]
    case 'object':
      return [...values, 'x', [], 7]
    case 'null':
      return ['', 'default', 0, false]
    default:
      values.push(7, true, '\0', 'a\0b', '\uD800', 'a\uDC00')
      if (allowed) return [...values, '', 'x']
      if (Number.isFinite(maxLength)) values.push(text(maxLength + 1))
      if (name === 'name') values.push(...notNames)
      if (name.endsWith('_at')) values.push(...notTimestamps)
      return values
  }
}

const unknownKeys = [
  'id',
  'created_at',
  'links',
  'password_hash',
  'is_admin',
  'Name',
  'constructor',
]

/** All kinds of invalid bodies of the operation, each with the invalid field. */
function* badBodies(
  operation: OperationId,
  key: string,
  good: object,
): Generator<[unknown, string]> {
  const schema = operationNamed(operation).body as Schema
  const fields = schema.properties?.[key]?.properties ?? {}
  yield [{}, key]
  yield [{ [key]: {} }, operation.startsWith('create') ? `${key}.name` : key]
  yield [{ [key]: null }, key]
  yield [{ [key]: [good] }, key]
  yield [{ [key]: good, other: 1 }, 'other']
  for (const name of unknownKeys) yield [{ [key]: { ...good, [name]: 'x' } }, `${key}.${name}`]
  for (const [name, field] of Object.entries(fields)) {
    for (const value of badValues(name, field)) {
      yield [{ [key]: { ...good, [name]: value } }, `${key}.${name}`]
    }
  }
}

/** The tests that every kind has to pass. */
export function testLifecycle(
  kind: Kind,
  platform: () => TestPlatform,
  admin: () => ContractClient,
): void {
  const { noun, nouns, key, keys, needed = {}, bare, changes, beforeDeletion } = kind
  const operation = (verb: string) => `${verb}${noun}` as OperationId
  const list = `list${nouns}` as OperationId
  const thingIn = (body: Readonly<Record<string, Thing>>) => body[key] as Thing
  const create = async (name: string, more: object = {}) =>
    thingIn(
      await admin().get(operation('create'), { body: { [key]: { ...needed, name, ...more } } }),
    )
  const show = async (id: string) => thingIn(await admin().get(operation('get'), { path: { id } }))
  const change = async (id: string, wish: object, method: string) =>
    thingIn(await admin().get(operation('update'), { path: { id }, body: { [key]: wish }, method }))
  async function remove(id: string): Promise<void> {
    if (beforeDeletion) await change(id, beforeDeletion, 'PUT')
    await admin().get(operation('delete'), { path: { id } })
  }

  void test(`a ${key} lives: created, shown, listed, changed, deleted`, async () => {
    const name = `The first ${key}`
    const made = await create(name)
    const { id, created_at, ...rest } = made
    assert.match(id, /^[0-9a-f]{32}$/)
    assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
    const links = { self: `${platform().authUrl}/v3/${keys}/${id}` }
    assert.deepEqual(rest, { ...bare, name, links })
    assert.deepEqual(await show(id), made)
    const query = `name=${encodeURIComponent(name.toUpperCase())}`
    const listed = await admin().get<Record<string, Thing[]>>(list, { query })
    assert.deepEqual(listed[keys], [made])

    let now = made
    let method = 'PATCH'
    for (const [field, value] of Object.entries({ ...changes, name: `The other ${key}` })) {
      const before = now
      now = await change(id, { [field]: value }, method)
      assert.deepEqual(now, { ...before, [field]: value }, `${method} of ${field}`)
      assert.deepEqual(await show(id), now)
      method = method === 'PATCH' ? 'PUT' : 'PATCH'
    }

    await remove(id)
    for (const verb of ['get', 'delete'] as const) {
      await admin().fail('ResourceNotFoundError', operation(verb), { path: { id } })
    }
    const body = { [key]: { name: 'too late' } }
    await admin().fail('ResourceNotFoundError', operation('update'), { path: { id }, body })
    const { [keys]: left } = await admin().get<Record<string, Thing[]>>(list)
    assert.ok(!left?.some((thing) => thing.id === id))
  })

  void test(`a ${key} made with everything has everything`, async () => {
    const made = await create(`whole ${key}`, changes)
    const { id, created_at: _, ...rest } = made
    const links = { self: `${platform().authUrl}/v3/${keys}/${id}` }
    assert.deepEqual(rest, { ...bare, ...changes, name: `whole ${key}`, links })
    await remove(id)
  })

  void test(`a ${key} that is asked to be as it is does not change, and nothing is told of it`, async () => {
    const { id, name } = await create(`steady ${key}`)
    const before = await dumpTables(platform().database)
    await change(id, { name }, 'PUT')
    assert.deepEqual(await dumpTables(platform().database), before)
    await remove(id)
  })

  void test(`a name of a ${key} is taken however it is spelled`, async () => {
    const { id } = await create('Straße Ａ')
    const other = await create(`another ${key}`)
    for (const name of ['Straße Ａ', 'straße A', 'STRASSE a', 'strasse\u3000a', 'STRAẞE\u00a0A']) {
      for (const [verb, path] of [
        ['create', {}],
        ['update', { id: other.id }],
      ] as const) {
        const body = { [key]: { ...(verb === 'create' && needed), name } }
        const error = await admin().fail('DuplicateNameError', operation(verb), { path, body })
        assert.deepEqual(error.fields, [{ path: `${key}.name`, problem: 'is already in use' }])
      }
    }
    const respelled = await change(id, { name: 'STRASSE a' }, 'PATCH')
    assert.equal(respelled.name, 'STRASSE a')
    await remove(id)
    const again = await create('strasse a')
    assert.notEqual(again.id, id)
    await remove(again.id)
    await remove(other.id)
  })

  void test(`whatever is wrong with a ${key} is named, and nothing is written`, async () => {
    const { id } = await create(`flawless ${key}`)
    const before = await dumpTables(platform().database)
    const tries: [OperationId, object, object][] = [
      [operation('create'), {}, { ...needed, name: `bad ${key}` }],
      [operation('update'), { id }, { name: `bad ${key}` }],
    ]
    let count = 0
    for (const [verb, path, good] of tries) {
      for (const [body, field] of badBodies(verb, key, good)) {
        const answer = await admin().call(verb, { path: path as { id: string }, body })
        const at = `${verb} ${JSON.stringify(body).slice(0, 200)}: ${answer.status} ${answer.text}`
        assert.equal(answer.status, 400, at)
        const isBlamed = (path: string) => path === field || path.startsWith(`${field}.`)
        assert.ok(
          answer.body.fields?.some((blame) => isBlamed(blame.path)),
          at,
        )
        count += 1
      }
    }
    assert.ok(count > 50, String(count))
    assert.deepEqual(await dumpTables(platform().database), before)
    await remove(id)
  })

  void test(`a ${key} that is nowhere cannot be shown, changed or deleted`, async () => {
    const body = { [key]: { name: 'x' } }
    for (const id of ['none', '0'.repeat(32), 'x'.repeat(64), '%', "' or 1=1 --"]) {
      await admin().fail('ResourceNotFoundError', operation('get'), { path: { id } })
      await admin().fail('ResourceNotFoundError', operation('delete'), { path: { id } })
      await admin().fail('ResourceNotFoundError', operation('update'), { path: { id }, body })
    }
    const stranger = createContractClient(platform().url, 'mt1_none')
    await stranger.fail('UnauthorizedError', operation('create'), { body })
  })
}
