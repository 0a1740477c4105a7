import { abortedError } from '../../domain/sources/deadline.ts'

/** Waits for work that cannot be cancelled, at most until the signal is aborted. */
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
