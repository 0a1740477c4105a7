import type { QueueCounts } from '../domain/bounded-queue.ts'
import type { CacheMemory } from '../domain/cache.ts'
import type { Health } from '../domain/health.ts'
import { single, type Metric, type Sample } from './metric.ts'

/** The version of Muster, and whether it is ready. */
export const createHealthMetrics = (
  version: string,
  { problems, clockOffset }: Pick<Health, 'problems' | 'clockOffset'>,
): readonly Metric[] => [
  {
    name: 'muster_build_info',
    type: 'gauge',
    help: 'Always 1. The label is the version of Muster.',
    labels: ['version'],
    read: () => [{ labels: { version }, value: 1 }],
  },
  {
    name: 'muster_ready',
    type: 'gauge',
    help: '1 if the last check found that this process can serve, otherwise 0. /readyz has the reason.',
    read: () => single(problems().length === 0 ? 1 : 0),
  },
  {
    name: 'muster_clock_offset_seconds',
    type: 'gauge',
    help: 'How far the clock of this machine is ahead of that of the database server.',
    read() {
      const offset = clockOffset()
      return single(offset === undefined ? undefined : offset / 1_000)
    },
  },
]

/** Metrics of each cache, and of the memory that they share. */
export function createCacheMetrics(memory: CacheMemory): readonly Metric[] {
  const readEach = (member: 'hits' | 'misses' | 'entries' | 'bytes') => () =>
    Array.from(memory.counts(), ([cache, counts]) => ({ labels: { cache }, value: counts[member] }))
  const labels = ['cache']
  return [
    {
      name: 'muster_cache_hits_total',
      type: 'counter',
      help: 'Lookups that found a current value.',
      labels,
      read: readEach('hits'),
    },
    {
      name: 'muster_cache_misses_total',
      type: 'counter',
      help: 'Lookups that found none.',
      labels,
      read: readEach('misses'),
    },
    {
      name: 'muster_cache_entries',
      type: 'gauge',
      help: 'Values in the cache.',
      labels,
      read: readEach('entries'),
    },
    {
      name: 'muster_cache_bytes',
      type: 'gauge',
      help: 'Memory of the values, estimated.',
      labels,
      read: readEach('bytes'),
    },
    {
      name: 'muster_cache_limit_bytes',
      type: 'gauge',
      help: 'Memory that all caches share at most (--cache-memory).',
      read: () => single(memory.limit),
    },
  ]
}

/** Metrics of all queues. */
export function createQueueMetrics(
  read: () => ReadonlyMap<string, QueueCounts>,
): readonly Metric[] {
  const readEach = (member: keyof QueueCounts) => (): Sample[] =>
    Array.from(read(), ([queue, counts]) => ({ labels: { queue }, value: counts[member] })).filter(
      (sample): sample is typeof sample & { value: number } => sample.value !== undefined,
    )
  const labels = ['queue']
  return [
    {
      name: 'muster_queue_running',
      type: 'gauge',
      help: 'Tasks that run now.',
      labels,
      read: readEach('running'),
    },
    {
      name: 'muster_queue_waiting',
      type: 'gauge',
      help: 'Tasks that wait. For the writer: commits without an answer, also those being written.',
      labels,
      read: readEach('waiting'),
    },
    {
      name: 'muster_queue_started_total',
      type: 'counter',
      help: 'Tasks that have started.',
      labels,
      read: readEach('started'),
    },
    {
      name: 'muster_queue_rejected_total',
      type: 'counter',
      help: 'Tasks that were refused because too many were waiting, or that waited too long.',
      labels,
      read: readEach('rejected'),
    },
    {
      name: 'muster_queue_wait_seconds_total',
      type: 'counter',
      help: 'Time that all tasks together have waited. Of the writer this is part of the duration of commits.',
      labels,
      read: readEach('waitedSeconds'),
    },
  ]
}
