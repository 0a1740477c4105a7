import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { createServer as createPlainServer, type AddressInfo } from 'node:net'
import { jsonContentType } from '@muster/contract'
import type { FastifyInstance } from 'fastify'
import ipaddr from 'ipaddr.js'
import { PlatformError } from '../domain/error.ts'
import { errorBody } from './errors.ts'
import { requestIdOrNew } from './request-id.ts'

interface Settings {
  readonly host: string
  readonly port: number
  readonly tls: { readonly cert: string; readonly key: string } | undefined
  readonly clock: () => number
}

/** Idle connections are closed after this time while Muster starts, in milliseconds. */
const idleTimeout = 10_000

/**
 * Listens on the port while Muster starts: `/healthz` is 200, everything else 503. Only `/readyz` says the reason,
 * because it may name the database.
 * The application takes over the listening socket when it is ready, so no connection is refused.
 */
export async function openPort({ host, port: wanted, tls, clock }: Settings) {
  let reason = ''
  let isHandedOver = false

  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const requestId = requestIdOrNew(request.headers['x-request-id'])
    const path = request.url?.split('?', 1)[0]
    const isAlive = path === '/healthz'
    const fault = new PlatformError(
      'ServiceUnavailable',
      path === '/readyz'
        ? `Muster is starting: ${reason}. Try again shortly.`
        : 'Muster is starting. Try again shortly.',
    )
    const body = isAlive ? { status: 'ok' } : errorBody(fault, requestId, clock())
    response.writeHead(isAlive ? 200 : fault.status, {
      'content-type': jsonContentType,
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      ...(!isAlive && { 'retry-after': '1' }),
      // Forces a new connection for the next request, which may reach the application.
      connection: 'close',
    })
    response.end(JSON.stringify(body))
  }
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    // Closing before the body is read would reset the connection and lose the response.
    request.resume().once('end', () => respond(request, response))
  }

  const starting = tls ? createTlsServer(tls, handle) : createServer(handle)
  const listener = createPlainServer((socket) => {
    socket.setTimeout(idleTimeout, () => socket.destroy())
    starting.emit('connection', socket)
  })
  // Always IPv4, whatever "localhost" resolves to on this machine.
  listener.listen(wanted, host === 'localhost' ? '127.0.0.1' : host)
  await once(listener, 'listening')
  const { port, address } = listener.address() as AddressInfo

  return {
    port,
    isLoopback: ipaddr.process(address).range() === 'loopback',
    /** Sets the current step of the start, such as `the database is being opened`. */
    explain(text: string): void {
      reason = text
    },
    /** Passes the listening socket to the application. */
    async handOver(app: FastifyInstance): Promise<void> {
      await app.ready()
      isHandedOver = true
      app.server.listen(listener)
      await once(app.server, 'listening')
      starting.removeListener('request', handle)
      starting.on('request', (request, response) => app.server.emit('request', request, response))
    },
    /** Does nothing after a handover: the application closes the socket then. */
    async close(): Promise<void> {
      if (isHandedOver) return
      listener.close()
      await once(listener, 'close')
    },
  }
}
export type OpenPort = Awaited<ReturnType<typeof openPort>>
