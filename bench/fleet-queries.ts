import { createAsk, createTouch, median, readTotal, type Ask, type Touch } from './ask.ts'
import type { Figure, Row } from './figure.ts'
import { openFleet, type Fleet } from './fleet.ts'
import { options } from './options.ts'
import { asOwner } from './pages.ts'
import { commonFilters, oddQueries, searches, sorts, statistics } from './queries.ts'
import { measureInTheWay } from './in-the-way.ts'
import { besideBytes } from './serving.ts'

const port = 18_406
const tries = 5
const fewMatches = 10_000

const listOf = (query: string) => `/servers?scope=system&details=true&limit=20&${query}`
const statisticsOf = (query: string) => `/servers/statistics?scope=system&${query}`

interface Timed {
  readonly query: string
  /** Milliseconds, the middle one of some tries. */
  readonly time: number
  readonly total: number
}

/** Each try after a change: neither page nor selection nor total is remembered from the one before. */
async function timeCold(ask: Ask, touch: Touch, query: string, path: string): Promise<Timed> {
  const times: number[] = []
  let total = 0
  for (let count = 0; count < tries; count += 1) {
    await touch()
    const answer = await ask(path)
    times.push(answer.time)
    if (path.startsWith('/servers?')) total = readTotal(answer)
  }
  const time = median(times)
  process.stderr.write(`  ${time.toFixed(1)} ms  ${decodeURIComponent(query)}  (${total} match)\n`)
  return { query: decodeURIComponent(query), time, total }
}

/** The slowest of several, and how many keep the bound. */
function worstRow(what: string, timed: readonly Timed[], bound: number): Row {
  const [worst] = timed.toSorted((a, b) => b.time - a.time)
  const within = timed.filter(({ time }) => time <= bound).length
  return {
    what: `${what}, p50 of the slowest`,
    measured: worst
      ? `${worst.time.toFixed(1)} ms (\`${worst.query}\`); ${within} of ${timed.length} within`
      : 'there are none in this fleet',
    target: `≤ ${bound} ms`,
    reached: within === timed.length,
  }
}

async function openQueries(fleet: Fleet) {
  const server = await fleet.start(port)
  const ask = createAsk(server.url, fleet.systemToken)
  // Of the last project: what is asked of the first one stays remembered.
  const last = fleet.projects.at(-1)
  const { body } = await createAsk(server.url, last?.token ?? '')('/servers?limit=1')
  const { servers } = JSON.parse(body.toString()) as { servers: { id: string }[] }
  const touch = createTouch(server.url, fleet.systemToken, servers[0]?.id ?? '')
  const time = async (queries: readonly string[], pathOf: (query: string) => string) => {
    const timed: Timed[] = []
    for (const query of queries) timed.push(await timeCold(ask, touch, query, pathOf(query)))
    return timed
  }
  // Threads that read start with the first question, and code is slow at first.
  for (let count = 0; count < tries; count += 1) {
    for (const query of [...oddQueries, 'status=running']) await ask(listOf(query))
    await touch()
  }
  return { server, ask, touch, time }
}

export const fleetQueries: Figure = {
  id: 'P6',
  title: 'queries of the whole fleet',
  async measure() {
    const fleet = await openFleet(options.servers)
    const { server, ask, touch, time } = await openQueries(fleet)
    const sample = fleet.ids[0] ?? ''
    const filters = await commonFilters(ask, fleet.projects[0]?.id ?? '', sample)
    const combined = await time(
      filters.flatMap((filter) => sorts.map((sort) => `${filter}&order_by=${sort}`)),
      listOf,
    )
    const many = combined.filter(({ total }) => total >= fewMatches)
    const few = combined.filter(({ total }) => total < fewMatches)
    const odd = await time(oddQueries, listOf)
    const found = await time(await searches(ask, sample), listOf)
    const counted = await time(statistics, statisticsOf)
    const again = asOwner(fleet.systemToken, listOf('status=running&order_by=name'))
    const countedAgain = asOwner(fleet.systemToken, statisticsOf('group_by=status'))
    const rows = [
      worstRow(
        `filter, sort and total, ${fewMatches.toLocaleString('en-US')} and more match`,
        many,
        50,
      ),
      worstRow('filter, sort and total, fewer match', few, 10),
      worstRow('what has no index', odd, 1_000),
      worstRow('search of three characters and more', found, 50),
      worstRow('statistics', counted, 100),
      await besideBytes('a filter the second time', server.url, [again], 0.8),
      await besideBytes('statistics the second time', server.url, [countedAgain], 0.8),
      await measureInTheWay(fleet, server.url, ask, touch, oddQueries.map(listOf)),
    ]
    await server.stop()
    return rows
  },
}
