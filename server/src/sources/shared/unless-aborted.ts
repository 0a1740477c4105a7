import { abortedError } from '../../domain/sources/deadline.ts'

/** Waits for something that cannot be cancelled, but no longer than until the signal. */
export async function unlessAborted<Result>(
  work: Promise<Result>,
  target: string,
  signal: AbortSignal,
): Promise<Result> {
  const aborted = Promise.withResolvers<never>()
  const onAbort = () => aborted.reject(abortedError(signal, target))
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    // Signals of accounts live long.
    signal.removeEventListener('abort', onAbort)
  }
}
