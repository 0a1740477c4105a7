import type { FastifyInstance } from 'fastify'
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client'
import type { Route } from './route.ts'

interface Observed {
  readonly waitingLogins: () => number
}

/** Prometheus metrics. Labels are routes, not paths, so that callers cannot add series. */
export function createMetrics({ waitingLogins }: Observed) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  registry.removeSingleMetric('nodejs_version_info')

  const requests = new Histogram({
    name: 'muster_http_request_duration_seconds',
    help: 'How long requests take, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
  })
  const logins = new Counter({
    name: 'muster_logins_total',
    help: 'Logins, by result',
    labelNames: ['result'],
    registers: [registry],
  })
  registry.registerMetric(
    new Gauge({
      name: 'muster_login_queue_length',
      help: 'Password logins that wait for their turn',
      registers: [],
      collect() {
        this.set(waitingLogins())
      },
    }),
  )

  // Caches the series by label, because a lookup costs more than an increment.
  const series = new Map<string, ReturnType<typeof requests.labels>>()
  function seriesOf(operation: Route | undefined, status: number) {
    const { method = 'none', path: route = 'none' } = operation ?? {}
    const key = `${method} ${route} ${status}`
    const known = series.get(key) ?? requests.labels({ method, route, status })
    series.set(key, known)
    return known
  }

  const count = (operation: Route | undefined, status: number, ms: number) =>
    seriesOf(operation, status).observe(ms / 1_000)

  return {
    count,
    observe(app: FastifyInstance): void {
      app.addHook('onResponse', (request, reply, done) => {
        const { operation } = request.routeOptions.config
        const { statusCode, elapsedTime } = reply
        count(operation, statusCode, elapsedTime)
        if (operation?.id === 'issueToken') {
          logins.inc({ result: statusCode === 201 ? 'issued' : String(statusCode) })
        }
        done()
      })
    },
    render: () => registry.metrics(),
  }
}
export type Metrics = ReturnType<typeof createMetrics>
