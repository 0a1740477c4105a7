import {
  createTimedGet,
  createChangeServer,
  median,
  readTotal,
  type TimedGet,
  type ChangeServer,
} from './timed-client.ts'
import type { Benchmark, Row } from './benchmark.ts'
import { openFleet, type Fleet } from './fleet.ts'
import { options } from './options.ts'
import { withToken } from './pages.ts'
import { commonFilters, unindexedQueries, searches, sorts, statistics } from './queries.ts'
import { measureSlowQueryInterference } from './slow-query-interference.ts'
import { compareWithBareServer } from './serve.ts'

const port = 18_406
const tries = 3
const fewMatches = 10_000

const listOf = (query: string) => `/servers?scope=system&details=true&limit=20&${query}`
const statisticsOf = (query: string) => `/servers/statistics?scope=system&${query}`

interface Timed {
  readonly query: string
  /** Milliseconds, the median of several runs. */
  readonly time: number
  readonly total: number
}

/** Changes a server before each run, so that no page, query result or total is cached. */
async function timeCold(
  timedGet: TimedGet,
  changeServer: ChangeServer,
  query: string,
  path: string,
): Promise<Timed> {
  const times: number[] = []
  let total = 0
  for (let count = 0; count < tries; count += 1) {
    await changeServer()
    const answer = await timedGet(path)
    times.push(answer.time)
    if (path.startsWith('/servers?')) total = readTotal(answer)
  }
  const time = median(times)
  process.stderr.write(`  ${time.toFixed(1)} ms  ${decodeURIComponent(query)}  (${total} match)\n`)
  return { query: decodeURIComponent(query), time, total }
}

/** The slowest query, and how many stay within the bound. */
function worstRow(what: string, timed: readonly Timed[], bound: number): Row {
  const [worst] = timed.toSorted((a, b) => b.time - a.time)
  const within = timed.filter(({ time }) => time <= bound).length
  return {
    what: `${what}, p50 of the slowest`,
    measured: worst
      ? `${worst.time.toFixed(1)} ms (\`${worst.query}\`); ${within} of ${timed.length} within`
      : 'no such query in this fleet',
    target: `≤ ${bound} ms`,
    reached: within === timed.length,
  }
}

async function openQueries(fleet: Fleet) {
  const server = await fleet.start(port)
  const timedGet = createTimedGet(server.url, fleet.systemToken)
  // A server of the last project, so that caches of the first project stay valid.
  const last = fleet.projects.at(-1)
  const { body } = await createTimedGet(server.url, last?.token ?? '')('/servers?limit=1')
  const { servers } = JSON.parse(body.toString()) as { servers: { id: string }[] }
  const changeServer = createChangeServer(server.url, fleet.systemToken, servers[0]?.id ?? '')
  const time = async (queries: readonly string[], pathOf: (query: string) => string) => {
    const timed: Timed[] = []
    for (const query of queries)
      timed.push(await timeCold(timedGet, changeServer, query, pathOf(query)))
    return timed
  }
  // Start the reader threads and warm up the code.
  for (let count = 0; count < tries; count += 1) {
    for (const query of [...unindexedQueries, 'status=running']) await timedGet(listOf(query))
    await changeServer()
  }
  return { server, timedGet, changeServer, time }
}

export const fleetQueries: Benchmark = {
  id: 'P6',
  title: 'queries over all servers',
  async measure() {
    const fleet = await openFleet(options.servers)
    const { server, timedGet, changeServer, time } = await openQueries(fleet)
    const sample = fleet.ids[0] ?? ''
    const filters = await commonFilters(timedGet, fleet.projects[0]?.id ?? '', sample)
    const combined = await time(
      filters.flatMap((filter) => sorts.map((sort) => `${filter}&order_by=${sort}`)),
      listOf,
    )
    const many = combined.filter(({ total }) => total >= fewMatches)
    const few = combined.filter(({ total }) => total < fewMatches)
    const unindexed = await time(unindexedQueries, listOf)
    const found = await time(await searches(timedGet, sample), listOf)
    const counted = await time(statistics, statisticsOf)
    const again = withToken(fleet.systemToken, listOf('status=running&order_by=name'))
    const countedAgain = withToken(fleet.systemToken, statisticsOf('group_by=status'))
    const rows = [
      worstRow(
        `filter, sort and total, ${fewMatches.toLocaleString('en-US')} or more matches`,
        many,
        50,
      ),
      worstRow('filter, sort and total, fewer matches', few, 10),
      worstRow('queries without an index', unindexed, 1_000),
      worstRow('search for three or more characters', found, 50),
      worstRow('statistics', counted, 100),
      await compareWithBareServer('a cached filter', server.url, [again], 0.8),
      await compareWithBareServer('cached statistics', server.url, [countedAgain], 0.8),
      await measureSlowQueryInterference(
        fleet,
        server.url,
        timedGet,
        changeServer,
        unindexedQueries.map(listOf),
      ),
    ]
    await server.stop()
    return rows
  },
}
