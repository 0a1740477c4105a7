import { readdirSync } from 'node:fs'
import { constants, monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { byLabel, single, type Metric, type Sample } from './metric.ts'

const collectorNames: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: 'major',
  [constants.NODE_PERFORMANCE_GC_MINOR]: 'minor',
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: 'incremental',
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: 'weakcb',
}

/** Sums the pauses of the garbage collector of this thread. */
function observeCollections() {
  const pauses = new Map<string, { count: number; seconds: number }>()
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { duration, detail } = entry as PerformanceEntry & { detail?: { kind?: number } }
      const kind = collectorNames[detail?.kind ?? -1] ?? 'other'
      const { count, seconds } = pauses.get(kind) ?? { count: 0, seconds: 0 }
      pauses.set(kind, { count: count + 1, seconds: seconds + duration / 1_000 })
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  return {
    read: (): Sample[] =>
      [...pauses].flatMap(([kind, { count, seconds }]) => [
        { suffix: '_sum', labels: { kind }, value: seconds },
        { suffix: '_count', labels: { kind }, value: count },
      ]),
    stop: () => observer.disconnect(),
  }
}

/** How late timers of this thread are, over the last 10 to 20 seconds. */
function observeEventLoop() {
  const resolution = 10
  const delays = [
    monitorEventLoopDelay({ resolution }),
    monitorEventLoopDelay({ resolution }),
  ] as const
  let [current, previous] = delays
  for (const delay of delays) delay.enable()
  const rotation = setInterval(() => {
    ;[current, previous] = [previous, current]
    current.reset()
  }, 10_000).unref()
  /** The older one covers the longer time. Its values include the interval of the timer itself. */
  const seconds = (nanoseconds: number) =>
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - resolution / 1_000) : 0
  return {
    read: () =>
      byLabel('quantile', {
        '0.5': seconds(previous.percentile(50)),
        '0.99': seconds(previous.percentile(99)),
        '1': seconds(previous.max),
      }),
    stop(): void {
      clearInterval(rotation)
      for (const delay of delays) delay.disable()
    },
  }
}

/** Linux only. */
function countOpenFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length
  } catch {
    return undefined
  }
}

/** Metrics of the process, under the names that Prometheus' client libraries use. */
export function createProcessMetrics(): { readonly metrics: readonly Metric[]; stop(): void } {
  const collections = observeCollections()
  const eventLoop = observeEventLoop()
  const startedAt = performance.timeOrigin / 1_000
  const metrics: Metric[] = [
    {
      name: 'process_cpu_seconds_total',
      type: 'counter',
      help: 'CPU time of the process, user and system.',
      read() {
        const { user, system } = process.cpuUsage()
        return single((user + system) / 1e6)
      },
    },
    {
      name: 'process_resident_memory_bytes',
      type: 'gauge',
      help: 'Memory of the process.',
      read: () => single(process.memoryUsage.rss()),
    },
    {
      name: 'process_start_time_seconds',
      type: 'gauge',
      help: 'When the process started, in seconds since 1970.',
      read: () => single(startedAt),
    },
    {
      name: 'process_open_fds',
      type: 'gauge',
      help: 'Open files and connections. Linux only.',
      read: () => single(countOpenFiles()),
    },
    {
      name: 'nodejs_heap_bytes',
      type: 'gauge',
      help: 'JavaScript memory of the thread that serves requests: used, total (with free pages) and external (buffers).',
      labels: ['kind'],
      read() {
        const { heapUsed: used, heapTotal: total, external } = process.memoryUsage()
        return byLabel('kind', { used, total, external })
      },
    },
    {
      name: 'nodejs_event_loop_lag_seconds',
      type: 'gauge',
      help: 'How late timers of the thread that serves requests are, over the last 10 to 20 s. Quantile 1 is the maximum.',
      labels: ['quantile'],
      read: eventLoop.read,
    },
    {
      name: 'nodejs_gc_duration_seconds',
      type: 'summary',
      help: 'Pauses of the garbage collector in the thread that serves requests.',
      labels: ['kind'],
      read: collections.read,
    },
  ]
  return {
    metrics,
    stop(): void {
      collections.stop()
      eventLoop.stop()
    },
  }
}
