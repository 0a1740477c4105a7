import { createHistogram, type Histogram } from '../domain/histogram.ts'
import { byLabel, histogramSamples, single, type Metric } from './metric.ts'

const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export interface CountedRequest {
  /** The pattern of the path, not the path: callers cannot add series. */
  readonly route: string
  readonly method: string
  readonly status: number
  readonly seconds: number
}

const loginResults: Readonly<Record<number, string>> = {
  201: 'success',
  400: 'invalid',
  401: 'refused',
  429: 'throttled',
  503: 'unavailable',
}

/** Counts requests and logins. */
export function createRequestMetrics() {
  const durations = new Map<string, { labels: Record<string, string>; histogram: Histogram }>()
  const responses: Record<string, number> = {}
  const logins: Record<string, number> = Object.fromEntries(
    [...Object.values(loginResults), 'error'].map((result) => [result, 0]),
  )
  let inProgress = 0

  function histogramOf(method: string, route: string, status: number): Histogram {
    const statusClass = Math.floor(status / 100)
    const key = `${method} ${route} ${statusClass}`
    let series = durations.get(key)
    if (!series) {
      const labels = { method, route, status: `${statusClass}xx` }
      series = { labels, histogram: createHistogram(bounds) }
      durations.set(key, series)
    }
    return series.histogram
  }

  const metrics: Metric[] = [
    {
      name: 'muster_http_request_duration_seconds',
      type: 'histogram',
      help: 'How long requests take, by route and class of status.',
      labels: ['method', 'route', 'status'],
      read: () =>
        [...durations.values()].flatMap(({ labels, histogram }) =>
          histogramSamples(labels, histogram.read()),
        ),
    },
    {
      name: 'muster_http_responses_total',
      type: 'counter',
      help: 'Responses by status code.',
      labels: ['code'],
      read: () => byLabel('code', responses),
    },
    {
      name: 'muster_http_requests_in_progress',
      type: 'gauge',
      help: 'Requests that have no complete response yet.',
      read: () => single(inProgress),
    },
    {
      name: 'muster_logins_total',
      type: 'counter',
      help: 'Requests for a token by result: success, invalid (400), refused (401), throttled (429), unavailable (503) or error.',
      labels: ['result'],
      read: () => byLabel('result', logins),
    },
  ]

  return {
    metrics,
    /** Returns the function that ends the request; further calls of it have no effect. */
    begin(): () => void {
      let step = 1
      inProgress += step
      return () => {
        inProgress -= step
        step = 0
      }
    },
    count({ method, route, status, seconds }: CountedRequest): void {
      histogramOf(method, route, status).observe(seconds)
      responses[status] = (responses[status] ?? 0) + 1
    },
    countLogin(status: number): void {
      const result = loginResults[status] ?? 'error'
      logins[result] = (logins[result] ?? 0) + 1
    },
  }
}
