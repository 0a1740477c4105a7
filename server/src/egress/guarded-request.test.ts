import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { describe, test, type TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { text as readText } from 'node:stream/consumers'
import { startSecureServer, testAuthority } from '../testing/secure-server.ts'
import { createAddressRule } from './allowed-addresses.ts'
import { createGuardedRequest, type GuardedRequestOptions } from './guarded-request.ts'

const loopback = [{ address: '127.0.0.1', family: 4 }]
const getOnLoopback = (options?: GuardedRequestOptions) =>
  createGuardedRequest(createAddressRule(['127.0.0.1', '::1']), options)
const getAnywhere = createGuardedRequest(createAddressRule([]))

const greet = (t: TestContext) => startSecureServer(t, (_, response) => response.end('hello'))

async function failure(work: Promise<unknown>): Promise<string> {
  let failure: unknown
  await work.catch((error: unknown) => (failure = error))
  assert.ok(failure instanceof Error, 'it did not fail')
  return failure.message
}

describe('a guarded request', () => {
  test('returns the status and the text', async (t) => {
    const server = await startSecureServer(t, (_, response) => {
      response.writeHead(418, { 'content-type': 'text/plain; charset=utf-8' }).end('grüß dich')
    })
    const answer = await getOnLoopback()(new URL(`${server.url}/a?b=c`), { ca: testAuthority })
    const contentType = 'text/plain; charset=utf-8'
    assert.deepEqual(answer, { status: 418, contentType, text: 'grüß dich' })
    assert.equal(server.requests[0]?.target, '/a?b=c')
  })

  test('SEC-40 sends only the required headers', async (t) => {
    const server = await greet(t)
    await getOnLoopback()(new URL(server.url), { ca: testAuthority })
    assert.deepEqual(server.requests, [
      {
        method: 'GET',
        target: '/',
        headers: {
          accept: '*/*',
          'user-agent': 'Muster',
          host: `localhost:${server.port}`,
          connection: 'close',
        },
      },
    ])
  })

  test('can be a POST with a body and headers', async (t) => {
    const bodies: string[] = []
    const server = await startSecureServer(t, async (request, response) => {
      bodies.push(await readText(request))
      response.end()
    })
    await getOnLoopback()(new URL(server.url), {
      ca: testAuthority,
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': 'another' },
      body: 'code=a%26b',
    })
    const [{ method, headers } = assert.fail('no request')] = server.requests
    assert.deepEqual(bodies, ['code=a%26b'])
    assert.deepEqual(
      [method, headers['content-type'], headers['content-length'], headers['user-agent']],
      ['POST', 'application/x-www-form-urlencoded', '10', 'Muster'],
    )
  })

  test('SEC-45 does not follow a redirect, nor repeat a POST there', async (t) => {
    const target = await greet(t)
    const server = await startSecureServer(t, (_, response) => {
      response.writeHead(302, { location: target.url }).end()
    })
    for (const method of ['GET', 'POST'] as const) {
      const sent = { ca: testAuthority, method }
      assert.equal((await getOnLoopback()(new URL(server.url), sent)).status, 302)
    }
    assert.equal(target.connections(), 0)
  })

  test('SEC-45 supports https only', async () => {
    const { port } = await refusingPort()
    for (const url of [`http://127.0.0.1:${port}/`, 'file:///etc/hostname', 'ftp://127.0.0.1/']) {
      assert.match(await failure(getOnLoopback()(new URL(url), {})), /only https/)
    }
  })

  test('SEC-45 rejects an address with a user or a password', async (t) => {
    const server = await greet(t)
    const tricks = ['example.org@', 'user:secret@', ':secret@', '8.8.8.8%2f@', 'example.org%3a443@']
    for (const userinfo of tricks) {
      const url = new URL(`https://${userinfo}localhost:${server.port}/`)
      const message = await failure(getOnLoopback()(url, { ca: testAuthority }))
      assert.match(message, /password/)
      assert.ok(!message.includes('secret'))
    }
    assert.equal(server.connections(), 0)
  })
})

describe('SEC-45 a local address is rejected without a connection,', () => {
  const spellings = [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0177.0.0.1',
    '127.0.0.1.',
    '１２７.０.０.１',
    '127。0。0。1',
    '%31%32%37.0.0.1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[::127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '0',
    '0.0.0.0',
    '[::]',
    '[::1]',
    'localhost',
    'LOCALHOST',
  ]
  for (const spelling of spellings) {
    test(`as ${spelling}`, async (t) => {
      const server = await greet(t)
      const url = new URL(`https://${spelling}:${server.port}/`)
      assert.match(await failure(getAnywhere(url, { ca: testAuthority })), /not allowed/)
      assert.equal(server.connections(), 0)
    })
  }
})

describe('SEC-45 a host name', () => {
  test('is rejected if one of its addresses is not allowed', async (t) => {
    const server = await greet(t)
    const mixed = [{ address: '8.8.8.8', family: 4 }, ...loopback]
    for (const addresses of [mixed, mixed.toReversed()]) {
      const get = createGuardedRequest(createAddressRule([]), {
        resolve: () => Promise.resolve(addresses),
      })
      assert.match(await failure(get(new URL(server.url), { ca: testAuthority })), /not allowed/)
    }
    assert.equal(server.connections(), 0)
  })

  test('is resolved only once, against DNS rebinding', async (t) => {
    const server = await greet(t)
    const answers = [loopback, [{ address: '10.0.0.1', family: 4 }]]
    let lookups = 0
    const get = getOnLoopback({
      resolve: () => Promise.resolve(answers[lookups++] ?? []),
    })
    const url = new URL(server.url)
    assert.equal((await get(url, { ca: testAuthority })).text, 'hello')
    assert.equal(lookups, 1)
    assert.match(await failure(get(url, { ca: testAuthority })), /not allowed/)
    assert.equal(server.connections(), 1)
  })

  test('is connected at the resolved address, without another system lookup', async (t) => {
    const server = await startSecureServer(t, (_, response) => response.end('found'), 'elsewhere')
    const get = getOnLoopback({ resolve: () => Promise.resolve(loopback) })
    const url = new URL(`https://elsewhere.test:${server.port}/`)
    assert.equal((await get(url, { ca: testAuthority })).text, 'found')
    assert.equal(server.requests[0]?.headers.host, url.host)
  })

  test('that the operator allowed may have any address', async (t) => {
    const server = await greet(t)
    const get = createGuardedRequest(createAddressRule(['localhost']), {
      resolve: () => Promise.resolve(loopback),
    })
    assert.equal((await get(new URL(server.url), { ca: testAuthority })).text, 'hello')
    const address = new URL(`https://127.0.0.1:${server.port}`)
    assert.match(await failure(get(address, { ca: testAuthority })), /not allowed/)
  })

  test('that has no address or cannot be resolved is an error with a reason', async () => {
    const url = new URL('https://nowhere.test/?ticket=ST-secret')
    const empty = getOnLoopback({ resolve: () => Promise.resolve([]) })
    assert.match(await failure(empty(url, {})), /no address/)
    const broken = getOnLoopback({
      resolve: () => Promise.reject(new Error('getaddrinfo ENOTFOUND')),
    })
    assert.equal(await failure(broken(url, {})), 'nowhere.test: getaddrinfo ENOTFOUND')
  })
})

describe('SEC-47 a certificate', () => {
  const startWith = (
    t: TestContext,
    certificate: 'authority' | 'issued' | 'expired' | 'elsewhere',
  ) => startSecureServer(t, (_, response) => response.end('hello'), certificate)
  const ask = (port: number, ca?: string) =>
    getOnLoopback()(new URL(`https://localhost:${port}/?ticket=ST-secret`), ca ? { ca } : {})

  test('of the configured authority is accepted', async (t) => {
    const { port } = await startWith(t, 'issued')
    assert.equal((await ask(port, testAuthority)).text, 'hello')
  })

  test('of an unknown authority is rejected', async (t) => {
    const server = await startWith(t, 'issued')
    assert.match(await failure(ask(server.port)), /certificate/)
    assert.equal(server.requests.length, 0)
  })

  test('that is self-signed is rejected', async (t) => {
    const server = await startWith(t, 'authority')
    assert.match(await failure(ask(server.port)), /self-signed certificate/)
    assert.equal(server.requests.length, 0)
  })

  test('for another host is rejected', async (t) => {
    const server = await startWith(t, 'elsewhere')
    assert.match(await failure(ask(server.port, testAuthority)), /altnames/)
    assert.equal(server.requests.length, 0)
  })

  test('for a host name is rejected for an IP address', async (t) => {
    const server = await startWith(t, 'elsewhere')
    const url = new URL(`https://127.0.0.1:${server.port}`)
    assert.match(await failure(getOnLoopback()(url, { ca: testAuthority })), /cert/)
    assert.equal(server.requests.length, 0)
  })

  test('that has expired is rejected', async (t) => {
    const server = await startWith(t, 'expired')
    assert.match(await failure(ask(server.port, testAuthority)), /expired/)
    assert.equal(server.requests.length, 0)
  })

  test('is checked even if the environment disables it', async (t) => {
    const server = await startWith(t, 'issued')
    const name = 'NODE_TLS_REJECT_UNAUTHORIZED'
    process.env[name] = '0'
    t.after(() => delete process.env[name])
    assert.match(await failure(ask(server.port)), /certificate/)
    assert.equal(server.requests.length, 0)
  })

  test('of an authority of one call is rejected in the next', async (t) => {
    const { port } = await startWith(t, 'issued')
    const get = getOnLoopback()
    const url = new URL(`https://localhost:${port}`)
    assert.equal((await get(url, { ca: testAuthority })).status, 200)
    assert.match(await failure(get(url, {})), /certificate/)
  })

  test('cannot be checked with an invalid authority', async (t) => {
    const server = await startWith(t, 'issued')
    await failure(ask(server.port, 'not a certificate'))
    await failure(ask(server.port, testAuthority.replace('MII', 'AAA')))
    assert.equal(server.requests.length, 0)
  })
})

/** A port at which nobody listens any more. */
async function refusingPort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return { port }
}

