import type { SpanAttributes, SpanKind } from '../domain/tracer.ts'
import type { FinishedSpan } from './tracer.ts'

/** The numbers of OTLP. */
const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 }
const errorStatus = 2

/** JSON has no 64-bit integers, so OTLP writes them as text. */
const nanoseconds = (ms: number) => `${Math.round(ms * 1_000)}000`

const encodeValue = (value: string | number) => {
  if (typeof value === 'string') return { stringValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

const encodeAttributes = (attributes: SpanAttributes) =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: encodeValue(value) }))

/** An `ExportTraceServiceRequest` of OTLP 1 as JSON. */
export const encodeSpans = (resource: SpanAttributes, spans: readonly FinishedSpan[]): string =>
  JSON.stringify({
    resourceSpans: [
      {
        resource: { attributes: encodeAttributes(resource) },
        scopeSpans: [
          {
            scope: { name: 'muster' },
            spans: spans.map((span) => ({
              traceId: span.traceId,
              spanId: span.spanId,
              ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
              name: span.name,
              kind: kinds[span.kind],
              startTimeUnixNano: nanoseconds(span.start),
              endTimeUnixNano: nanoseconds(span.end),
              attributes: encodeAttributes(span.attributes),
              status: span.isError ? { code: errorStatus } : {},
            })),
          },
        ],
      },
    ],
  })
