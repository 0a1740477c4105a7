import { startBareServer } from './bytes-limit.ts'
import { bestOfRounds, boundRow, ratioRow, type Benchmark } from './benchmark.ts'
import { openFleet, type Fleet } from './fleet.ts'
import type { FleetProject } from './fleet-keys.ts'
import type { LoadRequest, LoadResult } from './load-types.ts'
import { options } from './options.ts'
import { withToken, differentPages, hotPage, disjointPages, wholeProject } from './pages.ts'
import { kilobytes, seconds, serve } from './serve.ts'
import { processorTime } from './server.ts'

const port = 18_402
const rounds = 3

async function fetchAll(url: string, requests: readonly LoadRequest[]): Promise<void> {
  for (const { path, headers } of requests) {
    const response = await fetch(url + path, { headers: { ...headers } })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
  }
}

/** Verifying a token is another benchmark, so all tokens are cached first. */
const cacheTokens = (url: string, projects: readonly FleetProject[]) =>
  fetchAll(
    url,
    projects.map(({ token }) => withToken(token, '/v3/auth/projects')),
  )

/** 30 % of the projects, up to this number, warm up the code. */
const mostWarming = 250

/** Requests pages of servers that this process has never read, each once. */
export async function serveUnreadServers(fleet: Fleet, at = port) {
  const server = await fleet.start(at)
  const warming = Math.min(mostWarming, Math.ceil(fleet.projects.length * 0.3))
  await cacheTokens(server.url, fleet.projects)
  await serve(server.url, disjointPages(fleet.projects.slice(0, warming)), { once: true })
  const pages = disjointPages(fleet.projects.slice(warming))
  const before = processorTime(server.pid)
  const result = await serve(server.url, pages, { once: true })
  const microseconds =
    (processorTime(server.pid) - before) / Math.min(pages.length, result.perSecond * seconds)
  await server.stop()
  return { ...result, microseconds }
}

/** As many projects as fit into the caches of Muster. */
const mostRead = 8
/** More than any machine serves in a round. */
const mostPages = 80_000

/** Reads all servers of some projects once. Returns a function that requests new pages of them. */
export async function prepareReadServers({ projects }: Fleet, url: string) {
  const read = projects.slice(0, mostRead)
  await cacheTokens(url, read)
  await fetchAll(url, read.map(wholeProject))
  const pages = differentPages(read)
  const share = Math.min(mostPages, Math.floor(pages.length / (rounds + 1)))
  async function serveNextPages(): Promise<LoadResult> {
    const next = pages.splice(0, share)
    if (next.length === 0) throw new Error('every page has been asked for')
    return await serve(url, next, { once: true })
  }
  // Warm up the code first.
  await serveNextPages()
  return serveNextPages
}

export const coldPages: Benchmark = {
  id: 'P2',
  title: 'cold pages',
  async measure() {
    const fleet = await openFleet(options.servers)
    const server = await fleet.start(port)
    const bare = await startBareServer(server.url, hotPage(fleet))
    const pages = disjointPages(fleet.projects)
    const serveNextPages = await prepareReadServers(fleet, server.url)
    const seen = await bestOfRounds({
      bytes: async () => (await serve(bare.url, pages)).perSecond,
      muster: async () => (await serveNextPages()).perSecond,
    })
    await server.stop()
    let microseconds = Infinity
    const unseen = await bestOfRounds({
      bytes: async () => (await serve(bare.url, pages)).perSecond,
      async muster() {
        const result = await serveUnreadServers(fleet)
        microseconds = Math.min(microseconds, result.microseconds)
        return result.perSecond
      },
    })
    await bare.stop()
    const row = (what: string, { muster, bytes }: typeof seen, target: number) =>
      ratioRow(
        `${what}, ${kilobytes(bare.bytes)}`,
        'per second',
        muster,
        { name: 'bytes limit', value: bytes },
        target,
      )
    return [
      row('servers never read', unseen, 0.08),
      boundRow('servers never read, processor time', 'µs', microseconds, 500),
      row('new pages of servers read before', seen, 0.25),
    ]
  },
}
