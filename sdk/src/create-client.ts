import { createPageClient, type Client, type PageClientOptions } from './client.ts'
import type { AnyOperationId } from './operations.ts'
import { sendOnce, type Repetition } from './repeat.ts'
import { createRetry, isTransient, type RetryOptions } from './retry.ts'
import { routeOf } from './route.ts'
import type { AnyInput } from './send.ts'

export interface ClientOptions<Login> extends PageClientOptions<Login>, RetryOptions {}

/** Whether a call may be sent more than once. Adds the `Idempotency-Key` that makes an action safe to repeat. */
function prepare(id: AnyOperationId, input: AnyInput): ReturnType<Repetition['prepare']> {
  const { method, takesKey } = routeOf(id)
  if (!takesKey) return { input, isRepeatable: method !== 'POST' }
  const headers = new Headers(input.headers)
  if (headers.has('idempotency-key')) return { input, isRepeatable: true }
  // `randomUUID` is missing in pages without TLS.
  const bytes = [...crypto.getRandomValues(new Uint8Array(16))]
  const key = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return {
    input: { ...input, headers: { ...input.headers, 'idempotency-key': key } },
    isRepeatable: true,
  }
}

/** Creates a client that repeats requests which are safe to repeat. */
export const createClient = <Login = void>(options: ClientOptions<Login> = {}): Client<Login> =>
  createPageClient(
    options,
    options.retries === 0 ? sendOnce : { retry: createRetry(options), isTransient, prepare },
  )
