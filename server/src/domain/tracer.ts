export type SpanAttributes = Readonly<Record<string, string | number>>

/** What a span is of: a request to Muster, a call of another system, or work of its own. */
export type SpanKind = 'server' | 'client' | 'internal'

/** What is known of a span when it ends. */
export interface SpanDetails {
  readonly name: string
  readonly kind: SpanKind
  readonly attributes: SpanAttributes
  readonly isError: boolean
}

/** The span of another system that a request belongs to. */
export interface RemoteParent {
  readonly traceId: string
  readonly spanId: string
  readonly isSampled: boolean
}

/** A span that has not ended. */
export interface OpenSpan extends RemoteParent {
  readonly parentId: string | undefined
  /** By `performance.now`. */
  readonly startedAt: number
  /** Milliseconds from 1970 to the zero of `performance.now`, the same for a whole trace. */
  readonly origin: number
}

/** Attributes and result of a span while its work runs. */
export type DescribeSpan = (attributes: SpanAttributes, isError?: boolean) => void

/** Records what Muster does as OpenTelemetry spans. There is none unless traces are exported. */
export interface Tracer {
  /** A child of the current span, or else of the remote one, or else the root of a new trace. */
  begin(parent?: RemoteParent): OpenSpan
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
