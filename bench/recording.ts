import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startPostgres, type TestPostgres } from '../testing/postgres.ts'
import type { Benchmark, Row } from './benchmark.ts'
import { options } from './options.ts'
import { logIn, newFolder, processorTime, removeFolder, startServer } from './server.ts'
import { attach } from './sync.ts'

const port = 18_452
const accounts = 3
const mostServers = 20_000
/** Long enough for some of the servers to change. */
const pauseBeforeSync = 100_000

/** Microseconds of processor time of the sessions; other processes of PostgreSQL are left out. */
function databaseTime(postgres: TestPostgres | undefined): number {
  const timeOf = (pid: number) => {
    try {
      return processorTime(pid)
    } catch {
      // The session has ended.
      return 0
    }
  }
  return (postgres?.pids() ?? []).map(timeOf).reduce((sum, time) => sum + time, 0)
}

/** Without changes there is nothing to evaluate, so checks would count as a cost of recording. */
async function switchChecksOff(url: string, token: string): Promise<void> {
  const headers = { 'x-auth-token': token, 'content-type': 'application/json' }
  const response = await fetch(`${url}/checks?limit=100`, { headers })
  const { checks } = (await response.json()) as { checks: readonly { id: string }[] }
  const body = JSON.stringify({ check: { enabled: false } })
  for (const { id } of checks) {
    const { status } = await fetch(`${url}/checks/${id}`, { method: 'PUT', headers, body })
    if (status !== 200) throw new Error(`a check could not be switched off: ${status}`)
  }
}

/** A Muster that records changes, or one that does not, with accounts that are yet to be synced. */
async function start(at: number, isRecording: boolean, isPostgres: boolean) {
  const postgres = isPostgres ? await startPostgres({ isDurable: true }) : undefined
  const folder = newFolder()
  const hook = new URL('switch-recording.ts', import.meta.url).pathname
  const server = await startServer(at, folder, {
    flags: postgres
      ? [`--database-url=${postgres.url}`, `--secret-key-file=${join(folder, 'key')}`]
      : [],
    env: isRecording ? {} : { NODE_OPTIONS: `--import ${hook}` },
  })
  const { url } = server
  const token = await logIn(url)
  await switchChecksOff(url, token)
  const used = () => processorTime(server.pid) + databaseTime(postgres)
  const servers = Math.min(mostServers, options.servers)
  const attached: Awaited<ReturnType<typeof attach>>[] = []

  async function measure(work: () => ReturnType<(typeof attached)[number]['finish']>) {
    const before = used()
    const { seen, created, changed } = await work()
    const time = used() - before
    return { time, servers: seen, changed: created + changed }
  }

  return {
    /** The first sync of one more account. */
    syncFirst: () =>
      measure(async () => {
        const seed = attached.length + 1
        const account = await attach(url, token, { name: `account ${seed}`, seed, servers })
        attached.push(account)
        return await account.finish(null)
      }),
    async disable(): Promise<void> {
      for (const account of attached) await account.disable()
    },
    /** A scan of one of the accounts, which finds changes. */
    syncAgain: (at: number) =>
      measure(async () => {
        const account = attached[at]
        if (!account) throw new Error('there is no such account')
        return await account.enable()
      }),
    async requireChanges(): Promise<void> {
      const path = `${url}/servers/changes?scope=system&limit=1`
      const response = await fetch(path, { headers: { 'x-auth-token': token } })
      const { changes } = (await response.json()) as { changes: readonly unknown[] }
      if (changes.length > 0 !== isRecording) throw new Error('recording could not be switched')
    },
    async stop(): Promise<void> {
      await server.stop()
      await postgres?.stop()
      removeFolder(folder)
    },
  }
}
type Muster = Awaited<ReturnType<typeof start>>
type Measured = Awaited<ReturnType<Muster['syncFirst']>>

/** The least processor time of the rounds, for each server. */
const best = (measured: readonly Measured[], per: 'servers' | 'changed') =>
  Math.min(...measured.map((one) => one.time / one[per]))

function costRow(
  what: string,
  per: 'servers' | 'changed',
  recording: readonly Measured[],
  without: readonly Measured[],
  bound: number,
): Row {
  const [cost, base] = [best(recording, per), best(without, per)]
  const share = cost / base - 1
  const [{ servers, changed } = { servers: 0, changed: 0 }] = recording
  return {
    what,
    measured: `${(share * 100).toFixed(1)} % (${Math.round(cost)} µs to ${Math.round(base)} µs for each server; ${changed} of ${servers} changed)`,
    target: `≤ ${bound * 100} % of the processor time without`,
    reached: share <= bound,
  }
}

async function compare(engine: string, isPostgres: boolean): Promise<Row[]> {
  const recording = await start(port, true, isPostgres)
  const without = await start(port + 1, false, isPostgres)
  try {
    const first = { recording: [] as Measured[], without: [] as Measured[] }
    const again = { recording: [] as Measured[], without: [] as Measured[] }
    // In turns, because what else happens on the machine changes both.
    for (let account = 0; account < accounts; account += 1) {
      first.recording.push(await recording.syncFirst())
      first.without.push(await without.syncFirst())
    }
    await Promise.all([recording.disable(), without.disable()])
    await pause(pauseBeforeSync)
    for (let account = 0; account < accounts; account += 1) {
      again.recording.push(await recording.syncAgain(account))
      again.without.push(await without.syncAgain(account))
    }
    await recording.requireChanges()
    await without.requireChanges()
    return [
      costRow(`in a first sync, ${engine}`, 'servers', first.recording, first.without, 0.05),
      costRow(`in a scan with changes, ${engine}`, 'changed', again.recording, again.without, 0.1),
    ]
  } finally {
    await recording.stop()
    await without.stop()
  }
}

/** What it costs to record the changes of servers, in processor time of Muster and its sessions of PostgreSQL. */
export const recordingCosts: Benchmark = {
  id: 'P19',
  title: 'recording of changes',
  measure: async () => [
    ...(await compare('SQLite', false)),
    ...(await compare('PostgreSQL', true)),
  ],
}
