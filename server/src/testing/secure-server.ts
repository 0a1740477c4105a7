import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Lifetime } from './spawn-muster.ts'

/** All certificates share one key for tests. The authority signed the others. */
const certificates = {
  authority: 'test-only.cert.pem',
  issued: 'test-only-issued.cert.pem',
  expired: 'test-only-expired.cert.pem',
  elsewhere: 'test-only-elsewhere.cert.pem',
} as const
export type TestCertificate = keyof typeof certificates

const readFixture = (name: string) =>
  readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8')

/** The authority that signed the certificates of test servers. */
export const testAuthority = readFixture(certificates.authority)
export const issuedCertificate = readFixture(certificates.issued)
export const certificateOf = (name: TestCertificate): string => readFixture(certificates[name])
/** Of every certificate for tests. */
export const privateKey = readFixture('test-only.key.pem')

interface SeenRequest {
  readonly method: string
  readonly target: string
  readonly headers: IncomingHttpHeaders
}

/** A real HTTPS server on loopback that records its requests. */
export async function startSecureServer(
  lifetime: Lifetime,
  answer: RequestListener,
  certificate: TestCertificate = 'issued',
) {
  const requests: SeenRequest[] = []
  let connections = 0
  const server = createServer(
    { key: privateKey, cert: certificateOf(certificate) },
    (request, response) => {
      const { method = '', url: target = '', headers } = request
      requests.push({ method, target, headers })
      answer(request, response)
    },
  )
  server.on('connection', () => (connections += 1))
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  lifetime.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `https://localhost:${port}`, requests, connections: () => connections }
}
export type SecureServer = Awaited<ReturnType<typeof startSecureServer>>
