import { setTimeout as pause } from 'node:timers/promises'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bestOfRounds, boundRow, ratioRow, type Benchmark, type Row } from './benchmark.ts'
import { openFleet, type Fleet } from './fleet.ts'
import { options } from './options.ts'
import { disjointPages, singleServers } from './pages.ts'
import { startPostgres } from '../testing/postgres.ts'
import { anonymousMemory, logIn, removeFolder, startServer } from './server.ts'
import { serve } from './serve.ts'
import { attach } from './sync.ts'

const megabyte = 1_000_000
const settling = 3_000
const between = 100

const sizeOf = ({ size }: Fleet) => `${size.toLocaleString('en-US')} servers`

export const startupTime: Benchmark = {
  id: 'P12',
  title: 'startup time',
  async measure() {
    const time = async (folder?: string) => {
      const server = await startServer(18_412, folder)
      await server.stop()
      if (folder === undefined) removeFolder(server.folder)
      return server.timeToFirstResponse
    }
    const { folder, stop } = await startServer(18_412)
    await stop()
    const best = await bestOfRounds({ first: () => time(), again: () => time(folder) }, Math.min)
    removeFolder(folder)
    const fleet = await openFleet(options.servers)
    const filled = await bestOfRounds(
      {
        async start() {
          const server = await fleet.start(18_412)
          await server.stop()
          return server.timeToFirstResponse
        },
      },
      Math.min,
    )
    return [
      boundRow('first start, with a new database', 'ms', best.first, 1_000),
      boundRow('start on an empty installation', 'ms', best.again, 1_000),
      boundRow(`start with ${sizeOf(fleet)}`, 'ms', filled.start, 2_000),
    ]
  },
}

export const idleMemory: Benchmark = {
  id: 'P13',
  title: 'memory',
  async measure() {
    const server = await startServer(18_413)
    await pause(settling)
    const bytes = anonymousMemory(server.pid)
    await server.stop()
    removeFolder(server.folder)
    return [
      boundRow('empty database', 'MB', bytes / megabyte, 120),
      ...(await inUse()),
      ...(await whileSyncing('SQLite')),
      ...(await whileSyncing('PostgreSQL')),
    ]
  },
}

/** With a fleet, before any request and after many, when the caches are full. */
async function inUse(): Promise<Row[]> {
  const fleet = await openFleet(options.servers)
  const server = await fleet.start(18_413)
  await pause(settling)
  const before = anonymousMemory(server.pid)
  await serve(server.url, disjointPages(fleet.projects))
  await serve(server.url, singleServers(fleet))
  await pause(settling)
  const after = anonymousMemory(server.pid)
  await server.stop()
  const what = sizeOf(fleet)
  return [
    boundRow(what, 'MB', before / megabyte, 300),
    boundRow(`${what}, after many requests`, 'MB', after / megabyte, 300),
  ]
}

/** Measures how fast the first and the last tenth of an account are loaded. */
async function loadRates(url: string, token: string, servers: number, loaded: Promise<unknown>) {
  const begin = performance.now()
  const times: (readonly [count: number, time: number])[] = []
  const isLoaded = loaded.then(() => true)
  while (!(await Promise.race([isLoaded, pause(1_000, false)]))) {
    const answer = await fetch(`${url}/servers?limit=1`, { headers: { 'x-auth-token': token } })
    const { total } = (await answer.json()) as { total: number }
    times.push([total, performance.now() - begin])
  }
  const part = servers / 10
  const end = times.at(-1) ?? [0, 0]
  const after = (count: number) => times.find(([total]) => total >= count) ?? end
  const [first, late] = [after(part), after(end[0] - part)]
  return {
    first: (first[0] / first[1]) * 1_000,
    last: ((end[0] - late[0]) / (end[1] - late[1])) * 1_000,
  }
}

/** Peak memory during the first sync of an account, and during the next one, which finds no changes. */
async function whileSyncing(engine: 'SQLite' | 'PostgreSQL'): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  const postgres = engine === 'PostgreSQL' ? await startPostgres() : undefined
  const flags = postgres
    ? [`--database-url=${postgres.url}`, `--secret-key-file=${join(folder, 'key')}`]
    : []
  const server = await startServer(18_413, folder, { flags })
  try {
    const { servers } = options
    const token = await logIn(server.url)
    const account = await attach(server.url, token, { name: 'first', seed: 1, servers })

    async function peakRow(what: string, sync: Promise<{ seen: number }>): Promise<Row> {
      let peak = 0
      const timer = setInterval(() => {
        peak = Math.max(peak, anonymousMemory(server.pid))
      }, between)
      const { seen } = await sync
      clearInterval(timer)
      const size = `${seen.toLocaleString('en-US')} servers`
      return boundRow(
        `peak memory during ${what} of ${size}, ${engine}`,
        'MB',
        peak / megabyte,
        450,
      )
    }
    const loading = account.finish(null)
    const [{ first, last }, peak] = await Promise.all([
      loadRates(server.url, token, servers, loading),
      peakRow('the first sync', loading),
    ])
    await pause(settling)
    const loaded = anonymousMemory(server.pid)
    return [
      ratioRow(
        `the last tenth of ${servers.toLocaleString('en-US')} servers is loaded, ${engine}`,
        'per second',
        last,
        { name: 'rate of the first', value: first },
        0.8,
      ),
      peak,
      boundRow(`after the first sync, ${engine}`, 'MB', loaded / megabyte, 300),
      await peakRow('an unchanged sync', account.syncAgain()),
    ]
  } finally {
    await server.stop()
    await postgres?.stop()
    removeFolder(folder)
  }
}
