import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { conformanceContext } from '../../testing/inventory-world/source-conformance.ts'
import type { SourceError } from '../../domain/sources/source-error.ts'
import { createHttpClient, type HttpClient } from './http-client.ts'
import { LostResponse } from './lost-response.ts'
import { withRetries } from './retry.ts'
import { statusError, TransientError } from './status-error.ts'

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown

describe('the HTTP client of sources', () => {
  let handle: Handler = (_request, response) => response.end('ok')
  const server = createServer((request, response) => void handle(request, response))
  let requests = 0
  let permits = 0
  let client: HttpClient
  let url: URL
  before(async () => {
    server.on('request', () => (requests += 1))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/list?all=1`)
    const throttle = async () => void (permits += 1)
    client = createHttpClient({ ...conformanceContext, throttle }, { maxBytes: 1_000 })
  })
  after(() => {
    client.close()
    server.closeAllConnections()
    server.close()
  })
  const soon = () => AbortSignal.timeout(5_000)
  const send = (handler: Handler, more: object = {}) => {
    handle = handler
    return client.send({ url, ...more }, soon())
  }

  test('sends method, path, headers and body, and waits for its turn', async () => {
    const permitsBefore = permits
    const response = await send(
      async (request, reply) => {
        const { method, url: path, headers } = request
        const body = await text(request)
        reply.writeHead(418, { 'x-answer': 'yes' })
        reply.end([method, path, headers['x-own'], headers['content-length'], body].join(' '))
      },
      { method: 'POST', headers: { 'x-own': '1' }, body: 'grün' },
    )
    assert.equal(response.status, 418)
    assert.equal(response.headers['x-answer'], 'yes')
    assert.equal(response.body.toString(), 'POST /list?all=1 1 5 grün')
    assert.equal(permits, permitsBefore + 1)
  })

  test('does not follow redirects', async () => {
    const count = requests
    const { status } = await send((_request, response) =>
      response.writeHead(302, { location: '/elsewhere' }).end(),
    )
    assert.equal(status, 302)
    assert.equal(requests, count + 1)
  })

  test('limits the size of a response', () =>
    assert.rejects(
      send((_request, response) => response.end('x'.repeat(1_001))),
      { kind: 'invalid-response', message: /more than 1000 bytes to GET \/list\./ },
    ))

  test('cuts long texts, so that the rest can be read', async () => {
    const large = createHttpClient(conformanceContext)
    const longText = 'ü'.repeat(5_000_000)
    handle = (_request, response) => response.end(JSON.stringify({ longText, last: 1 }))
    try {
      const { body } = await large.send({ url }, soon())
      const read = JSON.parse(body.toString()) as { longText: string; last: number }
      assert.equal(read.last, 1)
      assert.ok(longText.startsWith(read.longText) && read.longText.length > 4_096)
      handle = (_request, response) => response.end('[],'.repeat(3_000_000))
      await assert.rejects(large.send({ url, call: 'ListThings' }, soon()), {
        name: 'SourceError',
        message: /more than 8388608 bytes to ListThings\.$/,
        start: /^(?:\[\],)+/,
      })
    } finally {
      large.close()
    }
  })

  test('reports a response that was cut', () =>
    assert.rejects(
      send((_request, response) => {
        response.writeHead(200, { 'content-length': 100 })
        response.write('half', () => response.destroy())
      }),
      { kind: 'incomplete', message: /closed the connection during a response/ },
    ))

  test('limits the time of a response, also when it has begun', async () => {
    const late = { kind: 'timeout', message: /no response within 0\.05 s/ }
    await assert.rejects(
      send(() => {}, { timeLimit: 50 }),
      late,
    )
    await assert.rejects(
      send((_request, response) => response.write('half'), { timeLimit: 50 }),
      late,
    )
  })

  test('sends a request again when a reused connection was closed', async () => {
    await send((_request, response) => response.end('first'))
    let drops = 1
    const { body } = await send((request, response) => {
      if (drops-- > 0) request.socket.resetAndDestroy()
      else response.end('second')
    })
    assert.equal(body.toString(), 'second')
    assert.ok(drops < 1)
  })

  test('sends a request once if told so, and says whether it was sent', async () => {
    const once = createHttpClient(conformanceContext, { sendsOnce: true })
    const sendOnce = (handler: Handler, more: object = {}) => {
      handle = handler
      return once.send({ url, ...more }, soon())
    }
    try {
      const sockets = new Set<unknown>()
      const note: Handler = (request, response) => {
        sockets.add(request.socket)
        response.end('ok')
      }
      await sendOnce(note)
      await sendOnce(note)
      assert.equal(sockets.size, 2, 'a connection was used twice')
      const count = requests
      const isLost = (kind: string) => (error: unknown) =>
        error instanceof LostResponse && error.kind === kind
      await assert.rejects(
        sendOnce((request) => request.socket.resetAndDestroy()),
        isLost('unreachable'),
      )
      await assert.rejects(
        sendOnce((_request, response) => {
          response.writeHead(200, { 'content-length': 100 })
          response.write('half', () => response.destroy())
        }),
        isLost('incomplete'),
      )
      await assert.rejects(
        sendOnce(() => {}, { timeLimit: 50 }),
        isLost('timeout'),
      )
      assert.equal(requests, count + 3)
      await assert.rejects(
        once.send({ url: new URL('http://127.0.0.1:1/') }, soon()),
        (error) =>
          !(error instanceof LostResponse) && (error as SourceError).kind === 'unreachable',
      )
    } finally {
      once.close()
    }
  })

  test('sends at most eight requests at a time', async () => {
    let current = 0
    let most = 0
    const handler: Handler = async (_request, response) => {
      most = Math.max(most, (current += 1))
      await pause(5)
      current -= 1
      response.end()
    }
    await Promise.all(Array.from({ length: 40 }, () => send(handler)))
    assert.ok(most > 1 && most <= 8, `${most} at a time`)
  })

  test('frees the place of a request that was aborted while it waited', async () => {
    const held: ServerResponse[] = []
    const running = Array.from({ length: 8 }, () =>
      send((_request, response) => held.push(response)),
    )
    await eventually('eight requests are held', () => held.length >= 8)
    const aborted = Array.from({ length: 8 }, () =>
      assert.rejects(client.send({ url }, AbortSignal.timeout(20)), { kind: 'timeout' }),
    )
    await Promise.all(aborted)
    for (const response of held) response.end()
    await Promise.all(running)
    await Promise.all(Array.from({ length: 8 }, () => send((_request, response) => response.end())))
  })

  test('does not wait for its turn after an abort', async () => {
    const waiting = createHttpClient({
      ...conformanceContext,
      throttle: () => new Promise(() => {}),
    })
    const signal = AbortSignal.timeout(20)
    await assert.rejects(waiting.send({ url }, signal), { kind: 'timeout' })
    waiting.close()
  })

  test('reports credentials that cannot be sent', () =>
    assert.rejects(
      send(() => {}, { headers: { authorization: 'Bearer 中' } }),
      { kind: 'credentials', message: /a character that cannot be sent/ },
    ))

  test('fails when a new connection is closed', async () => {
    const fresh = createHttpClient(conformanceContext)
    handle = (request) => request.socket.destroy()
    await assert.rejects(fresh.send({ url }, soon()), { kind: 'unreachable' })
    fresh.close()
  })
})

const response = (status: number, headers = {}) => ({
  status,
  headers,
  body: Buffer.from('secret'),
})
const request = { host: 'cloud.example', action: 'list servers' }

describe('errors by status', () => {
  const expected: Readonly<Record<number, readonly [string, RegExp, boolean]>> = {
    301: ['invalid-response', /redirects to another address/, false],
    400: ['failed', /cloud\.example could not list servers \(status 400\)/, false],
    401: ['credentials', /does not accept the credentials/, false],
    403: ['forbidden', /not allowed to list servers at cloud\.example/, false],
    429: ['throttled', /asks for fewer requests/, true],
    500: ['failed', /could not list servers/, true],
    503: ['failed', /could not list servers/, true],
  }
  for (const [status, [kind, message, isTransient]] of Object.entries(expected)) {
    test(`${status} is ${kind}`, () => {
      const error = statusError(response(Number(status)), request)
      assert.equal(error.kind, kind)
      assert.match(error.message, message)
      assert.ok(!error.message.includes('secret'))
      assert.equal(error instanceof TransientError, isTransient)
    })
  }
})

describe('retries', () => {
  const retry = (attempt: () => Promise<string>, signal = AbortSignal.timeout(5_000)) =>
    withRetries(attempt, 'cloud.example', signal)

  test('repeat a transient failure, twice', async () => {
    let attempts = 0
    const fail = async () => {
      attempts += 1
      throw statusError(response(503), request)
    }
    await assert.rejects(retry(fail), { kind: 'failed' })
    assert.equal(attempts, 3)
    assert.equal(await retry(async () => (attempts++ < 4 ? await fail() : 'ok')), 'ok')
  })

  test('do not repeat other failures, nor what has to wait for long', async () => {
    for (const last of [response(403), response(429, { 'retry-after': '3600' })]) {
      let attempts = 0
      const attempt = async () => {
        attempts += 1
        throw statusError(last, request)
      }
      await assert.rejects(retry(attempt))
      assert.equal(attempts, 1)
    }
  })

  test('end with the signal', async () => {
    const controller = new AbortController()
    const attempt = async () => {
      controller.abort()
      throw statusError(response(500), request)
    }
    await assert.rejects(retry(attempt, controller.signal), { kind: 'timeout' })
  })
})
