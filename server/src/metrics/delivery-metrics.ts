import type { EventDelivery } from '../domain/audit/deliver-events.ts'
import type { SinkLag } from '../domain/audit/event-sink.ts'
import type { Clock } from '../domain/clock.ts'
import type { Metric } from './metric.ts'

/** Metrics of the receivers of audit events. Left out if there are none. */
export const createDeliveryMetrics = (
  deliveries: readonly EventDelivery[],
  readLags: () => ReadonlyMap<string, SinkLag>,
  clock: Clock,
): readonly Metric[] => [
  {
    name: 'muster_event_deliveries_total',
    type: 'counter',
    help: 'Attempts of this process to deliver audit events, by result: delivered, failed or skipped.',
    labels: ['sink', 'result'],
    read: () =>
      deliveries.flatMap(({ name, counts }) =>
        Object.entries(counts()).map(([result, value]) => ({
          labels: { sink: name, result },
          value,
        })),
      ),
  },
  {
    name: 'muster_event_delivery_lag_events',
    type: 'gauge',
    help: 'Audit events that are not delivered yet. More than 10000 count as 10000.',
    labels: ['sink'],
    read: () =>
      Array.from(readLags(), ([sink, { events }]) => ({ labels: { sink }, value: events })),
  },
  {
    name: 'muster_event_delivery_lag_seconds',
    type: 'gauge',
    help: 'Age of the first audit event that is not delivered yet.',
    labels: ['sink'],
    read: () =>
      Array.from(readLags(), ([sink, { since }]) => ({
        labels: { sink },
        value: since === undefined ? 0 : Math.max(0, clock() - since) / 1_000,
      })),
  },
]
