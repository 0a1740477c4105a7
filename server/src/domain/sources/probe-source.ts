import { PlatformError } from '../error.ts'
import type { Account } from './account.ts'
import { abortedError, deadline } from './deadline.ts'
import { explainError } from './explain-error.ts'
import type { OpenSource } from './open-source.ts'
import { SourceError, type SourceErrorKind } from './source-error.ts'
import type { ServerReference } from './source.ts'

/** Short, because a user waits for the result. */
const probeLimit = 5_000

/** With any other error, the source has answered. */
const silence: ReadonlySet<SourceErrorKind> = new Set([
  'not-allowed',
  'unreachable',
  'timeout',
  'tls',
  'credentials',
])

/**
 * Reads one server to find out whether its source answers; 503 if it does not. Opens a connection of its
 * own, so it also works where another process runs the account.
 */
export async function probeSource(
  openSource: Pick<OpenSource, 'openAccount'>,
  account: Account,
  reference: ServerReference,
  limit = probeLimit,
): Promise<void> {
  const signal = deadline(limit)
  async function read(): Promise<void> {
    const source = await openSource.openAccount(account, signal, 'get')
    try {
      await source.get(reference, signal)
    } finally {
      void source.close().catch(() => {})
    }
  }
  const aborted = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => aborted.reject(abortedError(signal, 'The source')))
  try {
    await Promise.race([read(), aborted.promise])
  } catch (error) {
    if (error instanceof SourceError && !silence.has(error.kind)) return
    throw new PlatformError(
      'ServiceUnavailable',
      `The source of the cloud account "${account.name}" does not answer. ${explainError(error)}`,
      { retryAfter: 30 },
    )
  } finally {
    aborted.promise.catch(() => {})
  }
}
