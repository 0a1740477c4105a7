import { availableParallelism } from 'node:os'
import { prepareReadServers, serveUnreadServers } from './cold-pages.ts'
import { bestOfRounds, ratioRow, type Benchmark, type Row } from './benchmark.ts'
import { openFleet, openPostgresFleet, type Fleet } from './fleet.ts'
import { options } from './options.ts'
import { hotPage, singleServers } from './pages.ts'
import { serve } from './serve.ts'

/** The rates of one engine, by kind of request. */
async function open(fleet: Fleet, port: number, spare: number) {
  const server = await fleet.start(port)
  const serveNextPages = await prepareReadServers(fleet, server.url)
  return {
    hot: async () => (await serve(server.url, [hotPage(fleet)])).perSecond,
    cold: async () => (await serveNextPages()).perSecond,
    single: async () => (await serve(server.url, singleServers(fleet))).perSecond,
    stop: server.stop,
    /** In a new process, since SQLite allows only one at a time. */
    unseen: async () => (await serveUnreadServers(fleet, spare)).perSecond,
  }
}

/** Equal, except for noise. */
const unchanged = 0.9

type Kind = Exclude<keyof Awaited<ReturnType<typeof open>>, 'stop'>

async function compareEngines(postgresFleet: Fleet): Promise<Row[]> {
  const sqlite = await open(await openFleet(options.postgresServers), 18_416, 18_418)
  const postgres = await open(postgresFleet, 18_417, 18_419)
  const size = `${options.postgresServers.toLocaleString('en-US')} servers`
  const compare = async (what: string, kind: Kind, target: number) => {
    const best = await bestOfRounds({ sqlite: sqlite[kind], postgres: postgres[kind] })
    const limit = { name: 'rate on SQLite', value: best.sqlite }
    return ratioRow(`${what}, ${size}`, 'per second', best.postgres, limit, target)
  }
  const second = await postgresFleet.start(18_421)
  const page = [hotPage(postgresFleet)]
  const both = async () => {
    const results = await Promise.all([postgres.hot(), serve(second.url, page)])
    return results[0] + results[1].perSecond
  }
  const processes = await bestOfRounds({ one: postgres.hot, both })
  await second.stop()
  const rows = [
    ratioRow(
      `two processes, hot page, ${size}`,
      'per second',
      processes.both,
      {
        name: `rate of one (${availableParallelism()} cores, load included)`,
        value: processes.one,
      },
      1.6,
    ),
    await compare('hot page', 'hot', unchanged),
    await compare('new pages of servers read before', 'cold', 0.5),
    await compare('one server', 'single', 0.5),
  ]
  await sqlite.stop()
  await postgres.stop()
  return [...rows, await compare('pages of servers never read before', 'unseen', 0.5)]
}

export const postgresRates: Benchmark = {
  id: 'P16',
  title: 'PostgreSQL',
  async measure() {
    const fleet = await openPostgresFleet(options.postgresServers)
    try {
      return await compareEngines(fleet)
    } finally {
      await fleet.close()
    }
  },
}
