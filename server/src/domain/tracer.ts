export type SpanAttributes = Readonly<Record<string, string | number>>

/** The kind of a span: a request to Muster, a call of another system, or internal work. */
export type SpanKind = 'server' | 'client' | 'internal'

/** What is known of a span when it ends. */
export interface SpanDetails {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: SpanAttributes
  readonly isError: boolean
}

/** A span of this process, or of another system that sent a request. */
export interface ParentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
  /** Milliseconds from 1970 to the zero of `performance.now`, the same for all spans of a trace here. */
  readonly origin?: number
}

/** A span that has not ended. */
export interface OpenSpan extends ParentSpan {
  readonly parentId: string | undefined
  /** By `performance.now`. */
  readonly startedAt: number
  readonly origin: number
}

/** Attributes and result of a span while its work runs. */
export type DescribeSpan = (attributes: SpanAttributes, isError?: boolean) => void

/** Records what Muster does as OpenTelemetry spans. There is none unless traces are exported. */
export interface Tracer {
  /** A child of the span, or else the root of a new trace. */
  begin(parent?: ParentSpan): OpenSpan
  current(): OpenSpan | undefined
  /** Makes the span the current one during the work, and in all that the work starts. */
  enter<Result>(span: OpenSpan, work: () => Result): Result
  end(span: OpenSpan, details: SpanDetails): void
  /** Runs the work in a span of its own. */
  run<Result>(
    name: string,
    kind: SpanKind,
    work: (describe: DescribeSpan) => Promise<Result>,
  ): Promise<Result>
  /** Records work that has ended, as a child of the current span. Has no effect without one. */
  note(details: SpanDetails, startedAt: number): void
}
