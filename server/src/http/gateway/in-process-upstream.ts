import type { Upstream } from '@muster/gateway'
import type { FastifyInstance } from 'fastify'

/** Calls the public API in this process without a network connection, with the client address of the browser. */
export const createInProcessUpstream =
  (app: FastifyInstance): Upstream =>
  async ({ method, path, headers, body, ip, host, signal }) => {
    signal.throwIfAborted()
    const response = await app.inject({
      method,
      url: path,
      headers: { host, ...headers },
      remoteAddress: ip,
      payloadAsStream: true,
      // Aborts only until the response begins. A write that has started is still completed.
      signal,
      ...(body && { payload: body }),
    })
    // Acts like a lost connection, so that the handler stops producing the response.
    const disconnect = () => void response.raw.res.destroy()
    if (signal.aborted) disconnect()
    else signal.addEventListener('abort', disconnect, { once: true })
    return { status: response.statusCode, headers: response.headers, body: response.stream() }
  }
