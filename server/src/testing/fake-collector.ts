import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Lifetime } from './spawn-muster.ts'

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly {
    readonly key: string
    readonly value: { readonly stringValue?: string; readonly intValue?: string }
  }[]
  readonly status: { readonly code?: number }
}

interface TraceRequest {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[]
  }[]
}

/** An OTLP/HTTP collector that accepts every request and stores it. */
export async function startFakeCollector(lifetime: Lifetime) {
  const requests: { readonly target: string; readonly headers: IncomingHttpHeaders }[] = []
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    requests.push({ target: `${request.method} ${request.url}`, headers: request.headers })
    bodies.push(await text(request))
    response.setHeader('content-type', 'application/json').end('{}')
  }).listen(0, '127.0.0.1')
  lifetime.after(() => {
    server.closeAllConnections()
    server.close()
  })
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    bodies,
    spans: (): CollectedSpan[] =>
      bodies
        .flatMap((body) => (JSON.parse(body) as TraceRequest).resourceSpans)
        .flatMap(({ scopeSpans }) => scopeSpans)
        .flatMap(({ spans }) => spans),
  }
}
export type FakeCollector = Awaited<ReturnType<typeof startFakeCollector>>

/** The attributes of a span by name, as texts. */
export const attributesOf = ({ attributes }: CollectedSpan): Record<string, string | undefined> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]))
