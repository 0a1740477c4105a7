import type { OperationId } from '@muster/contract'
import { operations, type Operation } from '@muster/contract'
import type { FastifyInstance } from 'fastify'
import { withNestedCall, type NestedCall } from '../nested-calls.ts'

export interface ApiRequest {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: object
  readonly headers?: Readonly<Record<string, string>>
}

export interface ApiAnswer {
  readonly body: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, unknown>>
}

/** An error of the API, which the assistant gets as it is. */
export class ApiFault extends Error {
  readonly body: Readonly<Record<string, unknown>>

  constructor(body: Readonly<Record<string, unknown>>) {
    super('the API refused a request of a tool')
    this.body = body
  }
}

const byId: ReadonlyMap<string, Operation> = new Map(
  operations.map((operation) => [operation.id, operation]),
)

export function operationOf(id: OperationId): Operation {
  const operation = byId.get(id)
  if (!operation) throw new Error(`there is no operation ${id}`)
  return operation
}

function toQuery(query: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().map((item) => [name, String(item)]),
  )
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`
}

interface Parts {
  readonly app: FastifyInstance
  readonly call: NestedCall
  readonly host: string
  readonly signal: AbortSignal
}

/**
 * Calls an operation of the API in this process, as the caller. So permissions, limits, validation and
 * audit events are those of the operation.
 */
export const createCallApi =
  ({ app, call, host, signal }: Parts) =>
  async (id: OperationId, request: ApiRequest = {}): Promise<ApiAnswer> => {
    const { method, path } = operationOf(id)
    const { path: parameters = {}, query = {}, body, headers } = request
    const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(parameters[name] ?? ''),
    )
    const response = await withNestedCall(call, (nested) =>
      app.inject({
        method,
        url: url + toQuery(query),
        headers: { ...headers, ...nested, host, 'x-request-id': call.origin.requestId },
        remoteAddress: call.origin.ip,
        signal,
        ...(body && { payload: body }),
      }),
    )
    const answer = response.json<Readonly<Record<string, unknown>>>()
    if (response.statusCode >= 400) throw new ApiFault(answer)
    return { body: answer, headers: response.headers }
  }
export type CallApi = ReturnType<typeof createCallApi>
