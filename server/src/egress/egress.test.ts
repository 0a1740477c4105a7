import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test, type TestContext } from 'node:test'
import { generateKeyPairSync } from 'node:crypto'
import { SourceError } from '../domain/sources/source-error.ts'
import { issuedCertificate, testAuthority } from '../testing/secure-server.ts'
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
