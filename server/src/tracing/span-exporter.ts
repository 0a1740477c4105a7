import type { FinishedSpan } from './tracer.ts'

/** In milliseconds. */
interface Delays {
  /** From the first span of a batch until it is sent. */
  readonly batch: number
  /** From a failure until the next batch. */
  readonly failure: number
  /** For everything that is sent at the end. */
  readonly stop: number
}

interface Dependencies {
  /** Rejects, with the reason as message, unless the collector accepts the spans. */
  readonly send: (spans: readonly FinishedSpan[], signal: AbortSignal) => Promise<void>
  readonly log: Record<'warn' | 'info', (fields: object, message: string) => void>
  readonly delays?: Delays
}

export interface SpanCounts {
  readonly exported: number
  /** Not sent, because too many were waiting. */
  readonly dropped: number
  /** Sent, but not accepted. */
  readonly failed: number
}

const maxWaiting = 4_096
const maxBatch = 512
const defaultDelays: Delays = { batch: 2_000, failure: 30_000, stop: 2_000 }

/**
 * Sends spans in batches, one batch at a time. Spans that the collector does not accept are not sent
 * again, and none are sent for a while, so that a collector with problems gets little load.
 */
export function createSpanExporter({ send, log, delays = defaultDelays }: Dependencies) {
  let waiting: FinishedSpan[] = []
  let timer: NodeJS.Timeout | undefined
  let exporting: Promise<void> | undefined
  let isPaused = false
  const stopping = new AbortController()
  const counts = { exported: 0, dropped: 0, failed: 0 }

  async function sendBatch(): Promise<void> {
    const batch = waiting.slice(0, maxBatch)
    waiting = waiting.slice(maxBatch)
    try {
      await send(batch, stopping.signal)
      counts.exported += batch.length
      if (isPaused) log.info({}, 'traces are exported again')
      isPaused = false
    } catch (error) {
      counts.failed += batch.length
      const reason = (error as Error).message
      if (!isPaused) log.warn({ reason }, 'cannot export traces')
      isPaused = true
    }
  }

  async function exportAll(): Promise<void> {
    do await sendBatch()
    while (waiting.length >= maxBatch && !isPaused)
    exporting = undefined
    if (waiting.length > 0) schedule(isPaused ? delays.failure : delays.batch)
  }

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    exporting ??= exportAll()
  }

  function schedule(delay: number): void {
    timer ??= setTimeout(start, delay).unref()
  }

  return {
    counts: (): SpanCounts => ({ ...counts }),
    add(span: FinishedSpan): void {
      if (waiting.length >= maxWaiting) {
        counts.dropped += 1
        return
      }
      waiting.push(span)
      if (exporting) return
      if (waiting.length >= maxBatch && !isPaused) start()
      else schedule(isPaused ? delays.failure : delays.batch)
    },
    /** Sends what is waiting, within a time limit. */
    async stop(): Promise<void> {
      const limit = setTimeout(() => stopping.abort(), delays.stop)
      await exporting
      clearTimeout(timer)
      while (waiting.length > 0 && !isPaused && !stopping.signal.aborted) await sendBatch()
      clearTimeout(limit)
      clearTimeout(timer)
      counts.dropped += waiting.length
      waiting = []
    },
  }
}
