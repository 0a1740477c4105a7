import { readFileSync } from 'node:fs'
import type { Load, LoadResult } from './load-types.ts'

/** Runs in its own process: reads the load from a file and prints the result. */

interface Request {
  path?: string
  headers?: Readonly<Record<string, string>>
  body?: string
}
type Autocannon = (options: object) => Promise<{
  requests: { average: number; total: number }
  latency: { p50: number; p99: number }
  duration: number
  '4xx': number
  '5xx': number
}>
// The package has no types.
const { default: autocannon } = (await import(import.meta.resolve('autocannon'))) as {
  default: Autocannon
}

const load = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Load
const { url, method = 'GET', headers, body, connections, seconds } = load
const bodies = (load.bodies ?? []).toReversed()
let sent = 0

/** After the last body an empty one is sent, which the server refuses. */
const withNextBody = (request: Request): Request => ({ ...request, body: bodies.pop() ?? '' })

/** All connections share one list of requests. */
function withNextRequest(request: Request): Request {
  const next = load.requests?.[sent % load.requests.length]
  sent += 1
  return { ...request, ...next, headers: { ...headers, ...next?.headers } }
}

const result = await autocannon({
  url,
  method,
  headers,
  body,
  connections,
  // autocannon would send this number of requests regardless of the duration.
  ...(load.once === true && load.requests
    ? { amount: load.requests.length }
    : { duration: seconds }),
  ...(load.bodies && { requests: [{ setupRequest: withNextBody }] }),
  ...(load.requests && { requests: [{ setupRequest: withNextRequest }] }),
})
const { requests, latency, duration } = result
process.stdout.write(
  JSON.stringify({
    perSecond: load.once === true ? requests.total / duration : requests.average,
    p50: latency.p50,
    p99: latency.p99,
    refused: result['4xx'] + result['5xx'],
  } satisfies LoadResult),
)
