import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ApiError, ConnectionError, createClient, passwordLogin, type Fetch } from './index.ts'

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(status === 204 ? null : JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })

const token = () => json(201, { token: {} }, { 'x-subject-token': 'secret' })

interface Call {
  readonly method: string
  readonly path: string
  readonly key: string | undefined
}

/** A client of an API that answers each attempt with the next of `answers`, and the last one for ever. */
function connect(answers: readonly (() => Response)[], options: { retries?: number } = {}) {
  const calls: Call[] = []
  const delays: number[] = []
  let next = 0
  const fetch: Fetch = async (address, { method, headers }) => {
    const path = new URL(address).pathname
    if (path === '/v3/auth/tokens') return token()
    calls.push({ method, path, key: new Headers(headers).get('idempotency-key') ?? undefined })
    const answer = answers[Math.min(next, answers.length - 1)]
    next += 1
    return answer?.() ?? assert.fail()
  }
  const client = createClient({
    url: 'http://muster.test',
    auth: passwordLogin({ user: { name: 'ada' }, password: 'x' }),
    fetch,
    sleep: async (milliseconds, signal) => {
      signal?.throwIfAborted()
      delays.push(milliseconds)
    },
    ...options,
  })
  return { client, calls, delays }
}

type Connected = ReturnType<typeof connect>['client']

/** What can be called, and how often it is sent if it keeps failing. */
const parameters = { id: 'one' }
type Caller = (client: Connected, signal?: AbortSignal) => Promise<unknown>
const calls: Record<string, { call: Caller; isSafe: boolean }> = {
  'a GET': { call: async (client, signal) => await client.listServers({ signal }), isSafe: true },
  'a stream': {
    call: async (client, signal) => await client.stream('listServers', { signal }),
    isSafe: true,
  },
  'a PUT': {
    call: async (client, signal) =>
      await client.updateUser({ parameters, body: { user: {} }, signal }),
    isSafe: true,
  },
  'a DELETE': {
    call: async (client, signal) => await client.deleteUser({ parameters, signal }),
    isSafe: true,
  },
  'an action': {
    call: async (client, signal) => await client.stopServer({ parameters, signal }),
    isSafe: true,
  },
  'an action with a key': {
    call: async (client, signal) =>
      await client.stopServer({ parameters, headers: { 'Idempotency-Key': 'mine' }, signal }),
    isSafe: true,
  },
  'a POST': {
    call: async (client) => await client.createUser({ body: { user: { name: 'eve' } } }),
    isSafe: false,
  },
}

const failures: Record<string, { answer: () => Response; isTransient: boolean; status: number }> =
  Object.fromEntries(
    [400, 403, 404, 409, 412, 422, 429, 500, 502, 503, 504].map((status) => [
      `status ${status}`,
      {
        answer: () => json(status, {}),
        isTransient: [429, 502, 503, 504].includes(status),
        status,
      },
    ]),
  )
failures['a lost connection'] = {
  answer: () => {
    throw new TypeError('terminated')
  },
  isTransient: true,
  status: 0,
}
failures['a page of a proxy'] = {
  answer: () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
  isTransient: true,
  status: 0,
}

const isExpected = (error: unknown, status: number) =>
  status === 0
    ? error instanceof ConnectionError
    : error instanceof ApiError && error.status === status

