import type { IncomingHttpHeaders } from 'node:http'
import type {
  BodyOf,
  gatewayOperations,
  GatewayOperationId,
  ParametersOf,
  QueryOf,
} from '@muster/contract'

/** A request of a browser, with a function to add response headers. */
export interface Exchange {
  /** The request id, which is also sent to the API. */
  readonly id: string
  readonly method: string
  /** The path with the query string. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** The address of the browser, its protocol and host, as trusted proxies report them. */
  readonly ip: string
  readonly protocol: 'http' | 'https'
  readonly host: string
  readonly body: Buffer | undefined
  /** Aborts when the browser disconnects. */
  readonly signal: AbortSignal
  /** Adds a header to the response, also to an error. */
  addHeader(name: string, value: string): void
}

export interface GatewayAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Streams and buffers are sent unchanged, anything else as JSON. */
  readonly body?: unknown
}

type GatewayOperationOf<Id extends GatewayOperationId> = Extract<
  (typeof gatewayOperations)[number],
  { readonly id: Id }
>

/** A validated request for an operation of the gateway. */
export interface Call<Id extends GatewayOperationId> {
  readonly exchange: Exchange
  readonly parameters: ParametersOf<GatewayOperationOf<Id>>
  readonly query: QueryOf<GatewayOperationOf<Id>>
  readonly body: BodyOf<GatewayOperationOf<Id>>
}

/** One handler for each of the gateway's own operations. */
export type GatewayHandlers = {
  readonly [Id in GatewayOperationId]: (call: Call<Id>) => Promise<GatewayAnswer>
}
