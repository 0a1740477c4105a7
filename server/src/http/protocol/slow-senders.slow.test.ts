import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { ask } from '../../testing/client.ts'
import { listen, openSocket } from '../../testing/raw-socket.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

let platform: TestPlatform
before(async () => {
  platform = await startPlatform()
})
after(() => platform.close())

const head =
  'POST /v3/auth/tokens HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'

/** Far above the limits of 5 and 10 seconds; only bounds the test. */
const patience = 30_000

describe('REL-12: an incomplete request', { concurrency: true }, () => {
  const unfinished: Record<string, string> = {
    'half a request line': 'GET /heal',
    'half a header block': 'GET /healthz HTTP/1.1\r\nHost: mus',
    'endless headers': 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n',
    'half a body': `${head}Content-Length: 100\r\n\r\n{"auth":`,
    'half a chunk': `${head}Transfer-Encoding: chunked\r\n\r\n10\r\n{"auth":`,
  }
  for (const [name, text] of Object.entries(unfinished)) {
    test(`REL-12: is closed by the server: ${name}`, async () => {
      const socket = openSocket(platform.url)
      socket.write(text)
      const { closed, answers } = await listen(socket, { patience })
      assert.ok(closed, 'the connection was left open')
      assert.equal(answers.length, 1)
      assert.ok(answers[0] && answers[0].status >= 400 && answers[0].status < 500)
      assert.ok(answers[0].headers['x-request-id'])
      assert.equal((JSON.parse(answers[0].body) as { code: number }).code, answers[0].status)
    })
  }

  const dripped: Record<string, string> = {
    headers: 'GET /healthz HTTP/1.1\r\nX-Drip: ',
    body: `${head}Content-Length: 60000\r\n\r\n{`,
  }
  for (const [part, text] of Object.entries(dripped)) {
    test(`REL-12: is closed by the server: ${part}, one byte at a time`, async (context) => {
      const socket = openSocket(platform.url)
      const drip = setInterval(() => socket.writable && socket.write('x'), 200)
      const start = performance.now()
      socket.write(text)
      const { closed } = await listen(socket, { patience })
      clearInterval(drip)
      assert.ok(closed)
      context.diagnostic(`closed after ${Math.round(performance.now() - start)} ms`)
    })
  }

  test('REL-12: does not block other clients', async () => {
    const sockets = Array.from({ length: 200 }, () => openSocket(platform.url))
    for (const socket of sockets) socket.write(`${head}Content-Length: 100\r\n\r\n{`)
    const { status } = await ask(platform.url, '/healthz')
    assert.equal(status, 200)
    for (const socket of sockets) socket.destroy()
  })
})
