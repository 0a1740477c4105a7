import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations, type Operation } from '@muster/contract'
import { checkIds } from '../../domain/checks/check-ids.ts'
import { ask, type ClientResponse } from '../../testing/client.ts'
import { pathWith } from '../../testing/contract-client.ts'
import { onPostgresFirst, sampleInputs } from '../../testing/lanes.ts'
import { addTenant, isTenantKind, type Tenant } from '../../testing/identity-world/add-tenant.ts'
import { injectionTexts } from '../../testing/injection-texts.ts'
import { dumpTables } from '../../testing/open-storage.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const all: readonly Operation[] = operations
const reads = all.filter(({ method, permission }) => method === 'GET' && permission !== undefined)
/** Server lists accept any filter and have their own tests. */
const lists = reads.filter(
  ({ id, path, query }) =>
    query?.properties['limit'] !== undefined &&
    !/^\/servers(\/statistics|\/\{id\}\/(history|tasks))?$/.test(path) &&
    // It needs an account, which has tests of its own.
    id !== 'getCloudAccountGaps',
)
const items = reads.filter(({ path }) => path.includes('{'))

const atOnce = 16

interface Schema {
  readonly type?: string
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly maxLength?: number
  readonly items?: Schema
}
const schemasOf = ({ query }: Operation): [string, Schema][] =>
  Object.entries<Schema>(query?.properties ?? {})

/** Parameters whose text is passed to the database as it is. */
function isFree([name, { items, ...schema }]: [string, Schema]): boolean {
  const { type, enum: values, pattern, maxLength = 0 } = items ?? schema
  const isTimestamp = maxLength === 32
  return (
    type === 'string' &&
    !values &&
    !pattern &&
    !isTimestamp &&
    !['marker', 'order_by', 'field', 'filter'].includes(name)
  )
}

