import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, test, type TestContext } from 'node:test'
import { openSocket } from '../testing/raw-socket.ts'
import { closeStalledResponses } from './stalled-responses.ts'

const limit = 250
const megabyte = 2 ** 20

/** A server with one response that is far larger than the system buffers. */
async function start(t: TestContext, write: 'at once' | 'in pieces' | 'never') {
  const server = createServer(async (_request, response) => {
    if (write === 'at once') response.end(Buffer.alloc(64 * megabyte))
    if (write !== 'in pieces') return
    while (!response.destroyed) {
      if (!response.write(Buffer.alloc(megabyte / 4))) await once(response, 'drain').catch(() => {})
    }
  })
  closeStalledResponses(server, 'connection', limit)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const connected = once(server, 'connection') as Promise<[Socket]>
  const reader = openSocket(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  t.after(() => reader.destroy())
  reader.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [socket] = await connected
  return { reader, socket }
}

describe('a response', () => {
  for (const write of ['at once', 'in pieces'] as const) {
    test(`REL-12: written ${write} is closed when the client stops reading`, async (t) => {
      const { reader, socket } = await start(t, write)
      await once(reader, 'data')
      reader.pause()
      await once(socket, 'close')
      assert.ok(socket.destroyed)
      // Closed with a reset; otherwise the system would keep the unsent data.
      reader.resume()
      const [error] = (await once(reader, 'error')) as [NodeJS.ErrnoException]
      assert.equal(error.code, 'ECONNRESET')
    })

    test(`REL-12: written ${write} stays open while the client reads slowly`, async (t) => {
      const { reader, socket } = await start(t, write)
      // A pause after each chunk, for several times the limit in total.
      for (let pieces = 0; pieces < 100; pieces += 1) {
        await once(reader, 'data')
        reader.pause()
        await pause(15)
        assert.ok(!socket.destroyed)
        reader.resume()
      }
    })
  }

  test('is not closed before it begins', async (t) => {
    const { socket } = await start(t, 'never')
    await pause(4 * limit)
    assert.ok(!socket.destroyed)
  })
})
