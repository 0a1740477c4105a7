import { createChangeServer, createTimedGet, median, readTotal } from './timed-client.ts'
import type { Benchmark, Row } from './benchmark.ts'
import { openFleet } from './fleet.ts'
import { options } from './options.ts'
import { filterPairs } from './queries.ts'

const port = 18_407
const orders = ['created_at', 'name'] as const
const bound = 300

interface Timed {
  readonly query: string
  readonly time: number
}

function pairsRow(what: string, timed: readonly Timed[]): Row {
  const sorted = timed.toSorted((a, b) => b.time - a.time)
  const [worst] = sorted
  const within = timed.filter(({ time }) => time <= bound).length
  const middle = median(timed.map(({ time }) => time))
  return {
    what,
    measured: `${worst?.time.toFixed(0)} ms max (\`${worst?.query}\`), ${middle.toFixed(0)} ms median; ${within} of ${timed.length} within`,
    target: `≤ ${bound} ms`,
    reached: within === timed.length,
  }
}

export const filterPairTimes: Benchmark = {
  id: 'P6',
  title: 'pairs of filters',
  async measure() {
    const fleet = await openFleet(options.servers)
    const server = await fleet.start(port)
    const timedGet = createTimedGet(server.url, fleet.systemToken)
    const changeServer = createChangeServer(server.url, fleet.systemToken, fleet.ids.at(-1) ?? '')

    /** Runs once, after a change, so that no total is cached. */
    async function time(path: string, query: string): Promise<Timed> {
      await changeServer()
      const answer = await timedGet(path + query)
      const total = path.includes('statistics') ? '' : ` (${readTotal(answer)} match)`
      const text = decodeURIComponent(query)
      process.stderr.write(`  ${answer.time.toFixed(0)} ms  ${text}${total}\n`)
      return { query: text, time: answer.time }
    }

    const pairs = await filterPairs(timedGet, fleet.projects[0]?.id ?? '', fleet.ids[0] ?? '')
    const [first = ''] = pairs
    for (let count = 0; count < 3; count += 1) await timedGet(`/servers?scope=system&${first}`)
    const pages: Timed[] = []
    for (const [at, pair] of pairs.entries()) {
      const order = orders[at % orders.length]
      pages.push(await time('/servers?scope=system&details=true&', `${pair}&order_by=${order}`))
    }
    const counted: Timed[] = []
    for (const pair of pairs.filter((_, at) => at % 3 === 0)) {
      counted.push(await time('/servers/statistics?scope=system&', `${pair}&group_by=provider`))
    }
    await server.stop()
    return [
      pairsRow('page and total, in one of two orders', pages),
      pairsRow('statistics by provider, every third pair', counted),
    ]
  },
}
