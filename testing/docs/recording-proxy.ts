import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'

export interface Exchange {
  readonly method: string
  readonly path: string
  readonly status: number
  readonly body: string
}

/** Forwards requests to Muster and records each of them with its response. */
export async function startRecordingProxy(lifetime: Lifetime, target: string) {
  const exchanges: Exchange[] = []
  const proxy = createServer(async (incoming, outgoing) => {
    const { method = '', url: path = '', headers } = incoming
    const forwarded = request(new URL(path, target), { method, headers })
    forwarded.end(await buffer(incoming))
    const [response] = (await once(forwarded, 'response')) as [typeof incoming]
    const body = await buffer(response)
    const { statusCode: status = 0 } = response
    exchanges.push({ method, path, status, body: body.toString() })
    outgoing.writeHead(status, response.headers).end(body)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  lifetime.after(() => proxy.close())
  const { port } = proxy.address() as AddressInfo
  return { host: `127.0.0.1:${port}`, take: () => exchanges.splice(0) }
}
