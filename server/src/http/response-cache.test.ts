import assert from 'node:assert/strict'
import { createServer, request as send, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { operations, type Operation } from '@muster/contract'
import { createCacheMemory } from '../domain/cache.ts'
import type { Principal } from '../domain/identity/principal.ts'
import { ask } from '../testing/client.ts'
import { onEngineOfLane } from '../testing/lanes.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../testing/inventory-world/start-inventory-world.ts'
import { createResponseCache, type CachedResponse } from './response-cache.ts'

const [operation] = operations as readonly Operation[] as [Operation]

describe('a repeated request', () => {
  const somebody = {} as Principal
  let known: Principal | undefined
  let isRight: boolean
  let hasRoom: boolean
  let isDraining: boolean
  const noted: string[] = []
  const repeats = createResponseCache({
    findKnown: (secret) => (secret === 'secret' ? known : undefined),
    countRequest: () => hasRoom,
    isDraining: () => isDraining,
    note: ({ status }, requestId) => noted.push(`${status} ${requestId}`),
    memory: createCacheMemory(2 ** 20),
  })
  const answer: CachedResponse = {
    operation,
    principal: somebody,
    ip: '',
    status: 200,
    headers: ['content-type', 'text/plain', 'content-length', '5'],
    body: Buffer.from('again'),
    isFresh: () => isRight,
  }
  const server = createServer((request, response) => {
    if (repeats.answer(request, response)) return
    if (request.headers['x-forget'] === undefined) repeats.remember(request, answer)
    response.end('first')
  })

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  after(() => server.close())

  function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
    const { port } = server.address() as AddressInfo
    return new Promise<{ text: string; headers: IncomingHttpHeaders }>((resolve, reject) => {
      const all = { 'x-auth-token': 'secret', ...headers }
      send({ port, host: '127.0.0.1', path, headers: all, method, agent: false }, (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString()))
        response.on('end', () => resolve({ text, headers: response.headers }))
      })
        .on('error', reject)
        .end()
    })
  }

  /** Resets to valid state and caches the response. */
  async function start(path: string, headers?: Record<string, string>) {
    ;[known, isRight, hasRoom, isDraining] = [somebody, true, true, false]
    assert.equal((await get(path, headers)).text, 'first')
    assert.equal((await get(path, headers)).text, 'again')
  }

  test('gets the same response with a new request id, and is counted', async () => {
    await start('/same')
    const [one, two] = [await get('/same'), await get('/same')]
    assert.equal(one.headers['content-type'], 'text/plain')
    assert.match(String(one.headers['x-request-id']), /^req-/)
    assert.notEqual(one.headers['x-request-id'], two.headers['x-request-id'])
    assert.ok(noted.includes(`200 ${String(two.headers['x-request-id'])}`))
  })

  test('differs by path, header, header order and method', async () => {
    await start('/other', { a: '1', b: '2' })
    for (const [path, headers, method] of [
      ['/other?', { a: '1', b: '2' }],
      ['/other', { a: '1', b: '3' }],
      ['/other', { a: '1' }],
      ['/other', { b: '2', a: '1' }],
      ['/other', { A: '1', b: '2' }],
      ['/other', { a: '1', b: '2' }, 'PUT'],
    ] as [string, Record<string, string>, string?][]) {
      assert.equal((await get(path, headers, method)).text, 'first', JSON.stringify(headers))
    }
  })

  test('is not answered from the cache for another or unknown caller or above the limit', async () => {
    await start('/caller')
    hasRoom = false
    assert.equal((await get('/caller')).text, 'first')
    await start('/caller2')
    known = undefined
    assert.equal((await get('/caller2', { 'x-forget': '' })).text, 'first')
    assert.equal((await get('/caller2')).text, 'first')
    await start('/caller3')
    known = {} as Principal
    assert.equal((await get('/caller3')).text, 'first')
  })

  test('is not answered from the cache if the response is stale or the server is draining', async () => {
    await start('/right')
    isRight = false
    assert.equal((await get('/right')).text, 'first')
    await start('/drain')
    isDraining = true
    assert.equal((await get('/drain')).text, 'first')
  })

  test('is not cached if the client sent a request id', async () => {
    ;[known, isRight, hasRoom, isDraining] = [somebody, true, true, false]
    for (let time = 0; time < 3; time += 1) {
      assert.equal((await get('/own', { 'x-request-id': 'mine' })).text, 'first')
    }
  })
})

onEngineOfLane('a cached page', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 30 })
  })
  after(() => fleet.platform.close())

  const path = '/servers?details=true&limit=5&with_meta=true'
  const list = (token: string) => ask<{ servers: { id: string }[] }>(fleet.url, path, { token })
  async function warm(token: string) {
    for (let time = 0; time < 4; time += 1) assert.equal((await list(token)).status, 200)
    return await list(token)
  }

  test('SEC-07: is separate for each caller', async () => {
    const { owner, viewer, domainAdmin } = fleet.callers
    const pages = await Promise.all([owner, viewer, domainAdmin].map(({ token }) => warm(token)))
    assert.equal(new Set(pages.map(({ text }) => text)).size, 3)
    for (const [at, { token }] of [owner, viewer, domainAdmin].entries()) {
      assert.equal((await list(token)).text, pages[at]?.text)
    }
  })

  test('is not used after a write', async () => {
    const { owner } = fleet.callers
    const { body, text } = await warm(owner.token)
    const id = body.servers[0]?.id ?? ''
    const tag = { method: 'POST', token: owner.token, body: { metadata: { fresh: 'yes' } } }
    assert.equal((await ask(fleet.url, `/servers/${id}/metadata`, tag)).status, 200)
    const after = await list(owner.token)
    assert.notEqual(after.text, text)
    assert.match(after.text, /"user:fresh":"yes"/)
  })

  test('SEC-05: is not used after the token was revoked', async () => {
    const { token } = await fleet.addCaller('project_viewer', fleet.third)
    await warm(token)
    const headers = { 'x-subject-token': token }
    const end = await ask(fleet.url, '/v3/auth/tokens', { method: 'DELETE', token, headers })
    assert.equal(end.status, 204)
    assert.equal((await list(token)).status, 401)
  })

  test('SEC-02: is not used after the permission was revoked', async () => {
    const { admin } = fleet.callers
    const caller = await fleet.addCaller('project_viewer', fleet.third)
    await warm(caller.token)
    const change = { method: 'PUT', token: admin.token, body: { user: { enabled: false } } }
    assert.equal((await ask(fleet.url, `/v3/users/${caller.userId}`, change)).status, 200)
    assert.equal((await list(caller.token)).status, 401)
  })
})
