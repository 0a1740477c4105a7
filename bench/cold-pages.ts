import { startBareServer } from './bytes-limit.ts'
import { bestOfRounds, ratioRow, type Figure } from './figure.ts'
import { openFleet, type Fleet } from './fleet.ts'
import type { FleetProject } from './fleet-keys.ts'
import type { LoadRequest, LoadResult } from './load-shapes.ts'
import { options } from './options.ts'
import { asOwner, differentPages, hotPage, pagesApart, wholeProject } from './pages.ts'
import { kilobytes, serve } from './serving.ts'

const port = 18_402
const rounds = 3

async function askAll(url: string, requests: readonly LoadRequest[]): Promise<void> {
  for (const { path, headers } of requests) {
    const response = await fetch(url + path, { headers: { ...headers } })
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
  }
}

/** Whose token it is has been found out before: that is another figure. */
const meetOwners = (url: string, projects: readonly FleetProject[]) =>
  askAll(
    url,
    projects.map(({ token }) => asOwner(token, '/v3/auth/projects')),
  )

/** Three tenths of the projects, but no more than these, are there to warm the code up. */
const mostWarming = 250

/** Pages of servers that this process has never read, each asked for once. */
export async function serveAtFirstSight(fleet: Fleet, at = port): Promise<LoadResult> {
  const server = await fleet.start(at)
  const warming = Math.min(mostWarming, Math.ceil(fleet.projects.length * 0.3))
  await meetOwners(server.url, fleet.projects)
  await serve(server.url, pagesApart(fleet.projects.slice(0, warming)), { once: true })
  const pages = pagesApart(fleet.projects.slice(warming))
  const result = await serve(server.url, pages, { once: true })
  await server.stop()
  return result
}

/** As many projects as there is room for in Muster's memory of documents. */
const mostRead = 50
/** More than any machine of ours serves in a round. */
const mostPages = 80_000

/** Reads all servers of some projects once. The rest is for pages of them that nobody has asked for. */
export async function readBefore({ projects }: Fleet, url: string) {
  const read = projects.slice(0, mostRead)
  await meetOwners(url, read)
  await askAll(url, read.map(wholeProject))
  const pages = differentPages(read)
  const share = Math.min(mostPages, Math.floor(pages.length / (rounds + 1)))
  async function serveNext(): Promise<LoadResult> {
    const next = pages.splice(0, share)
    if (next.length === 0) throw new Error('every page has been asked for')
    return await serve(url, next, { once: true })
  }
  // Code that has not run often is slow, and that is no part of the figure.
  await serveNext()
  return serveNext
}

export const coldPages: Figure = {
  id: 'P2',
  title: 'cold pages',
  async measure() {
    const fleet = await openFleet(options.servers)
    const server = await fleet.start(port)
    const bare = await startBareServer(server.url, hotPage(fleet))
    const pages = pagesApart(fleet.projects)
    const serveNext = await readBefore(fleet, server.url)
    const seen = await bestOfRounds({
      bytes: async () => (await serve(bare.url, pages)).perSecond,
      muster: async () => (await serveNext()).perSecond,
    })
    await server.stop()
    const unseen = await bestOfRounds({
      bytes: async () => (await serve(bare.url, pages)).perSecond,
      muster: async () => (await serveAtFirstSight(fleet)).perSecond,
    })
    await bare.stop()
    const row = (what: string, { muster, bytes }: typeof seen, target: number) =>
      ratioRow(
        `${what}, ${kilobytes(bare.bytes)}`,
        'a second',
        muster,
        { name: 'bytes limit', value: bytes },
        target,
      )
    return [
      row('servers never read before', unseen, 0.25),
      row('new pages of servers read before', seen, 0.35),
    ]
  },
}
