import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { request, type RequestOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { before, describe, test } from 'node:test'
import type { SessionDto } from '@muster/contract'
import { passwordIdentity, systemProject } from '../../server/src/testing/client.ts'
import { testAuthority } from '../../server/src/testing/secure-server.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import {
  adminPassword,
  startPlatform,
  type TestPlatform,
} from '../../server/src/testing/start-platform.ts'
import { readyConsole } from '../browser/ready-console.ts'
import { proxyNames, reservePorts, startProxy } from './proxies.ts'

/** Another address than that of the proxy. */
const clientAddress = '127.0.0.2'

for (const name of proxyNames) {
  describe(`two nodes behind ${name}`, () => {
    const lifetime = suiteLifetime()
    let url: string
    let plainUrl: string
    let nodes: readonly [TestPlatform, TestPlatform]
    before(async () => {
      const ports = await reservePorts()
      url = `https://localhost:${ports.port}`
      plainUrl = `http://localhost:${ports.plainPort}`
      const flags = [`--public-url=${url}`, '--trusted-proxies=127.0.0.1']
      const [first] = await Promise.all([
        startPlatform({
          engine: 'postgres',
          flags: [...flags, '--demo', '--demo-servers=300'],
        }),
        readyConsole(process.stdout),
      ])
      const second = await startPlatform({ beside: first, flags })
      nodes = [first, second]
      lifetime.after(() => first.close())
      const address = (node: TestPlatform) => new URL(node.url).host
      await startProxy(lifetime, name, ports, [address(first), address(second)])
    })

    /** A client on another address, who pretends to have yet another one. */
    async function send(path: string, options: RequestOptions = {}, body?: unknown, base = url) {
      const sent = request(base + path, {
        ...options,
        ca: testAuthority,
        localAddress: clientAddress,
        headers: {
          'x-forwarded-for': '203.0.113.9',
          forwarded: 'for=203.0.113.9',
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...options.headers,
        },
      })
      sent.end(body === undefined ? undefined : JSON.stringify(body))
      const response = await new Promise<IncomingMessage>((resolve, reject) =>
        sent.once('response', resolve).once('error', reject),
      )
      return {
        status: response.statusCode,
        headers: response.headers,
        text: await readText(response),
      }
    }
    const logIn = async () => {
      const auth = { identity: passwordIdentity('sysadmin', adminPassword), scope: systemProject }
      const answer = await send('/v3/auth/tokens', { method: 'POST' }, { auth })
      assert.equal(answer.status, 201, answer.text)
      return { 'x-auth-token': String(answer.headers['x-subject-token']) }
    }

    test('serves the console and a browser session under the public address', async () => {
      const page = await send('/console/')
      assert.equal(page.status, 200)
      assert.match(page.text, /<html/)
      assert.match(String(page.headers['strict-transport-security']), /max-age=\d+/)
      const login = await send(
        '/api/session',
        { method: 'POST', headers: { origin: url, 'sec-fetch-site': 'same-origin' } },
        { name: 'sysadmin', password: adminPassword },
      )
      assert.equal(login.status, 201, login.text)
      const [cookie = ''] = login.headers['set-cookie'] ?? []
      assert.match(cookie, /^__Host-muster=.*; Secure/)
      const session = await send('/api/session', { headers: { cookie: cookie.split(';')[0] } })
      const body = JSON.parse(session.text) as { session: SessionDto }
      assert.equal(body.session.user.name, 'sysadmin')
    })

    test('records the address of the client, not that of the proxy or a forged one', async () => {
      const headers = await logIn()
      const { text } = await send('/events?limit=50', { headers })
      assert.ok(text.includes(`"${clientAddress}"`))
      assert.ok(!text.includes('203.0.113.9'))
    })

    test('passes an export on completely', async () => {
      const headers = await logIn()
      const page = await send('/servers?scope=system&limit=1', { headers })
      const { total } = JSON.parse(page.text) as { total: number }
      assert.ok(total > 200)
      const { status, text } = await send('/servers?scope=system&format=ndjson', { headers })
      assert.equal(status, 200, text)
      assert.equal(text.trim().split('\n').length, total)
    })

    test('hides the metrics, refuses large bodies and redirects plain HTTP', async () => {
      assert.equal((await send('/metrics')).status, 404)
      const large = { auth: 'x'.repeat(70_000) }
      assert.equal((await send('/v3/auth/tokens', { method: 'POST' }, large)).status, 413)
      const plain = await fetch(`${plainUrl}/console/`, { redirect: 'manual' })
      assert.equal(Math.floor(plain.status / 100), 3)
      assert.match(plain.headers.get('location') ?? '', /^https:\/\/localhost(?::\d+)?\/console\/$/)
    })

    test('goes on when one node has stopped', async () => {
      const headers = await logIn()
      // Closed here only: a platform cannot be closed twice.
      await nodes[1].close()
      for (let count = 0; count < 20; count += 1) {
        const { status, text } = await send('/servers?scope=system&limit=1', { headers })
        assert.equal(status, 200, text)
      }
    })

    test('a node that is starting refuses no reads and few POSTs, and no POST is sent to two nodes', async () => {
      const headers = await logIn()
      const received: string[] = []
      const starting = createServer(({ method = '', url: path = '' }, response) => {
        if (path !== '/readyz') received.push(`${method} ${path}`)
        response.writeHead(503, { 'retry-after': '1' }).end('starting')
      })
      starting.listen(Number(new URL(nodes[1].url).port), '127.0.0.1')
      lifetime.after(() => starting.close())
      async function read() {
        const { status, text } = await send('/servers?scope=system&limit=1', { headers })
        assert.equal(status, 200, text)
      }
      // nginx asks no node whether it is ready, and still leaves out the one that had stopped.
      if (name === 'nginx') while (received.length === 0) await read()
      for (let count = 0; count < 40; count += 1) await read()
      assert.equal(received.length > 0, name === 'nginx')
      // Half of them, if the node were not left out after three failures.
      assert.ok(received.length < 15, String(received.length))
      const before = received.length
      const auth = { identity: passwordIdentity('sysadmin', adminPassword), scope: systemProject }
      let refused = 0
      for (let count = 0; count < 10; count += 1) {
        const { status } = await send('/v3/auth/tokens', { method: 'POST' }, { auth })
        assert.ok(status === 201 || status === 503, String(status))
        if (status === 503) refused += 1
      }
      assert.equal(refused, received.length - before)
    })

    // Caddy answers for nodes that are not ready.
    if (name !== 'nginx') return
    test('clients get the 503 of a node if none can serve, and a late one is not repeated', async () => {
      let received = 0
      let delay = 0
      const addresses = Array.from({ length: 2 }, async () => {
        const node = createServer((_, response) => {
          received += 1
          setTimeout(() => response.writeHead(503, { 'retry-after': '7' }).end(), delay)
        })
        node.listen(0, '127.0.0.1')
        lifetime.after(() => node.close())
        await once(node, 'listening')
        return `127.0.0.1:${(node.address() as AddressInfo).port}`
      })
      const ports = await reservePorts()
      const [first = '', second = ''] = await Promise.all(addresses)
      await startProxy(lifetime, name, ports, [first, second])
      const base = `https://localhost:${ports.port}`
      for (const method of ['PUT', 'DELETE', 'POST', 'GET']) {
        delay = 2_500
        received = 0
        assert.equal((await send('/', { method }, undefined, base)).status, 503)
        assert.equal(received, 1)
        delay = 0
        for (let count = 0; count < 10; count += 1) {
          const { status, headers } = await send('/', { method }, undefined, base)
          assert.deepEqual([status, headers['retry-after']], [503, '7'])
        }
      }
    })
  })
}
