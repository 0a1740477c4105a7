import { readFileSync } from 'node:fs'
import { boundRow, timesRow, type Benchmark, type Row } from './benchmark.ts'
import { createMeasureChecks } from './check-evaluations.ts'
import { openFleet, openPostgresFleet, type Fleet } from './fleet.ts'
import { dailyShare, days, openHistoryFleet, type HistoryFleet } from './history-fleet.ts'
import { options } from './options.ts'
import { withToken } from './pages.ts'
import { serve } from './serve.ts'
import type { BenchServer } from './server.ts'
import { createTimedGet, median, readTotal, type TimedGet } from './timed-client.ts'

const port = 18_450
const filters = [
  'status=running&order_by=name',
  'provider=Aws&order_by=created_at&order=desc',
  'tags=env%3Dprod&order_by=name&order=desc',
  'search=web&order_by=created_at',
  'os_type=Windows&status=ready&order_by=name',
]
/** Different pages, so that none is cached. */
const offsets = [40, 80, 120]
/** Few enough not to saturate the server. */
const load = { connections: 4, seconds: 5 }

/** Of the kernel. */
const ticksPerSecond = 100

const timeOf = (time: number) => new Date(time).toISOString()

/** Adds the days, and measures the checks before and after the last one. */
async function addDays(history: HistoryFleet): Promise<Row[]> {
  process.stderr.write(`  writing ${days} days of history …\n`)
  for (let day = 0; day < days - 1; day += 1) await history.addDay()
  const measureChecks = createMeasureChecks(history)
  const whole = await measureChecks('a full evaluation')
  await history.addDay()
  return [whole, await measureChecks(`after ${dailyShare * 100} % of the servers changed`)]
}

/** Seconds of processor time of a process, with its threads that have ended. */
function processorSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const [user, system] = text.slice(text.lastIndexOf(')')).split(' ').slice(12, 14)
  return (Number(user) + Number(system)) / ticksPerSecond
}

/** Seconds until the first answer about a moment, and of processor time. */
async function buildMoment(timedGet: TimedGet, pid: number, time: number) {
  const before = processorSeconds(pid)
  const asked = await timedGet(`/servers?scope=system&limit=1&as_of=${timeOf(time)}`)
  if (readTotal(asked) === 0) throw new Error('the moment has no servers')
  return { seconds: asked.time / 1_000, used: processorSeconds(pid) - before }
}
type Built = Awaited<ReturnType<typeof buildMoment>>

function builtRow(what: string, { seconds, used }: Built, bound: number): Row {
  const row = boundRow(what, 's', seconds, bound)
  return { ...row, measured: `${row.measured} (${used.toFixed(1)} s of processor time)` }
}

/** The median of lists that were not asked before. */
async function timeLists(timedGet: TimedGet, suffix: string): Promise<number> {
  const list = (filter: string, offset: number) =>
    timedGet(`/servers?scope=system&details=true&limit=20&${filter}&offset=${offset}${suffix}`)
  for (const filter of filters) await list(filter, 0)
  const times: number[] = []
  for (const offset of offsets) {
    for (const filter of filters) times.push((await list(filter, offset)).time)
  }
  return median(times)
}

/** The median for these days, after another one. */
async function timeDays(
  timedGet: TimedGet,
  { startOf }: HistoryFleet,
  [last, ...others]: readonly number[],
  pathOf: (from: string, until: string) => string,
): Promise<number> {
  const times: number[] = []
  for (const day of [...others, last ?? 0]) {
    const path = pathOf(timeOf(startOf(day)), timeOf(startOf(day + 1)))
    times.push((await timedGet(path)).time)
  }
  return median(times.slice(1))
}

