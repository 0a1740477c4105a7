import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createHttpUpstream, type Upstream } from '@muster/gateway'
import Fastify from 'fastify'
import { eventually } from '../../testing/eventually.ts'
import { createInProcessUpstream } from './in-process-upstream.ts'

/** A small API that echoes the request or streams endlessly. */
function createApi(t: TestContext) {
  const app = Fastify({ forceCloseConnections: true })
  t.after(() => app.close())
  const produced = { pieces: 0, isOver: false }
  const slow = new EventEmitter()
  async function* endless() {
    try {
      for (;;) {
        produced.pieces += 1
        yield Buffer.alloc(65_536)
        await pause(1)
      }
    } finally {
      produced.isOver = true
    }
  }
  app.all('/endless', (_request, reply) => reply.send(Readable.from(endless())))
  app.all('/slow', async (request, reply) => {
    reply.raw.once('close', () => slow.emit('gone'))
    slow.emit('asked', request.body)
    await once(slow, 'answer')
    slow.emit('done')
    return 'late'
  })
  app.all('/echo', (request, reply) =>
    reply
      .code(201)
      .header('etag', '"one"')
      .send({
        ip: request.ip,
        method: request.method,
        query: request.query,
        body: request.body ?? null,
        token: request.headers['x-auth-token'],
        forwarded: request.headers['x-forwarded-for'] ?? null,
      }),
  )
  return { app, produced, slow }
}

const ways: Record<
  string,
  (t: TestContext, app: ReturnType<typeof createApi>['app']) => Promise<Upstream>
> = {
  'in this process': async (_t, app) => createInProcessUpstream(app),
  'over HTTP': async (t, app) => {
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const { ask, close } = createHttpUpstream({ authUrl: url, baseUrl: url })
    t.after(close)
    return ask
  },
}

const request = {
  servedBy: ['platform'],
  method: 'GET',
  headers: {},
  body: undefined,
  ip: '198.51.100.7',
  protocol: 'https',
  host: 'muster.test',
  signal: new AbortController().signal,
} as const

for (const [way, open] of Object.entries(ways)) {
  describe(`an API upstream ${way}`, () => {
    test('receives the request and the client address and responds in full', async (t) => {
      const { app } = createApi(t)
      const upstream = await open(t, app)
      const answer = await upstream({
        ...request,
        method: 'POST',
        path: '/echo?a=b%2Fc&a=d',
        headers: { 'x-auth-token': 'mine', 'content-type': 'application/json' },
        body: Buffer.from('{"one":1}'),
      })
      assert.equal(answer.status, 201)
      assert.equal(answer.headers['etag'], '"one"')
      const { ip, forwarded, ...rest } = JSON.parse(await text(answer.body)) as Record<
        string,
        unknown
      >
      assert.deepEqual(rest, {
        method: 'POST',
        query: { a: ['b/c', 'd'] },
        body: { one: 1 },
        token: 'mine',
      })
      assert.equal(way === 'over HTTP' ? forwarded : ip, request.ip)
    })

    test('is told when the client disconnects before the response', async (t) => {
      const { app, slow } = createApi(t)
      const upstream = await open(t, app)
      const gone = new AbortController()
      const asked = once(slow, 'asked')
      const hungUp = once(slow, 'gone', { signal: AbortSignal.timeout(20_000) })
      const answer = upstream({ ...request, path: '/slow', signal: gone.signal })
      await asked
      gone.abort()
      await Promise.all([assert.rejects(answer), hungUp])
      slow.emit('answer')
      await assert.rejects(upstream({ ...request, path: '/echo', signal: gone.signal }))
    })

    test('completes a started change after the client disconnects', async (t) => {
      const { app, slow } = createApi(t)
      const upstream = await open(t, app)
      const gone = new AbortController()
      const asked = once(slow, 'asked')
      const answer = upstream({
        ...request,
        method: 'POST',
        path: '/slow',
        headers: { 'content-type': 'application/json' },
        body: Buffer.from('{"one":1}'),
        signal: gone.signal,
      }).then(async ({ body }) => await text(body))
      const outcome = assert.rejects(answer)
      assert.deepEqual(await asked, [{ one: 1 }])
      gone.abort()
      await pause(20)
      const done = once(slow, 'done')
      slow.emit('answer')
      await Promise.all([done, outcome])
    })

    test('stops streaming when the client disconnects', async (t) => {
      const { app, produced } = createApi(t)
      const upstream = await open(t, app)
      const gone = new AbortController()
      const { body } = await upstream({ ...request, path: '/endless', signal: gone.signal })
      body.on('error', () => {})
      await once(body, 'data')
      body.pause()
      const patience = AbortSignal.timeout(20_000)
      // The client stops reading, so the stream blocks.
      for (let before = 0; before < produced.pieces;) {
        before = produced.pieces
        await pause(100, undefined, { signal: patience })
      }
      assert.ok(!produced.isOver)
      gone.abort()
      await eventually('the response ends', () => produced.isOver)
    })
  })
}

describe('a remote API that stops responding', () => {
  async function open(t: TestContext) {
    const { app, slow, produced } = createApi(t)
    app.get('/half', (_request, reply) => {
      reply.hijack()
      reply.raw.write('a beginning')
    })
    const url = await app.listen({ port: 0, host: '127.0.0.1' })
    const { ask, close } = createHttpUpstream({ authUrl: url, baseUrl: url, timeout: 100 })
    t.after(close)
    return { ask, slow, produced }
  }

  test('times out', async (t) => {
    const { ask, slow } = await open(t)
    await assert.rejects(ask({ ...request, path: '/slow' }), /no data from/)
    slow.emit('answer')
    assert.equal((await ask({ ...request, path: '/echo' })).status, 201)
  })

  test('times out in the middle of a response', async (t) => {
    const { ask } = await open(t)
    const { body } = await ask({ ...request, path: '/half' })
    await assert.rejects(text(body))
  })
})

test('an unreachable API is an error without waiting', async () => {
  const nowhere = { authUrl: 'http://127.0.0.1:9', baseUrl: 'http://127.0.0.1:9' }
  const { ask } = createHttpUpstream(nowhere)
  await assert.rejects(ask({ ...request, path: '/servers' }))
})
