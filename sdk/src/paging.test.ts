import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createAdminClient } from '../../server/src/testing/contract-client.ts'
import { minimalServer } from '../../server/src/testing/inventory-world/minimal-server.ts'
import { startPlatform } from '../../server/src/testing/start-platform.ts'
import type { TestPlatform } from '../../server/src/testing/start-platform.ts'
import { ConnectionError, createClient, tokenAuth, type Client, type IssuedToken } from './index.ts'
import { createCountedFetch } from './testing/counted-fetch.ts'

const servers = 330

describe('paging', () => {
  let platform: TestPlatform
  let token: string
  let ids: string[]
  before(async () => {
    platform = await startPlatform()
    const admin = await createAdminClient(platform)
    token = admin.token
    const { id } = await platform.database.db
      .selectFrom('projects')
      .select('id')
      .where('name', '=', 'system')
      .executeTakeFirstOrThrow()
    const present = Array.from({ length: servers }, () => minimalServer(id))
    ids = present.map((server) => server.id).sort()
    await platform.inventory.recordServers({ present, gone: [] })
  })
  after(() => platform.close())

  function connect() {
    const counted = createCountedFetch()
    const client: Client<IssuedToken> = createClient({
      url: platform.url,
      auth: tokenAuth(token),
      fetch: counted.fetch,
    })
    return { client, counted }
  }

  test('returns every server once, in pages of the requested size', async () => {
    const { client, counted } = connect()
    const seen: string[] = []
    for await (const { id } of client.all('listServers', { query: { limit: 25 } })) {
      seen.push(id ?? '')
    }
    assert.deepEqual(seen.sort(), ids)
    assert.equal(counted.count('GET /servers 200'), Math.ceil(servers / 25))
  })

  test('keeps the query on all pages', async () => {
    const { client } = connect()
    const query = { limit: 20, status: ['running', 'ready'], field: ['id', 'name'] }
    let count = 0
    for await (const page of client.pages('listServers', { query })) {
      assert.equal(page.total, servers)
      for (const server of page.servers) assert.deepEqual(Object.keys(server), ['id', 'name'])
      count += page.servers.length
    }
    assert.equal(count, servers)
  })

  test('requests no more pages than are read', async () => {
    const { client, counted } = connect()
    let count = 0
    for await (const server of client.all('listServers', { query: { limit: 10 } })) {
      assert.ok(server.id)
      count += 1
      if (count === 15) break
    }
    assert.equal(counted.calls.length, 2)
  })

  test('also works for identity lists and events', async () => {
    const { client, counted } = connect()
    const whole = await client.listRoles()
    const names: string[] = []
    for await (const { name } of client.all('listRoles', { query: { limit: 2 } })) names.push(name)
    assert.deepEqual(
      names,
      whole.roles.map(({ name }) => name),
    )
    assert.ok(counted.calls.length > 3)
    for (const name of ['one', 'two', 'three'])
      await client.createProject({ body: { project: { name } } })
    const events: string[] = []
    for await (const { id } of client.all('listEvents', { query: { limit: 1 } })) events.push(id)
    assert.ok(events.length >= 3)
    assert.equal(new Set(events).size, events.length)
  })

  test('ends when it is aborted', async () => {
    const { client, counted } = connect()
    const abort = new AbortController()
    const walk = async () => {
      for await (const _page of client.pages('listServers', {
        query: { limit: 10 },
        signal: abort.signal,
      })) {
        if (counted.calls.length === 3) abort.abort()
      }
    }
    await assert.rejects(walk(), { name: 'AbortError' })
    assert.equal(counted.calls.length, 3)
  })

  test('an export is streamed and can be stopped before its end', async () => {
    const { client } = connect()
    const response = await client.stream('listServers', { query: { format: 'ndjson' } })
    assert.equal((await response.text()).trim().split('\n').length, servers)
    const abort = new AbortController()
    const { body } = await client.stream('listServers', {
      query: { format: 'csv' },
      signal: abort.signal,
    })
    abort.abort()
    await assert.rejects(
      async () => {
        for await (const piece of body ?? []) assert.ok(piece)
      },
      { name: 'AbortError' },
    )
  })

  test('rows of an export are all items, with one request', async () => {
    const { client, counted } = connect()
    const seen: string[] = []
    for await (const { id, name } of client.rows('listServers', { query: { field: ['id'] } })) {
      assert.equal(name, undefined)
      seen.push(id ?? '')
    }
    assert.deepEqual(seen.sort(), ids)
    assert.deepEqual(counted.calls, ['GET /servers 200'])
  })

  const rowsOf = (start: (controller: ReadableStreamDefaultController<Uint8Array>) => void) => {
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>({ start, cancel: () => void (isCancelled = true) })
    const client = createClient({
      url: 'http://muster.test',
      fetch: async () =>
        new Response(body, { headers: { 'content-type': 'application/x-ndjson' } }),
    })
    return { rows: client.rows('listServers'), isCancelled: () => isCancelled }
  }
  const bytes = (text: string) => new TextEncoder().encode(text)

  test('rows arrive whole, however the connection cuts them', async () => {
    const text = bytes('{"name":"größe"}\n{"name":"two"}\n\n{"name":"three"}')
    for (const size of [1, 2, 7, 1_000]) {
      const { rows } = rowsOf((controller) => {
        for (let from = 0; from < text.length; from += size)
          controller.enqueue(text.slice(from, from + size))
        controller.close()
      })
      const names: unknown[] = []
      for await (const { name } of rows) names.push(name)
      assert.deepEqual(names, ['größe', 'two', 'three'])
    }
  })

  test('a reader who stops closes the connection of the export', async () => {
    const { rows, isCancelled } = rowsOf((controller) => controller.enqueue(bytes('{}\n{}\n')))
    for await (const row of rows) {
      assert.ok(row)
      break
    }
    assert.ok(isCancelled())
  })

  for (const [how, end] of [
    ['is closed within a row', (controller) => controller.close()],
    ['breaks', (controller) => controller.error(new TypeError('terminated'))],
  ] as const satisfies [string, (controller: ReadableStreamDefaultController) => void][]) {
    test(`an export that ${how} is a connection error after the whole rows`, async () => {
      const { rows } = rowsOf((controller) => {
        controller.enqueue(bytes('{"name":"one"}\n{"na'))
        if (how !== 'breaks') end(controller)
        else setImmediate(() => end(controller))
      })
      assert.equal((await rows.next()).value?.name, 'one')
      await assert.rejects(rows.next(), (error) => error instanceof ConnectionError)
    })
  }
})
