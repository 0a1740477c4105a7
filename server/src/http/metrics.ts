import type { FastifyInstance } from 'fastify'
import { renderMetrics, type Metric } from '../metrics/metric.ts'
import { createRequestMetrics } from '../metrics/request-metrics.ts'
import type { Route } from './route.ts'

export interface OtherMetrics {
  readonly metrics: readonly Metric[]
  /** Counts the stored data again, unless that was done recently. */
  readonly refresh: () => Promise<void>
}

/** Counts the requests of an application, and renders these counts together with all other metrics. */
export function createMetrics(others: OtherMetrics) {
  const requests = createRequestMetrics()

  function count(operation: Route | undefined, status: number, ms: number): void {
    const { method = 'none', path: route = 'none' } = operation ?? {}
    requests.count({ method, route, status, seconds: ms / 1_000 })
  }

  return {
    /** For responses from the cache, which pass no hook. */
    count,
    observe(app: FastifyInstance): void {
      app.addHook('onRequest', (request, reply, done) => {
        // A closed connection has no 'finish', and a request within the process no 'close'.
        const end = requests.begin()
        reply.raw.once('finish', end).once('close', end)
        done()
      })
      app.addHook('onResponse', (request, reply, done) => {
        const { operation } = request.routeOptions.config
        count(operation, reply.statusCode, reply.elapsedTime)
        if (operation?.id === 'issueToken') requests.countLogin(reply.statusCode)
        done()
      })
    },
    async render(): Promise<string> {
      await others.refresh()
      return renderMetrics([...others.metrics, ...requests.metrics])
    },
  }
}
export type Metrics = ReturnType<typeof createMetrics>
