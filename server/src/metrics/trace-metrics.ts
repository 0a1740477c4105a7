import type { SpanCounts } from '../tracing/span-exporter.ts'
import { byLabel, type Metric } from './metric.ts'

/** Left out while no traces are exported. */
export const createTraceMetrics = (read: (() => SpanCounts) | undefined): Metric[] => [
  {
    name: 'muster_trace_spans_total',
    type: 'counter',
    help: 'Spans by result: exported, dropped (too many were waiting) or failed (the collector did not accept them).',
    labels: ['result'],
    read: () => (read ? byLabel('result', { ...read() }) : []),
  },
]
