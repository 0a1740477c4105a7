import { startBareServer } from './bytes-limit.ts'
import { bestOfRounds, boundRow, ratioRow, type Row } from './benchmark.ts'
import type { Load, LoadRequest, LoadResult } from './load-types.ts'
import { putUnderLoad } from './load.ts'
import { processorTime, type BenchServer } from './server.ts'

const concurrency = 16
export const seconds = 3

/** Sends requests to a server; none of them may be refused. */
export async function serve(
  url: string,
  requests: readonly LoadRequest[],
  options: Partial<Load> = {},
): Promise<LoadResult> {
  const load = { url, requests, connections: concurrency, seconds, ...options }
  const result = await putUnderLoad(load)
  if (result.refused > 0) throw new Error(`${result.refused} requests were refused`)
  return result
}

const samples = 31

/** The request whose response has the median size. */
async function findTypicalRequest(
  url: string,
  requests: readonly LoadRequest[],
): Promise<LoadRequest> {
  const answers = await Promise.all(
    requests.slice(0, samples).map(async (request) => {
      const response = await fetch(url + request.path, { headers: { ...request.headers } })
      return { request, length: (await response.arrayBuffer()).byteLength }
    }),
  )
  const sorted = answers.toSorted((a, b) => a.length - b.length)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (!middle) throw new Error('there are no requests to sample')
  return middle.request
}

export const kilobytes = (bytes: number) => `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} kB`

/** Processor time of all threads of Muster for each request. */
export async function processorRow(
  what: string,
  { url, pid }: BenchServer,
  requests: readonly LoadRequest[],
  bound: number,
): Promise<Row> {
  const measure = async () => {
    const before = processorTime(pid)
    const { perSecond } = await serve(url, requests)
    return (processorTime(pid) - before) / (perSecond * seconds)
  }
  const { each } = await bestOfRounds({ each: measure }, Math.min)
  return boundRow(`${what}, processor time`, 'µs', each, bound)
}

/** Muster's rate compared with that of a bare server that sends the same bytes, under the same load. */
export async function compareWithBareServer(
  what: string,
  url: string,
  requests: readonly LoadRequest[],
  target: number,
): Promise<Row> {
  const bare = await startBareServer(url, await findTypicalRequest(url, requests))
  const best = await bestOfRounds({
    bytes: async () => (await serve(bare.url, requests)).perSecond,
    muster: async () => (await serve(url, requests)).perSecond,
  })
  await bare.stop()
  const answer = bare.bytes === 0 ? `an empty ${bare.status}` : kilobytes(bare.bytes)
  return ratioRow(
    `${what}, ${answer}`,
    'per second',
    best.muster,
    { name: 'bytes limit', value: best.bytes },
    target,
  )
}