onPostgresFirst('SEC-63: injection into administration', (engine) => {
  let platform: TestPlatform
  let tenant: Tenant
  let token: string
  let roleId: string
  before(async () => {
    platform = await startPlatform({ engine })
    tenant = await addTenant(platform.database, 'Tenant')
    token = (await tenant.person('admin')).token
    const { id } = await platform.database.db
      .selectFrom('roles')
      .select('id')
      .where('name', '=', 'project_viewer')
      .executeTakeFirstOrThrow()
    roleId = id
  })
  after(() => platform.close())

  const pathOf = (operation: Operation, id?: string) =>
    pathWith(
      operation,
      Object.fromEntries(
        [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
          const kind =
            name === 'id' ? (operation.path.split('/')[2] ?? '') : `${name.slice(0, -3)}s`
          const own = operation.path.startsWith('/checks/') ? checkIds.endOfLife : roleId
          return [name, id ?? (isTenantKind(kind) ? tenant.ids[kind] : own)]
        }),
      ),
    )

  /** The items of a response, whatever the key of the list is. */
  const thingsIn = ({ body }: ClientResponse): unknown[] =>
    Object.values(body as Record<string, unknown>).find((value) => Array.isArray(value)) ?? []

  /** Sends all requests, some concurrently, and checks every response. */
  async function sendAll(
    sendings: readonly (readonly [string, string])[],
    check: (answer: ClientResponse, place: string) => void,
  ): Promise<void> {
    for (let start = 0; start < sendings.length; start += atOnce) {
      await Promise.all(
        sendings.slice(start, start + atOnce).map(async ([address, place]) => {
          const answer = await ask(platform.url, address, { token })
          const at = `${place}: ${answer.status} ${answer.text.slice(0, 300)}`
          assert.ok(answer.status < 500, at)
          assert.equal(answer.headers.get('x-injected'), null, at)
          check(answer, at)
        }),
      )
    }
  }

  /** Each text in some of the places in turn; the most dangerous texts in all of them. */
  const spread = <Place>(places: readonly Place[], share: number): [Place, string][] =>
    sampleInputs(injectionTexts).flatMap((text, index) => {
      const isWorst = index % 40 === 0
      const count = isWorst ? places.length : Math.min(share, places.length)
      return Array.from({ length: count }, (_, step): [Place, string] => [
        places[(index * share + step) % places.length] as Place,
        text,
      ])
    })

  test(`${injectionTexts.length} texts as filters match nothing and change nothing`, async () => {
    assert.ok(injectionTexts.length >= 200)
    const before = await dumpTables(platform.database)
    const named = lists.filter((operation) => schemasOf(operation).some(isFree))
    const sendings = spread(named, 2).map(([operation, text]) => {
      const filters = schemasOf(operation).filter(isFree)
      const query = filters.map(([name]) => `${name}=${encodeURIComponent(text)}`)
      return [`${pathOf(operation)}?${query.join('&')}`, `${operation.id} ${text}`] as const
    })
    await sendAll(sendings, (answer, at) => {
      // 431: a long text in every filter of a list.
      assert.ok([200, 400, 431].includes(answer.status), at)
      if (answer.status === 200) assert.deepEqual(thingsIn(answer), [], at)
    })
    assert.deepEqual(await dumpTables(platform.database), before)
  })

  // These are rejected before they reach the database.
  if (engine === 'sqlite') {
    test('the texts as limit, sort order, boolean or timestamp are errors', async () => {
      const places = lists.flatMap((operation) =>
        schemasOf(operation)
          .filter((entry) => !isFree(entry) && entry[0] !== 'marker')
          .map(([name, schema]) => ({ operation, name, schema })),
      )
      const sendings = spread(places, 2)
        .filter(([{ schema }, text]) => {
          // A few of the texts are valid values.
          const { type } = schema.items ?? schema
          if (type === 'boolean') return !['true', 'false', '0'].includes(text)
          return type !== 'integer' || !/^\d+$/.test(text)
        })
        .map(([{ operation, name }, text]) => [
          `${pathOf(operation)}?${name}=${encodeURIComponent(text)}`,
          `${operation.id} ${name} ${text}`,
        ]) as [string, string][]
      await sendAll(sendings, ({ status }, at) => assert.equal(status, 400, at))
    })
  }

  test('the texts as page markers are errors', async () => {
    const sendings = spread(lists, 2).map(
      ([operation, text]) =>
        [
          `${pathOf(operation)}?marker=${encodeURIComponent(text)}`,
          `${operation.id} marker ${text}`,
        ] as const,
    )
    await sendAll(sendings, ({ status }, at) => {
      // Any text is a valid event marker: it sorts before or after each event.
      assert.ok(status === 400 || (status === 200 && at.startsWith('listEvents')), at)
    })
  })

  test('forged page markers do not widen the result or cause server errors', async () => {
    const id = "' or 1=1 --"
    const insides: (readonly [unknown, unknown])[] = [
      ...["' or 1=1 --", '', 'a\0b', '\uD800', '0', '1e5', 'x'.repeat(1_000)].map(
        (text) => [text, id] as const,
      ),
      ...[1.5, -1, 1e300, 2 ** 31, 2 ** 53 - 1, null, true, [], {}, [[]]].map(
        (value) => [value, id] as const,
      ),
      ...['a\0b', '', 7, null].flatMap((other) => [['a', other] as const, [1, other] as const]),
    ]
    const whole = new Map<string, number>()
    // Nested lists are read the same way.
    const sorted = lists.filter(
      ({ query, path }) => query?.properties['sort_key'] && !path.includes('{'),
    )
    const sendings: [string, string][] = []
    for (const operation of sorted) {
      const path = pathOf(operation)
      whole.set(operation.id, thingsIn(await ask(platform.url, path, { token })).length)
      const { enum: sortKeys = [] } = (operation.query?.properties['sort_key'] ?? {}) as Schema
      for (const key of sortKeys) {
        for (const inside of insides) {
          const marker = Buffer.from(JSON.stringify([key, false, ...inside])).toString('base64url')
          const place = `${operation.id} ${JSON.stringify([key, ...inside])}`
          sendings.push([`${path}?sort_key=${key}&marker=${marker}`, place])
        }
      }
    }
    await sendAll(sendings, (answer, at) => {
      assert.ok([200, 400].includes(answer.status), at)
      const list = at.split(' ')[0] ?? ''
      if (answer.status === 200) assert.ok(thingsIn(answer).length <= (whole.get(list) ?? 0), at)
    })
  })

  test('the texts as ids in a path are 404', async () => {
    const before = await dumpTables(platform.database)
    // A client resolves dot segments before it sends the path.
    const sendings = spread(items, 2)
      .filter(([, text]) => !/^\.+$/.test(text))
      .map(
        ([operation, text]) =>
          [pathOf(operation, text), `${operation.id} ${JSON.stringify(text)}`] as const,
      )
    await sendAll(sendings, (answer, at) => {
      assert.ok([200, 400, 404].includes(answer.status), at)
      if (answer.status === 200) assert.deepEqual(thingsIn(answer), [], at)
    })
    assert.deepEqual(await dumpTables(platform.database), before)
  })

  test('the texts as names are stored unchanged or rejected', async () => {
    const rules = [{ service: 'compute', resource: '*', action: 'list', effect: 'allow' }]
    const kinds = [
      ['domains', 'domain', {}],
      ['projects', 'project', {}],
      ['users', 'user', {}],
      ['groups', 'group', {}],
      ['roles', 'role', {}],
      ['policies', 'policy', { scope: 'project', rules }],
      ['credentials', 'credential', { type: 'aksk', project_id: tenant.ids.projects }],
    ] as const
    const before = await dumpTables(platform.database)
    const made = new Map<string, number>()
    async function create(text: string, index: number): Promise<void> {
      const [collection, key, rest] = kinds[index % kinds.length] ?? kinds[0]
      const answer = await ask<Record<string, { name: string }>>(
        platform.url,
        `/v3/${collection}`,
        { method: 'POST', token, body: { [key]: { ...rest, name: text } } },
      )
      const at = `${collection} ${JSON.stringify(text)}: ${answer.text}`
      // Normalization can turn one quote character into another.
      assert.ok([201, 400, 409].includes(answer.status), at)
      if (answer.status !== 201) return
      assert.equal(answer.body[key]?.name, text, at)
      const table = collection === 'credentials' ? 'access_keys' : collection
      made.set(table, (made.get(table) ?? 0) + 1)
      made.set('events', (made.get('events') ?? 0) + 1)
    }
    await Promise.all(injectionTexts.map(create))
    assert.ok((made.get('events') ?? 0) > 100)
    // Existing rows are unchanged; only the created ones are new.
    const after = await dumpTables(platform.database)
    for (const [table, rows] of Object.entries(after)) {
      if (table === 'identity_version') continue
      const old = new Set(before[table])
      const added = rows.filter((row) => !old.has(row))
      assert.deepEqual(
        [rows.length, added.length],
        [old.size + added.length, made.get(table) ?? 0],
        table,
      )
    }
  })
})