describe('SEC-43 a request fails for a server', () => {
  const soon = getOnLoopback({ timeLimit: 200 })
  const late = /no response within 200 ms$/

  test('that refuses connections at all its addresses', async () => {
    const { port } = await refusingPort()
    const url = new URL(`https://localhost:${port}/?ticket=ST-secret`)
    const one = getOnLoopback({ resolve: () => Promise.resolve(loopback) })
    assert.equal(
      await failure(one(url, {})),
      `localhost:${port}: connect ECONNREFUSED 127.0.0.1:${port}`,
    )
    const two = createGuardedRequest(createAddressRule(['127.0.0.0/8']), {
      resolve: () => Promise.resolve([...loopback, { address: '127.0.0.2', family: 4 }]),
    })
    assert.match(await failure(two(url, {})), /127\.0\.0\.1:\d+, .*127\.0\.0\.2/)
  })

  test('whose name cannot be resolved in time', async () => {
    const get = getOnLoopback({ timeLimit: 200, resolve: () => new Promise(() => {}) })
    assert.match(await failure(get(new URL('https://cas.test/'), {})), late)
  })

  test('whose name is resolved too late, without a connection', async (t) => {
    const server = await greet(t)
    const { promise: resolved, resolve } = Promise.withResolvers<typeof loopback>()
    const get = getOnLoopback({ timeLimit: 50, resolve: () => resolved })
    await failure(get(new URL(server.url), { ca: testAuthority }))
    resolve(loopback)
    await pause(50)
    assert.equal(server.connections(), 0)
  })

  test('that accepts connections and sends nothing', async (t) => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    t.after(() => server.close())
    const connected = once(server, 'connection')
    const { port } = server.address() as AddressInfo
    assert.match(await failure(soon(new URL(`https://localhost:${port}`), {})), late)
    const [socket] = await connected
    if (!socket.destroyed) await once(socket.resume(), 'close')
  })

  test('that never responds', async (t) => {
    let leftAlone: Promise<unknown> | undefined
    const server = await startSecureServer(t, (_, response) => {
      leftAlone = once(response, 'close')
    })
    assert.match(await failure(soon(new URL(server.url), { ca: testAuthority })), late)
    await leftAlone
  })

  test('REL-09: that has not responded at the deadline of the caller', async (t) => {
    const server = await startSecureServer(t, () => {})
    const deadline = performance.now() + 100
    const get = getOnLoopback()(new URL(server.url), { ca: testAuthority, deadline })
    assert.match(await failure(get), /no response within (\d\d|100) ms$/)
  })

  test('that never finishes its response', async (t) => {
    let leftAlone: Promise<unknown> | undefined
    const server = await startSecureServer(t, async (_, response) => {
      leftAlone = once(response, 'close')
      response.writeHead(200)
      while (!response.destroyed) {
        response.write('.')
        await pause(10)
      }
    })
    assert.match(await failure(soon(new URL(server.url), { ca: testAuthority })), late)
    await leftAlone
  })

  test('that switches to another protocol', async (t) => {
    const server = await startSecureServer(t, (_, response) => {
      response.socket?.end(
        'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      )
    })
    await failure(soon(new URL(server.url), { ca: testAuthority }))
  })

  test('that sends more than 64 KiB, with or without a length', async (t) => {
    const get = getOnLoopback()
    for (const announced of [true, false]) {
      let leftAlone: Promise<unknown> | undefined
      const server = await startSecureServer(t, (_, response) => {
        leftAlone = once(response, 'close')
        if (announced) response.setHeader('content-length', 10_000_000)
        response.on('error', () => {})
        response.end('x'.repeat(10_000_000))
      })
      const message = await failure(get(new URL(server.url), { ca: testAuthority }))
      assert.match(message, /more than 65536 bytes/)
      await leftAlone
    }
    const full = await startSecureServer(t, (_, response) => response.end('x'.repeat(65_536)))
    const { text } = await get(new URL(full.url), { ca: testAuthority })
    assert.equal(text.length, 65_536)
  })

  test('that closes the connection during the response', async (t) => {
    const server = await startSecureServer(t, (_, response) => {
      response.setHeader('content-length', 100)
      response.write('half', () => response.destroy())
    })
    await failure(getOnLoopback()(new URL(server.url), { ca: testAuthority }))
  })

  test('that sends invalid chunks', async (t) => {
    const server = await startSecureServer(t, async (_, { socket }) => {
      socket?.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n')
      await pause(50)
      socket?.write('no number\r\n')
    })
    await failure(getOnLoopback()(new URL(server.url), { ca: testAuthority }))
  })

  test('whose response is not UTF-8', async (t) => {
    const server = await startSecureServer(t, (_, response) =>
      response.end(Buffer.from('<user>J\xF6rg</user>', 'latin1')),
    )
    assert.match(
      await failure(getOnLoopback()(new URL(server.url), { ca: testAuthority })),
      /utf-8/,
    )
  })

  test('that does not use HTTP', async (t) => {
    const server = await startSecureServer(t, (_, response) => response.socket?.end('SSH-2.0\r\n'))
    await failure(getOnLoopback()(new URL(server.url), { ca: testAuthority }))
  })

  test('and the error does not contain the query', async (t) => {
    const { port } = await refusingPort()
    const { url } = await startSecureServer(t, () => {})
    const addresses = [`https://localhost:${port}`, 'http://localhost', 'https://10.0.0.1', url]
    for (const address of addresses) {
      const message = await failure(soon(new URL(`${address}/?ticket=ST-secret`), {}))
      assert.ok(!message.includes('ST-secret'), message)
    }
  })
})
