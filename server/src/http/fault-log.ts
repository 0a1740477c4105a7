import type { FastifyBaseLogger } from 'fastify'

interface Fault {
  readonly level: 'error' | 'warn'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
  /** Errors with the same level, message and top stack frame are of one kind. */
  readonly error: unknown
}

const interval = 60_000
const maxPerKind = 10
const maxKinds = 20

const stackFrameOf = (error: unknown): string =>
  (error instanceof Error && /^[^\S\n]+at .*$/m.exec(error.stack ?? '')?.[0]) || ''

/**
 * Logs server faults, at most ten of one kind a minute: whoever finds a request that fails must not
 * be able to fill the disk with it. A summary line at the end of the minute counts the rest.
 */
export function createFaultLog(log: Pick<FastifyBaseLogger, 'error' | 'warn'>) {
  const kinds = new Map<string, { readonly message: string; count: number }>()
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    for (const { message, count } of kinds.values()) {
      const left_out = count - maxPerKind
      if (left_out > 0)
        log.warn({ left_out, fault: message }, 'repeated errors of this kind were not logged')
    }
    kinds.clear()
  }

  return {
    write({ level, message, fields, error }: Fault): void {
      timer ??= setTimeout(flush, interval).unref()
      const own = `${level} ${message} ${stackFrameOf(error)}`
      const key = kinds.has(own) || kinds.size < maxKinds ? own : 'others'
      const kind = kinds.get(key) ?? { message: key === own ? message : 'other faults', count: 0 }
      kinds.set(key, kind)
      kind.count += 1
      if (kind.count <= maxPerKind) log[level](fields, message)
    },
    /** Writes the summary of the current minute now. */
    flush,
  }
}
export type FaultLog = ReturnType<typeof createFaultLog>
