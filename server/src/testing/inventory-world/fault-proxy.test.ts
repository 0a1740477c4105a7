import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request, type RequestListener } from 'node:http'
import { get as getSecure } from 'node:https'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test, type TestContext } from 'node:test'
import { testAuthority } from '../secure-server.ts'
import { temporaryFolder } from '../spawn-muster.ts'
import { startFaultProxy, type HttpFault } from './fault-proxy.ts'

/** A back end that answers with what it was asked, on a port or a Unix socket. */
async function startUpstream(context: TestContext, path?: string) {
  const answer: RequestListener = async (incoming, response) => {
    const body = await text(incoming)
    response.setHeader('x-host', incoming.headers.host ?? '')
    response.end(`${incoming.method} ${incoming.url} ${body} from http://upstream`)
  }
  const server = createServer(answer)
  server.on('upgrade', (_incoming, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\n')
    socket.pipe(socket)
  })
  server.listen(path ?? 0)
  await once(server, 'listening')
  context.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return path === undefined
    ? `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    : `unix:${path}`
}

async function start(context: TestContext) {
  const proxy = await startFaultProxy(context, { upstream: await startUpstream(context) })
  const post = async (path: string, signal?: AbortSignal) => {
    const response = await fetch(`${proxy.url}${path}`, {
      method: 'POST',
      body: 'question',
      redirect: 'manual',
      ...(signal && { signal }),
    })
    return { status: response.status, host: response.headers.get('x-host'), read: response }
  }
  return { proxy, post, inject: (fault: HttpFault) => proxy.inject(fault, () => true) }
}

describe('the fault proxy', () => {
  test('passes requests and responses through', async (context) => {
    const { proxy, post } = await start(context)
    const { status, host, read } = await post('/a?b=c')
    assert.equal(status, 200)
    assert.equal(host, new URL(proxy.url).host)
    assert.equal(await read.text(), 'POST /a?b=c question from http://upstream')
    assert.deepEqual(
      proxy.requests.map(({ method, path, body }) => [method, path, body]),
      [['POST', '/a?b=c', 'question']],
    )
  })

  test('injects a fault into matching requests, as often as it should', async (context) => {
    const { proxy, post } = await start(context)
    proxy.inject(
      { status: 429, headers: { 'retry-after': '1' } },
      ({ path }) => path === '/list',
      1,
    )
    assert.equal((await post('/other')).status, 200)
    const { status, read } = await post('/list')
    assert.deepEqual([status, read.headers.get('retry-after')], [429, '1'])
    assert.equal((await post('/list')).status, 200)
  })

  test('closes and cuts connections', async (context) => {
    const { inject, post } = await start(context)
    inject('close')
    await assert.rejects(post('/'))
    inject('close in body')
    const { read } = await post('/')
    await assert.rejects(read.text())
  })

  test('hangs before and in the response', async (context) => {
    const { inject, post } = await start(context)
    inject('hang')
    await assert.rejects(post('/', AbortSignal.timeout(100)), { name: 'TimeoutError' })
    inject('hang in body')
    // The headers must arrive before.
    const { read } = await post('/', AbortSignal.timeout(2_000))
    await assert.rejects(read.text(), { name: 'TimeoutError' })
  })

  test('sends without end', async (context) => {
    const { inject, post } = await start(context)
    inject('endless')
    let size = 0
    for await (const chunk of (await post('/')).read.body ?? []) {
      size += (chunk as Uint8Array).length
      if (size > 20_000_000) break
    }
    assert.ok(size > 20_000_000)
  })

  test('changes bodies, until the fault is cleared', async (context) => {
    const { proxy, inject, post } = await start(context)
    inject({ change: (body) => body.slice(0, 4) })
    assert.equal(await (await post('/')).read.text(), 'POST')
    proxy.clear()
    assert.match(await (await post('/')).read.text(), /upstream$/)
  })

  test('waits for the listener before it answers', async (context) => {
    const { proxy, post } = await start(context)
    const seen: string[] = []
    proxy.onRequest = async ({ path }) => {
      await Promise.resolve()
      seen.push(path)
    }
    await post('/x')
    assert.deepEqual(seen, ['/x'])
  })

  test('rewrites addresses, and chooses the upstream by the request', async (context) => {
    const [plain, socket] = await Promise.all([
      startUpstream(context),
      startUpstream(context, join(temporaryFolder(context), 'socket')),
    ])
    const proxy = await startFaultProxy(context, {
      upstream: ({ path }) => (path === '/socket' ? socket : plain),
      rewrite: (body, url) => body.replace('http://upstream', url),
    })
    for (const path of ['/plain', '/socket']) {
      const response = await fetch(`${proxy.url}${path}`)
      assert.equal(await response.text(), `GET ${path}  from ${proxy.url}`)
    }
  })

  test('passes WebSockets through, and cuts them', async (context) => {
    const { proxy } = await start(context)
    const outgoing = request(proxy.url, { headers: { connection: 'upgrade', upgrade: 'echo' } })
    outgoing.end()
    const [, socket] = await once(outgoing, 'upgrade')
    socket.write('hello')
    assert.equal(String((await once(socket, 'data'))[0]), 'hello')
    socket.on('error', () => {})
    const closed = once(socket, 'close')
    proxy.connection.cut()
    await closed
  })

  test('listens with a certificate', async (context) => {
    const upstream = await startUpstream(context)
    const proxy = await startFaultProxy(context, { upstream, certificate: 'issued' })
    const [response] = await once(
      getSecure(proxy.url, { ca: testAuthority, agent: false }),
      'response',
    )
    assert.match(await text(response), /^GET/)
  })
})

describe('faults of connections', () => {
  const open = ({ port }: { port: number }) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.on('error', () => {})
    socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
    return socket
  }

  test('fail in the middle of the bytes', async (context) => {
    const { proxy } = await start(context)
    proxy.connection.failAfter(10, 'cut')
    assert.equal(await text(open(proxy.connection)), 'HTTP/1.1 2')
    proxy.connection.restore()
    proxy.connection.failAfter(10, 'silent')
    const socket = open(proxy.connection)
    assert.equal(String((await once(socket, 'data'))[0]), 'HTTP/1.1 2')
    const rest = text(socket)
    proxy.connection.restore()
    assert.match(await rest, /^00 OK/)
  })

  test('answer in another protocol', async (context) => {
    const { proxy } = await start(context)
    proxy.connection.sendGarbage()
    assert.match(await text(open(proxy.connection)), /^SSH/)
  })
})
