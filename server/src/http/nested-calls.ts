import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Principal } from '../domain/identity/principal.ts'
import type { RequestOrigin } from '../domain/request-origin.ts'

/** A request that this process sends to its own API on behalf of the caller of another request. */
export interface NestedCall {
  /** Checks the credentials of that request again, so that a withdrawn one ends at once. */
  readonly authenticate: () => Promise<Principal | undefined>
  readonly origin: RequestOrigin
}

const header = 'x-nested-call'
const calls = new Map<string, NestedCall>()

/** Marks the request by a secret that exists only while it runs, so that no client can send it. */
export async function withNestedCall<Result>(
  call: NestedCall,
  send: (headers: Readonly<Record<string, string>>) => Promise<Result>,
): Promise<Result> {
  const secret = randomBytes(32).toString('base64url')
  calls.set(secret, call)
  try {
    return await send({ [header]: secret })
  } finally {
    calls.delete(secret)
  }
}

export function findNestedCall(headers: IncomingHttpHeaders): NestedCall | undefined {
  const secret = headers[header]
  return typeof secret === 'string' ? calls.get(secret) : undefined
}
