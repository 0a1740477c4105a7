/** Waits. Rejects with the reason of the signal as soon as it is aborted. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>

export const sleep: Sleep = async (milliseconds, signal) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds)
  })
  try {
    await abortable(elapsed, signal)
  } finally {
    clearTimeout(timer)
  }
}

/** The result of work that several callers share. A caller who aborts stops waiting, and the work goes on. */
export async function abortable<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (!signal) return await work
  let stopListening = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', abort)
    stopListening = () => signal.removeEventListener('abort', abort)
    if (signal.aborted) abort()
  })
  try {
    return await Promise.race([aborted, work])
  } finally {
    stopListening()
  }
}
