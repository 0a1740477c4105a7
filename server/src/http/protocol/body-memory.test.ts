import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'node:test'
import { operations } from '@muster/contract'
import Fastify from 'fastify'
import type { Principal } from '../../domain/identity/principal.ts'
import { openSocket } from '../../testing/raw-socket.ts'
import { createResponseMemory } from '../response-memory.ts'
import { createInProcessUpstream } from '../gateway/in-process-upstream.ts'
import { registerOperations, type Handlers } from '../register-operations.ts'

const limits = {
  name: 'requests for pages',
  capacity: 100,
  perUser: 100,
  perToken: 100,
  maxWaiting: 1,
  maxWaitingPerKey: 1,
  maxWait: 60_000,
}

type Reserve = (bytes: number) => Promise<void>

/** An application whose one operation, `/healthz`, reserves memory for its body. */
function createReservingApp(showHealth: (call: { reserve: Reserve }) => Promise<unknown>) {
  const app = Fastify()
  registerOperations(
    app,
    operations.filter(({ id }) => id === 'showHealth'),
    {
      handlers: { showHealth } as unknown as Handlers,
      authenticate: async () => undefined,
      remember: () => {},
      bodies: createResponseMemory(limits),
      closesAfter: () => false,
    },
  )
  return app
}

test('a body reserves memory until its connection ends, and other requests wait', async (t) => {
  const begun: string[] = []
  const app = createReservingApp(async ({ reserve }) => {
    await reserve(60)
    begun.push('one more')
    return begun.length < 3 ? await new Promise(() => {}) : { status: 200, body: 'third' }
  })
  t.after(() => app.close())
  app.setErrorHandler((error: { status?: number }, _request, reply) =>
    reply.code(error.status ?? 500).send(),
  )
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const ask = () => {
    const socket = openSocket(url)
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    return socket
  }
  const first = ask()
  await eventually('the first request has begun', () => begun.length >= 1)
  // One of them takes the only queue slot, the other is rejected.
  const [second, third] = [ask(), ask()]
  const text = await Promise.race(
    [second, third].map(async (socket) => String(await once(socket, 'data'))),
  )
  assert.match(text, /^HTTP\/1\.1 429 /)
  assert.equal(begun.length, 1)
  first.destroy()
  await eventually('the second request has begun', () => begun.length >= 2)
  for (const socket of [second, third]) socket.destroy()
  assert.equal(await (await fetch(`${url}/healthz`)).text(), 'third')
})

for (const pieces of [1, 8]) {
  test(`a chunked body (${pieces}) for the gateway reserves memory until its client has read it`, async (t) => {
    let begun = 0
    const body = Array.from({ length: pieces }, () => Buffer.alloc(2_000_000 / pieces, 'x'))
    const app = createReservingApp(async ({ reserve }) => {
      await reserve(60)
      begun += 1
      return { status: 200, body }
    })
    t.after(() => app.close())
    const upstream = createInProcessUpstream(app)
    const ask = () =>
      upstream({
        servedBy: ['platform'],
        method: 'GET',
        path: '/healthz',
        headers: {},
        body: undefined,
        ip: '127.0.0.1',
        protocol: 'http',
        host: 'localhost',
        signal: new AbortController().signal,
      })
    const first = await ask()
    const second = ask()
    await pause(50)
    assert.equal(begun, 1)
    assert.equal((await first.body.toArray()).join('').length, 2_000_000)
    assert.equal(first.headers['content-length'], '2000000')
    const { body: unread } = await second
    assert.equal(begun, 2)
    unread.destroy()
  })
}

test('a user with many tokens leaves memory for other users, and a token for other tokens', async () => {
  const room = createResponseMemory({ ...limits, perUser: 60, perToken: 30, maxWaiting: 9 })
  const gone = new AbortController()
  const granted: string[] = []
  const acquire = async (userId: string, id: string) => {
    const principal = { token: { id, userId } } as Principal
    await room.acquire({ principal, bytes: 30, getSignal: () => gone.signal })
    granted.push(id)
  }
  const all = ['a1', 'a1', 'a2', 'a3', 'b1'].map((id) => acquire(id.slice(0, 1), id))
  await pause(1)
  assert.deepEqual(granted, ['a1', 'a2', 'b1'])
  gone.abort()
  await Promise.allSettled(all)
})
