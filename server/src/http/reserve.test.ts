import assert from 'node:assert/strict'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'node:test'
import { operations } from '@muster/contract'
import Fastify from 'fastify'
import { createFairQueue } from '../domain/fair-queue.ts'
import { openSocket } from '../testing/raw-socket.ts'
import { mountOperations, type Handlers } from './mount.ts'

const limits = {
  name: 'pages',
  capacity: 100,
  perKey: 100,
  mostWaiting: 1,
  mostWaitingPerKey: 1,
  longestWait: 60_000,
}

test('a body takes room in memory until its connection ends, and others wait for it', async (t) => {
  const app = Fastify()
  t.after(() => app.close())
  const begun: string[] = []
  const handlers = {
    showHealth: async ({ reserve }: { reserve: (bytes: number) => Promise<void> }) => {
      await reserve(60)
      begun.push('one more')
      return begun.length < 3 ? await new Promise(() => {}) : { status: 200, body: 'third' }
    },
  } as unknown as Handlers
  mountOperations(
    app,
    operations.filter(({ id }) => id === 'showHealth'),
    {
      handlers,
      authenticate: async () => undefined,
      remember: () => {},
      bodies: createFairQueue(limits),
      closesAfter: () => false,
    },
  )
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
  while (begun.length < 1) await pause(1)
  // One of them takes the one place to wait, the other is refused.
  const [second, third] = [ask(), ask()]
  const text = await Promise.race(
    [second, third].map(async (socket) => String(await once(socket, 'data'))),
  )
  assert.match(text, /^HTTP\/1\.1 429 /)
  assert.equal(begun.length, 1)
  first.destroy()
  while (begun.length < 2) await pause(1)
  for (const socket of [second, third]) socket.destroy()
  assert.equal(await (await fetch(`${url}/healthz`)).text(), 'third')
})