describe('retries', () => {
  for (const [name, { call, isSafe }] of Object.entries(calls)) {
    for (const [failure, { answer, isTransient, status }] of Object.entries(failures)) {
      const times = isSafe && isTransient ? 4 : 1
      test(`${name} is sent ${times} times if it keeps failing with ${failure}`, async () => {
        const { client, calls: sent, delays } = connect([answer])
        await assert.rejects(call(client), (error) => isExpected(error, status))
        assert.equal(sent.length, times)
        assert.equal(delays.length, times - 1)
        // All attempts are one action.
        assert.equal(new Set(sent.map(({ key }) => key)).size, 1)
      })
      if (!isTransient) continue
      test(`${name} is sent once after ${failure} without retries`, async () => {
        const { client, calls: sent } = connect([answer], { retries: 0 })
        await assert.rejects(call(client), (error) => isExpected(error, status))
        assert.equal(sent.length, 1)
      })
      if (!isSafe) continue
      test(`${name} succeeds after ${failure}, and then the client is as before`, async () => {
        const { client, calls: sent } = connect([answer, () => json(200, {})])
        await call(client)
        await call(client)
        assert.equal(sent.length, 3)
      })
      test(`${name} is not sent again after ${failure} once it is aborted`, async () => {
        const abort = new AbortController()
        const { client, calls: sent } = connect([
          () => {
            abort.abort()
            return answer()
          },
        ])
        await assert.rejects(call(client, abort.signal), { name: 'AbortError' })
        assert.equal(sent.length, 1)
      })
    }
  }

  test('an action gets a key of its own, and keeps the one of the caller', async () => {
    const { client, calls: sent } = connect([() => json(200, {})])
    await client.stopServer({ parameters })
    await client.stopServer({ parameters })
    const [first, second] = sent.map(({ key }) => key)
    assert.match(first ?? '', /^[\da-f]{32}$/)
    assert.notEqual(first, second)
    const own: (string | null)[] = []
    const other = createClient({
      url: 'http://muster.test',
      fetch: async (_, { headers }) => {
        own.push(new Headers(headers).get('idempotency-key'))
        return json(200, {})
      },
    })
    await other.stopServer({ parameters, headers: { 'Idempotency-Key': 'mine' } })
    assert.deepEqual(own, ['mine'])
  })

  test('delays grow, differ from each other and are limited', async () => {
    const { client, delays } = connect([() => json(503, {})], { retries: 8 })
    await assert.rejects(client.listServers())
    for (const [index, delay] of delays.entries()) {
      const longest = Math.min(10_000, 500 * 2 ** index)
      assert.ok(delay >= longest / 2 && delay <= longest, `${index}: ${delay}`)
    }
    const others = connect([() => json(503, {})], { retries: 8 })
    await assert.rejects(others.client.listServers())
    assert.notDeepEqual(delays, others.delays)
  })

  for (const [retryAfter, times] of [
    ['0', 4],
    ['7', 4],
    ['60', 4],
    ['61', 1],
    ['86400', 1],
    ['soon', 4],
    [new Date(Date.now() + 3_600_000).toUTCString(), 1],
    [new Date(Date.now() - 3_600_000).toUTCString(), 4],
  ] as const) {
    for (const status of [429, 503]) {
      test(`Retry-After: ${retryAfter} of a ${status} leads to ${times} requests`, async () => {
        const answer = () => json(status, {}, { 'retry-after': retryAfter })
        const { client, calls: sent, delays } = connect([answer])
        await assert.rejects(client.listServers(), (error) => isExpected(error, status))
        assert.equal(sent.length, times)
        const seconds = /^\d+$/.test(retryAfter) ? Number(retryAfter) : 0
        for (const delay of delays) assert.ok(delay >= seconds * 1_000)
      })
    }
  }

  test('a response that ends early is read again', async () => {
    const broken = () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('{"servers"')),
          pull: (controller) => controller.error(new TypeError('terminated')),
        }),
        { headers: { 'content-type': 'application/json' } },
      )
    const { client, calls: sent } = connect([broken, () => json(200, { servers: [] })])
    assert.deepEqual(await client.listServers(), { servers: [] })
    assert.equal(sent.length, 2)
  })

  test('a page that fails is requested again, and no other page', async () => {
    const page = (next: string | null) => () =>
      json(200, { users: [{ name: 'ada' }], links: { next } })
    const next = 'http://muster.test/v3/users?marker=2'
    const { client, calls: sent } = connect([page(next), () => json(503, {}), page(null)])
    const users: unknown[] = []
    for await (const user of client.all('listUsers')) users.push(user)
    assert.equal(users.length, 2)
    assert.equal(sent.length, 3)
  })
})
