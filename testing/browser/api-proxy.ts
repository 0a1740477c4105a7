import { once } from 'node:events'
import { createServer, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'

/** How the API behaves: as it is, late, with an error, or without any answer. */
export type ApiBehaviour =
  | { readonly kind: 'normal' }
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'failing'; readonly status: number }
  | { readonly kind: 'silent' }

/** A proxy in front of a Muster, so that a test decides how its API behaves. The console's files pass. */
export async function startApiProxy(lifetime: Lifetime, target: string) {
  const { hostname, port: targetPort } = new URL(target)
  const waiting = new Set<ServerResponse>()
  let behaviour: ApiBehaviour = { kind: 'normal' }

  const server = createServer(async (asked, answer) => {
    const isApi = asked.url?.startsWith('/api/') === true
    if (isApi && behaviour.kind === 'failing') {
      asked.resume()
      answer.writeHead(behaviour.status).end()
      return
    }
    if (isApi && behaviour.kind === 'silent') {
      waiting.add(answer)
      answer.on('close', () => waiting.delete(answer))
      return
    }
    if (isApi && behaviour.kind === 'slow') await delay(behaviour.ms)
    const { method, url, headers } = asked
    const passed = request(
      { host: hostname, port: targetPort, method, path: url, headers },
      (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers)
        response.pipe(answer)
      },
    )
    passed.on('error', () => answer.destroy())
    answer.on('close', () => passed.destroy())
    asked.pipe(passed)
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
      for (const answer of waiting) answer.destroy()
    },

    /** As where the process is killed: connections break, and new ones are refused. */
    stop,

    /** At the same address. */
    async restart(): Promise<void> {
      server.listen(port, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}
