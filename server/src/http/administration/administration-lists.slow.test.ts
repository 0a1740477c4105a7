import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { RoleAssignmentDto } from '@muster/contract'
import fc from 'fast-check'
import pg from 'pg'
import { nameKey } from '../../domain/name-key.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { ask } from '../../testing/client.ts'
import { operationNamed, pathWith } from '../../testing/contract-client.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import {
  everyPerson,
  expect,
  readWorld,
  type Person,
  type ListQuery,
  type Row,
  type World,
} from '../../testing/identity-world/identity-model.ts'
import { listOperations, createListQueries } from '../../testing/identity-world/identity-queries.ts'
import {
  createDraw,
  addRandomOrganisation,
  sampleWords,
} from '../../testing/identity-world/random-organisation.ts'
import { insertToken } from '../../testing/identity-world/insert-token.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const rounds = 260
const mostAtOnce = 10

type Item = Readonly<Record<string, unknown>>
interface ListBody {
  readonly total?: number
  readonly links?: { readonly self: string; readonly next: string | null }
}

/** The comparable parts of a row and of an item of the response. */
function assertSame(row: Row, item: Item): void {
  for (const [key, value] of Object.entries(item)) {
    const cell = row[key]
    if (cell === undefined) continue
    const told =
      typeof value === 'boolean'
        ? Number(value)
        : typeof value === 'object' && value !== null
          ? JSON.stringify(value)
          : value
    const isTimestamp = typeof cell === 'number' && /_at$|^time$/.test(key)
    // A role is stored with a domain and returned without one.
    if (key === 'domain_id' && value === null) continue
    assert.equal(told, isTimestamp ? timestamp(cell) : cell, key)
  }
}

/** The identity of an item: its id, or the path of an assignment and its user. */
function nameOf(item: Item): string {
  if (typeof item['id'] === 'string') return item['id']
  const { links, user, group } = item as unknown as RoleAssignmentDto
  return `${new URL(links.assignment).pathname} ${user?.id ?? group?.id}`
}
const nameOfRow = (row: Row): string =>
  row['link'] === undefined ? row.id : `${row['link']} ${row['user_id'] ?? row['group_id']}`

