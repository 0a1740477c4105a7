import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'

/**
 * How the API behaves: normal, slow, with an error, replaced by a web page, or without a response. `under`: only
 * requests whose path begins so.
 */
export type ApiBehaviour =
  | { readonly kind: 'normal' }
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'failing'; readonly status: number; readonly under?: string }
  | { readonly kind: 'page' }
  | { readonly kind: 'silent'; readonly under?: string }

/** A proxy in front of Muster that controls how its API behaves. Files of the console pass unchanged. */
export async function startApiProxy(lifetime: Lifetime, target: string) {
  const { hostname, port: targetPort } = new URL(target)
  const waiting = new Set<ServerResponse>()
  let behaviour: ApiBehaviour = { kind: 'normal' }

  const server = createServer(async (clientRequest, clientResponse) => {
    const under = 'under' in behaviour ? behaviour.under : '/api/'
    const isApi = clientRequest.url?.startsWith(under ?? '/api/') === true
    if (isApi && behaviour.kind === 'failing') {
      clientRequest.resume()
      clientResponse.writeHead(behaviour.status, { 'retry-after': '7' }).end()
      return
    }
    if (isApi && behaviour.kind === 'page') {
      clientRequest.resume()
      clientResponse.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Maintenance</h1>')
      return
    }
    if (isApi && behaviour.kind === 'silent') {
      waiting.add(clientResponse)
      clientResponse.on('close', () => waiting.delete(clientResponse))
      return
    }
    if (isApi && behaviour.kind === 'slow') await delay(behaviour.ms)
    const { method, url, headers } = clientRequest
    const passed = request(
      { host: hostname, port: targetPort, method, path: url, headers },
      (response) => {
        clientResponse.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(clientResponse)
      },
    )
    passed.on('error', () => clientResponse.destroy())
    clientResponse.on('close', () => passed.destroy())
    clientRequest.pipe(passed)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  async function stop(): Promise<void> {
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }
  lifetime.after(async () => {
    if (server.listening) await stop()
  })

  return {
    url: `http://127.0.0.1:${port}`,

    behave(next: ApiBehaviour): void {
      behaviour = next
      if (next.kind === 'silent') return
      for (const clientResponse of waiting) clientResponse.destroy()
    },

    /** Like a killed process: connections break, and new ones are refused. */
    stop,

    /** Starts again at the same address. */
    async restart(): Promise<void> {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}