/** How much slower plain lists are while a moment is built. */
async function measureInterference(
  { url }: BenchServer,
  token: string,
  what: string,
  build: () => Promise<Built>,
): Promise<Row> {
  const reads = ['', '&offset=20', '&status=running', '&order_by=name'].map((query) =>
    withToken(token, `/servers?scope=system&details=true&limit=20${query}`),
  )
  await serve(url, reads, load)
  const idle = await serve(url, reads, load)
  const built = build()
  const during = await serve(url, reads, load)
  const { seconds } = await built
  return timesRow(
    `p99 of plain lists while a moment is built (${seconds.toFixed(1)} s), ${what}`,
    during.p99,
    { name: 'without it', value: idle.p99 },
    3,
  )
}

async function measureRequests(history: HistoryFleet, server: BenchServer): Promise<Row[]> {
  const { engine, startOf, systemToken: token } = history
  const timedGet = createTimedGet(server.url, token)
  const build = (time: number) => buildMoment(timedGet, server.pid, time)
  // The first request loads code.
  await timedGet('/servers?scope=system&limit=1')
  const [lastDay, oldest] = [startOf(days - 1), startOf(0)]
  const lastDayTime = await build(lastDay)
  const oldestTime = await build(oldest)
  const now = await timeLists(timedGet, '')
  const lists = async (what: string, time: number): Promise<Row> => {
    const then = await timeLists(timedGet, `&as_of=${timeOf(time)}`)
    const row = timesRow(
      `filter and sort at ${what}, p50, ${engine}`,
      then,
      { name: 'now', value: now },
      2,
    )
    return { ...row, target: `${row.target}, or 100 ms`, reached: row.reached || then <= 100 }
  }
  const between = (from: string, until: string) => `since=${from}&until=${until}`
  const changes = (from: string, until: string) =>
    `/servers/changes?scope=system&limit=20&${between(from, until)}`
  const diff = (from: string, until: string) =>
    `/servers/diff?scope=system&limit=20&from=${from}&to=${until}`
  const statistics = (from: string, until: string) =>
    `/servers/changes/statistics?scope=system&group_by=kind&${between(from, until)}`
  const latest = [days - 1, days - 2, days - 3, days - 4]
  const earlier = [44, 45, 46, 47]
  const onDays = (which: readonly number[], pathOf: typeof changes) =>
    timeDays(timedGet, history, which, pathOf)
  return [
    builtRow(`the moment of the last day is built, ${engine}`, lastDayTime, 3),
    builtRow(`the moment of the oldest day is built, ${engine}`, oldestTime, 40),
    await lists('the last day', lastDay),
    await lists('the oldest day', oldest),
    boundRow(`changes of a day, ${engine}`, 'ms', await onDays(latest, changes), 100),
    boundRow(`changes of a day long ago, ${engine}`, 'ms', await onDays(earlier, changes), 100),
    boundRow(`diff of a day, ${engine}`, 'ms', await onDays(latest, diff), 300),
    boundRow(`diff of a day long ago, ${engine}`, 'ms', await onDays(earlier, diff), 300),
    {
      what: `statistics of the changes of a day, ${engine}`,
      measured: `${(await onDays(latest, statistics)).toFixed(0)} ms`,
      target: 'no target',
      reached: true,
    },
    await measureInterference(server, token, engine, () => build(startOf(3))),
  ]
}

async function measureOn(fleet: Fleet): Promise<Row[]> {
  const history = await openHistoryFleet(fleet)
  try {
    const checks = await addDays(history)
    const server = await history.serve(port)
    try {
      return [...(await measureRequests(history, server)), ...checks]
    } finally {
      await server.stop()
    }
  } finally {
    history.remove()
  }
}

async function measurePostgres(): Promise<Row[]> {
  const fleet = await openPostgresFleet(options.postgresServers)
  try {
    return await measureOn(fleet)
  } finally {
    await fleet.close()
  }
}

/** The inventory as it was, and what changed, after 90 days in which 1 % of the servers changed each day. */
export const historyQueries: Benchmark = {
  id: 'P19',
  title: 'history',
  async measure() {
    const fleet = await openFleet(options.servers)
    return [...(await measureOn(fleet)), ...(await measurePostgres())]
  },
}
