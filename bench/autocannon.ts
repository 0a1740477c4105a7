import { readFileSync } from 'node:fs'
import type { Load } from './load.ts'

/** Runs in a process of its own: reads what to load a server with from a file, and prints the result. */

interface Request {
  body?: string
}
type Autocannon = (options: object) => Promise<{
  requests: { average: number }
  latency: { p99: number }
  non2xx: number
}>
// It has no types of its own.
const { default: autocannon } = (await import(import.meta.resolve('autocannon'))) as {
  default: Autocannon
}

const load = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Load
const { url, method = 'GET', headers, body, connections, seconds } = load
const bodies = (load.bodies ?? []).toReversed()

/** Who comes after the last one sends nothing, and is refused. */
const withNextBody = (request: Request): Request => ({ ...request, body: bodies.pop() ?? '' })

const { requests, latency, non2xx } = await autocannon({
  url,
  method,
  headers,
  body,
  connections,
  duration: seconds,
  ...(load.bodies && { requests: [{ setupRequest: withNextBody }] }),
})
process.stdout.write(
  JSON.stringify({ perSecond: requests.average, p99: latency.p99, refused: non2xx }),
)
