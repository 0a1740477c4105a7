import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import { listen, openSocket } from '../testing/raw-socket.ts'
import { answerInTurn } from './pipelining.ts'

/** A server that reports each request that begins and responds on demand. */
async function start(t: TestContext) {
  const begun: string[] = []
  const open: ServerResponse[] = []
  const server: Server = createServer((request, response) => {
    begun.push(request.url ?? '')
    open.push(response)
    server.emit('begun')
  })
  answerInTurn(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { server, url, begun, answer: (text: string) => open.shift()?.end(text) }
}

const requests = (count: number) =>
  Array.from({ length: count }, (_, at) => `GET /${at} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join(
    '',
  )

describe('pipelined requests', () => {
  test('are processed one after another and answered in order', async (t) => {
    const { server, url, begun, answer } = await start(t)
    const socket = openSocket(url)
    const heard = listen(socket, { patience: 30_000 })
    const count = 250
    socket.write(requests(count))
    for (let at = 0; at < count; at += 1) {
      if (begun.length === at) await once(server, 'begun')
      assert.equal(begun.length, at + 1)
      if (at === count - 1)
        socket.write('GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      answer(`answer ${at}`)
    }
    if (begun.length === count) await once(server, 'begun')
    answer('end')
    const { answers } = await heard
    const expected = Array.from({ length: count }, (_, at) => `answer ${at}`)
    assert.deepEqual(
      answers.map(({ body }) => body),
      [...expected, 'end'],
    )
  })

  test('do not wait for other connections', async (t) => {
    const { server, url, begun } = await start(t)
    const sockets = [openSocket(url), openSocket(url)]
    for (const socket of sockets) socket.write(requests(3))
    while (begun.length < 2) await once(server, 'begun')
    assert.deepEqual(begun, ['/0', '/0'])
    for (const socket of sockets) socket.destroy()
  })

  test('are not started after the client disconnects', async (t) => {
    const { server, url, begun } = await start(t)
    const socket = openSocket(url)
    const closed = new Promise((resolve) => {
      server.once('connection', (peer) => peer.once('close', resolve))
    })
    socket.write(requests(3))
    await once(server, 'begun')
    socket.destroy()
    await closed
    await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(begun, ['/0'])
  })
})
