import type { IncomingHttpHeaders } from 'node:http'
import type {
  BodyOf,
  gatewayOperations,
  GatewayOperationId,
  ParametersOf,
  QueryOf,
} from '@muster/contract'

/** A browser's request, and what goes back with the answer whatever that is. */
export interface Exchange {
  /** Its request id, which goes along to the API. */
  readonly id: string
  readonly method: string
  /** As it was asked for, with its query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Where the browser is, and how it got here, as far as trusted proxies say. */
  readonly ip: string
  readonly protocol: 'http' | 'https'
  readonly host: string
  readonly body: Buffer | undefined
  /** When the browser has gone away. */
  readonly signal: AbortSignal
  /** One more header of the answer, errors included. */
  addHeader(name: string, value: string): void
}

export interface GatewayAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** A stream goes out as it comes, bytes as they are, anything else as JSON. */
  readonly body?: unknown
}

type GatewayOperationOf<Id extends GatewayOperationId> = Extract<
  (typeof gatewayOperations)[number],
  { readonly id: Id }
>

/** A request for one of the gateway's own operations, checked against the contract. */
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
