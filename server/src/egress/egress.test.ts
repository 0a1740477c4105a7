import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import {
  createServer as createHttpServer,
  request as requestPlain,
  type IncomingMessage,
} from 'node:http'
import { createServer as createSecureServer, request as requestSecure } from 'node:https'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, test, type TestContext } from 'node:test'
import type { TLSSocket } from 'node:tls'
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { fetch } from 'undici'
import { SourceError } from '../domain/sources/source-error.ts'
import type { ConnectionSettings } from '../domain/sources/source.ts'
import {
  issuedCertificate,
  privateKey,
  startSecureServer,
  testAuthority,
} from '../testing/secure-server.ts'
import { suiteLifetime } from '../testing/spawn-muster.ts'
import { createAddressRule } from './allowed-addresses.ts'
import { createEgress } from './egress.ts'

const egress = createEgress(createAddressRule(['127.0.0.0/8', '::1', 'localhost']))
const soon = () => AbortSignal.timeout(5_000)

async function listen(context: TestContext, serve: (socket: Socket) => void): Promise<number> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    context.after(() => socket.destroy())
    serve(socket)
  }).listen(0, '127.0.0.1')
  context.after(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const openTls = (port: number, tls: object = {}) =>
  egress.openTlsSocket({ host: '127.0.0.1', port }, { ca: testAuthority, ...tls }, soon())

/** Both ways in which HTTP clients connect: agents of Node and a dispatcher of undici. */
const clients: Readonly<
  Record<string, (url: string, connection: ConnectionSettings) => Promise<string>>
> = {
  async 'Node agents'(url, connection) {
    const agents = egress.createAgents(connection)
    const secure = url.startsWith('https:')
    const outgoing = (secure ? requestSecure : requestPlain)(url, {
      agent: secure ? agents.https : agents.http,
      signal: soon(),
    }).end()
    try {
      const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
      return await text(incoming)
    } finally {
      agents.http.destroy()
      agents.https.destroy()
    }
  },
  async 'an undici dispatcher'(url, connection) {
    const dispatcher = await egress.createDispatcher(connection)
    try {
      const response = await fetch(url, { dispatcher, signal: soon() })
      return await response.text()
    } catch (error) {
      throw (error as Error).cause
    } finally {
      await dispatcher.destroy()
    }
  },
}

for (const [name, get] of Object.entries(clients)) {
  describe(`the egress through ${name}`, () => {
    const lifetime = suiteLifetime()
    const startServer = () =>
      startSecureServer(lifetime, (_request, response) => response.end('ok'))
    const fingerprint = new X509Certificate(issuedCertificate).fingerprint256
    const asAnother = { kind: 'tls', message: /fingerprint of the certificate does not match/ }

    test('trusts the given authority and no other', async () => {
      const { url } = await startServer()
      assert.equal(await get(url, { ca: testAuthority }), 'ok')
      await assert.rejects(get(url, {}), { kind: 'tls', message: /unknown authority/ })
    })

    test('trusts a pinned certificate alone', async () => {
      const { url, requests } = await startServer()
      assert.equal(await get(url, { fingerprint }), 'ok')
      assert.equal(await get(url, { fingerprint: fingerprint.replaceAll(':', '') }), 'ok')
      const other = fingerprint.replace(/^../, (byte) => (byte === '00' ? '01' : '00'))
      await assert.rejects(get(url, { fingerprint: other }), asAnother)
      await assert.rejects(get(url, { fingerprint: other, ca: testAuthority }), asAnother)
      assert.equal(requests.length, 2, 'nothing is sent to another server')
    })

    test('presents the client certificate', async (context) => {
      const server = createSecureServer(
        { key: privateKey, cert: issuedCertificate, requestCert: true, rejectUnauthorized: false },
        ({ socket }, response) =>
          response.end((socket as TLSSocket).getPeerCertificate().fingerprint256 ?? 'none'),
      ).listen(0, '127.0.0.1')
      context.after(() => {
        server.closeAllConnections()
        server.close()
      })
      await once(server, 'listening')
      const url = `https://localhost:${(server.address() as AddressInfo).port}`
      const own = { ca: testAuthority, certificate: issuedCertificate, key: privateKey }
      assert.equal(await get(url, own), fingerprint)
      assert.equal(await get(url, { ca: testAuthority }), 'none')
    })

    test('refuses an address that is not allowed', async () => {
      for (const url of ['http://10.0.0.1/', 'https://10.0.0.1/', 'http://[fd00::1]/']) {
        await assert.rejects(get(url, {}), { kind: 'not-allowed', message: /--source-allow/ })
      }
    })

    test('connects to a Unix socket', async (context) => {
      const folder = mkdtempSync(join(tmpdir(), 'muster-egress-'))
      context.after(() => rmSync(folder, { recursive: true }))
      const socketPath = join(folder, 'socket')
      const server = createHttpServer(({ url }, response) => response.end(url)).listen(socketPath)
      context.after(() => {
        server.closeAllConnections()
        server.close()
      })
      await once(server, 'listening')
      assert.equal(await get('http://unix/1.0', { socketPath }), '/1.0')
      await assert.rejects(get('http://unix/1.0', { socketPath: join(folder, 'other') }), {
        kind: 'unreachable',
        message: /cannot be opened/,
      })
    })
  })
}

describe('a destroyed agent', () => {
  test('closes a connection that was being opened', async (context) => {
    const sockets: Socket[] = []
    const port = await listen(context, (socket) => sockets.push(socket))
    const agents = egress.createAgents({})
    const outgoing = requestPlain(`http://127.0.0.1:${port}/`, { agent: agents.http })
    outgoing.on('error', () => {})
    outgoing.end()
    agents.http.destroy()
    outgoing.destroy()
    await pause(100)
    assert.ok(sockets.every((socket) => socket.destroyed || socket.readableEnded))
  })
})

describe('the egress', () => {
  test('reports that a port does not use TLS', async (context) => {
    const greeting = await listen(context, (socket) => socket.write('SSH-2.0-x\r\n'))
    const answering = await listen(context, (socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')),
    )
    const closing = await listen(context, (socket) => socket.once('data', () => socket.destroy()))
    for (const port of [greeting, answering]) {
      await assert.rejects(openTls(port), {
        kind: 'tls',
        message: /^127\.0\.0\.1:\d+ does not use TLS on this port/,
      })
    }
    await assert.rejects(openTls(closing), {
      kind: 'tls',
      message: /before TLS was established/,
    })
  })

  test('reports a key that does not belong to the certificate', async () => {
    const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
    const tls = {
      certificate: issuedCertificate,
      key: key.export({ type: 'pkcs8', format: 'pem' }),
    }
    await assert.rejects(openTls(1, tls), { kind: 'tls', message: /client key does not belong/ })
  })

  test('reports that a Unix socket was not opened in time', async () => {
    const late = AbortSignal.abort(new DOMException('late', 'TimeoutError'))
    await assert.rejects(egress.openUnixSocket('/missing', late), {
      kind: 'timeout',
      message: 'The socket /missing: no response in time.',
    })
  })

  test('has the same error for a missing file and a file that is not a socket', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-egress-'))
    context.after(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'file')
    writeFileSync(file, '')
    const paths = [
      join(folder, 'missing'),
      file,
      folder,
      join(file, 'below'),
      `/${'x'.repeat(300)}`,
      '/proc/1/root/x',
    ]
    const told = await Promise.all(
      paths.map(async (path) => {
        const error = await egress.openUnixSocket(path, soon()).catch((cause: unknown) => cause)
        assert.ok(error instanceof SourceError)
        assert.equal(error.cause, undefined)
        return [error.kind, error.message.replace(path, 'PATH')]
      }),
    )
    assert.equal(new Set(told.map(String)).size, 1, JSON.stringify(told))
  })
})
