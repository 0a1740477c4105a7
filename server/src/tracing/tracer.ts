import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import type { OpenSpan, ParentSpan, SpanDetails, Tracer } from '../domain/tracer.ts'

/** A span that has ended: plain data, to be sent to another thread. */
export interface FinishedSpan extends SpanDetails {
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  /** Milliseconds since 1970, with a fraction. */
  readonly start: number
  readonly end: number
}

const newId = (bytes: number) => randomBytes(bytes).toString('hex')

/** Records a share of all traces, from 0 to 1. A trace is recorded whole or not at all. */
export function createTracer(ratio: number, record: (span: FinishedSpan) => void): Tracer {
  const current = new AsyncLocalStorage<OpenSpan>()

  function begin(parent?: ParentSpan): OpenSpan {
    const startedAt = performance.now()
    const isSampled = parent ? parent.isSampled : Math.random() < ratio
    return {
      traceId: parent?.traceId ?? (isSampled ? newId(16) : ''),
      spanId: isSampled ? newId(8) : '',
      parentId: parent?.spanId,
      isSampled,
      startedAt,
      origin: parent?.origin ?? Date.now() - startedAt,
    }
  }

  function end(span: OpenSpan, { name, kind, attributes, isError }: SpanDetails): void {
    if (!span.isSampled) return
    const { traceId, spanId, parentId, startedAt, origin } = span
    record({
      traceId,
      spanId,
      parentId,
      name,
      kind,
      attributes,
      isError,
      start: origin + startedAt,
      end: origin + performance.now(),
    })
  }

  return {
    begin,
    end,
    current: () => current.getStore(),
    enter: (span, work) => current.run(span, work),
    async run(name, kind, work) {
      const span = begin(current.getStore())
      const attributes: Record<string, string | number> = {}
      let isError = false
      try {
        return await current.run(span, () =>
          work((more, hasFailed = false) => {
            Object.assign(attributes, more)
            isError ||= hasFailed
          }),
        )
      } catch (error) {
        isError = true
        throw error
      } finally {
        end(span, { name, kind, attributes, isError })
      }
    },
    note(details, startedAt) {
      const parent = current.getStore()
      if (parent?.isSampled) end({ ...begin(parent), startedAt }, details)
    },
  }
}