onPostgresFirst('administration lists', (engine) => {
  let platform: TestPlatform
  let world: World
  let people: Person[]
  let tokens: Map<Person, string>
  const seed = fc.sample(fc.integer(), 1)[0] ?? 0
  before(async () => {
    platform = await startPlatform({ engine })
    const { database } = platform
    await addRandomOrganisation(database, createDraw(seed))
    people = everyPerson(await readWorld(database))
    tokens = new Map()
    for (const person of people) tokens.set(person, await insertToken(database, person))
    // Not everybody sees last logins, which have a test of their own, as contacts have.
    const withoutLogins = database.db.updateTable('users').set({ last_login_at: null })
    await database.commitIdentity([withoutLogins.compile()])
    world = await readWorld(database)
  })
  after(() => platform.close())

  const systemAdmin = () => {
    const { id } = world.users.find(({ name }) => name === 'sysadmin') ?? { id: '' }
    return people.find(({ userId, scope }) => userId === id && scope.kind === 'project') as Person
  }

  const addressOf = ({ list, parents, filters, sortKey, descending }: ListQuery, more: object) => {
    const operation = operationNamed(list)
    const { enum: sortKeys = [] } = (operation.query?.properties['sort_key'] ?? {}) as {
      enum?: string[]
    }
    const isSorted = sortKeys.includes(sortKey)
    const query = Object.entries({
      ...filters,
      ...(isSorted && { sort_key: sortKey, ...(descending && { sort_dir: 'desc' }) }),
      ...more,
      // A boolean parameter may have no value.
    }).map(([name, value]) => (value === '' ? name : `${name}=${encodeURIComponent(value)}`))
    return `${pathWith(operation, parents)}?${query.join('&')}`
  }

  /** The next page, by the link of the list or by the id of the last item. */
  function findNext(
    listQuery: ListQuery,
    { body, headers }: { body: ListBody; headers: Headers },
    items: readonly Item[],
    { limit, paging }: { limit: number; paging: 'links' | 'ids' },
  ): string | undefined {
    const link = body.links
      ? body.links.next
      : (/<(.+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null)
    const here = link?.slice(platform.authUrl.length)
    const last = items.at(-1)?.['id']
    const hasIds =
      typeof last === 'string' && operationNamed(listQuery.list).query?.properties['sort_key']
    if (paging === 'links' || !hasIds) return here
    return items.length < limit ? undefined : addressOf(listQuery, { limit, marker: last })
  }

  async function collect(
    person: Person,
    listQuery: ListQuery,
    { limit, paging }: { limit: number | undefined; paging: 'links' | 'ids' },
  ): Promise<{ status: number; items: Item[]; requests: number }> {
    const schema = operationNamed(listQuery.list).responses[200]?.body as { properties?: object }
    const [key = ''] = Object.keys(schema.properties ?? {})
    const items: Item[] = []
    const totals = new Set<number | undefined>()
    let address: string | undefined = addressOf(listQuery, limit === undefined ? {} : { limit })
    for (let requests = 1; ; requests += 1) {
      assert.ok(requests < 300, 'the pages do not end')
      const answer: Awaited<ReturnType<typeof ask<ListBody>>> = await ask<ListBody>(
        platform.url,
        address,
        { token: tokens.get(person) ?? '' },
      )
      if (answer.status !== 200) return { status: answer.status, items, requests }
      const page = (answer.body as Record<string, Item[]>)[key] ?? []
      const self: string = new URL(address, platform.authUrl).href
      if (answer.body.links) assert.equal(answer.body.links.self, self)
      items.push(...page)
      if (limit !== undefined) assert.ok(page.length <= limit, 'a page is too long')
      totals.add(answer.body.total)
      address = findNext(listQuery, answer, page, { limit: limit ?? Infinity, paging })
      if (address !== undefined) continue
      // Every page has the same total; events have none.
      assert.deepEqual([...totals], [listQuery.list === 'listEvents' ? undefined : items.length])
      return { status: 200, items, requests }
    }
  }

  test('SEC-60: 1,000 random queries return the same as a reference model', async () => {
    const seen = { 200: 0, 400: 0, 403: 0, 404: 0, rows: 0, requests: 0 }
    const asked = new Map<string, number>()
    const listQuery = createListQueries(world, people)

    async function answerOne(pick: Parameters<Parameters<typeof listQuery.map>[0]>[0]) {
      const expected = expect(world, pick.person, pick.listQuery)
      const rows = expected.status === 200 ? expected.rows : []
      const knowsLimit =
        operationNamed(pick.listQuery.list).query?.properties['limit'] !== undefined
      // The default page size of events is twenty.
      const isPaged = knowsLimit && (pick.pages > 0 || pick.listQuery.list === 'listEvents')
      const limit = isPaged
        ? Math.max(1, Math.ceil(rows.length / Math.max(1, pick.pages)))
        : undefined
      const got = await collect(pick.person, pick.listQuery, { limit, paging: pick.paging })
      assert.equal(got.status, expected.status)
      const isInOrder = pick.listQuery.list !== 'listRoleAssignments'
      const names = [got.items.map(nameOf), rows.map(nameOfRow)].map((list) =>
        isInOrder ? list : list.toSorted(),
      )
      assert.deepEqual(names[0], names[1])
      if (isInOrder) got.items.forEach((item, index) => assertSame(rows[index] as Row, item))
      seen[expected.status] += 1
      seen.rows += rows.length
      seen.requests += got.requests
      asked.set(pick.listQuery.list, (asked.get(pick.listQuery.list) ?? 0) + 1)
    }

    await fc.assert(
      fc.asyncProperty(
        fc.noBias(fc.array(listQuery, { minLength: 1, maxLength: mostAtOnce, size: 'max' })),
        (picks) => Promise.all(picks.map(answerOne)).then(() => undefined),
      ),
      { numRuns: rounds, seed },
    )
    // Guards against a model and a platform that both deny everything.
    assert.ok(seen[200] > 300 && seen[403] > 50 && seen[404] > 10, JSON.stringify(seen))
    assert.ok(seen.rows > 1_000, JSON.stringify(seen))
    assert.ok(
      seen[200] + seen[403] + seen[404] >= 1_000 && seen.requests > 1_100,
      JSON.stringify(seen),
    )
    assert.deepEqual([...asked.keys()].sort(), listOperations.map(({ id }) => id).sort())
  })

  test('the next link keeps all filters, also with a second question mark', async () => {
    const identities = createIdentityWorld(platform.database)
    const ids = []
    for (const place of ['here', 'there']) {
      const domainId = await identities.addDomain(place)
      ids.push(await identities.addUser({ name: 'who?else', domainId }))
    }
    const [first, second] = ids.sort()
    const token = tokens.get(systemAdmin()) ?? ''
    const read = (address: string) =>
      ask<{ users: { id: string }[]; links: { next: string | null } }>(platform.url, address, {
        token,
      })
    const { body } = await read('/v3/users?limit=1&name=who?else')
    assert.deepEqual(
      body.users.map(({ id }) => id),
      [first],
    )
    const next = await read(body.links.next?.slice(platform.authUrl.length) ?? '')
    assert.deepEqual(
      next.body.users?.map(({ id }) => id),
      [second],
    )
    assert.equal(next.body.links.next, null)
  })
})

/** An empty database with an English collation, unlike the default of the test run. */
async function createDictionary(): Promise<string> {
  const server = process.env['TEST_POSTGRES_URL'] ?? ''
  const name = `dictionary_${randomBytes(6).toString('hex')}`
  const client = new pg.Client(server)
  await client.connect()
  await client.query(
    `create database ${name} template template0 encoding 'UTF8' locale_provider icu icu_locale 'en-US'`,
  )
  await client.end()
  return server.replace(/[^/]+$/, name)
}

onPostgresFirst('sorting by name', (engine) => {
  let platform: TestPlatform
  let folder: string
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'muster-names-'))
    const databaseUrl = engine === 'postgres' ? await createDictionary() : undefined
    platform = await startPlatform({ engine, beside: { folder, databaseUrl } })
  })
  after(async () => {
    await platform.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('SEC-60: sorts by code point, independent of the database locale', async () => {
    const { database, url } = platform
    const identities = createIdentityWorld(database)
    const domainId = await identities.addDomain('Names')
    const distinct = new Map(sampleWords.map((word) => [nameKey(word), word])).values().toArray()
    const userId = await identities.addUser({ name: distinct[0] ?? '', domainId })
    for (const name of distinct.slice(1)) await identities.addUser({ name, domainId })
    await identities.assign({ role: 'domain_viewer', userId, domainId })
    const token = await insertToken(database, { userId, scope: { kind: 'domain', id: domainId } })

    const ascending = distinct.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    assert.notDeepEqual(ascending, distinct.toSorted(), 'UTF-16 would do as well')
    for (const sort of ['asc', 'desc']) {
      const names: string[] = []
      let next: string | null = `${platform.authUrl}/v3/users?sort_dir=${sort}&limit=7`
      while (next !== null) {
        const { pathname, search }: URL = new URL(next)
        const answer = await ask<{ users: { name: string }[]; links: { next: string | null } }>(
          url,
          pathname + search,
          { token },
        )
        names.push(...answer.body.users.map(({ name }) => name))
        next = answer.body.links.next
      }
      assert.deepEqual(names, sort === 'asc' ? ascending : ascending.toReversed())
    }
  })
})
