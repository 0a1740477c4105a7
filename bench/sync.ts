import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { startPostgres } from '../testing/postgres.ts'
import { boundRow, timesRow, type Benchmark, type Row } from './benchmark.ts'
import { options } from './options.ts'
import { withToken } from './pages.ts'
import { logIn, newFolder, post, removeFolder, startServer } from './server.ts'
import { serve } from './serve.ts'

const mostServers = 100_000
const port = 18_411
/** Few enough not to saturate the server. */
const connections = 4
const seconds = 5
/** Long enough for some of the servers to change. */
const pauseBeforeSync = 30_000

interface Account {
  readonly id: string
  readonly sync: {
    readonly state: string
    readonly finished_at: string | null
    readonly duration_ms: number
    readonly seen: number
    readonly created: number
    readonly changed: number
  }
}

interface SimulatedAccount {
  readonly name: string
  readonly seed: number
  readonly servers: number
  /** Further options of the account. */
  readonly settings?: object
  readonly options?: object
}

/** Attaches an account of simulated servers. */
export async function attach(
  url: string,
  token: string,
  { name, seed, servers, settings, options: others }: SimulatedAccount,
) {
  const headers = { 'x-auth-token': token, 'content-type': 'application/json' }

  async function requireOk(response: Response): Promise<Account> {
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return ((await response.json()) as { cloudaccount: Account }).cloudaccount
  }
  const { projects } = (await (await fetch(`${url}/v3/projects`, { headers })).json()) as {
    projects: { id: string }[]
  }
  const wanted = {
    name,
    provider: 'Simulator',
    project_id: projects[0]?.id,
    period: 86_400,
    options: { servers, seed, ...others },
    ...settings,
  }
  const { id } = await requireOk(
    await post(url, '/cloudaccounts', JSON.stringify({ cloudaccount: wanted }), token),
  )
  const path = `${url}/cloudaccounts/${id}`
  const getAccount = async () => await requireOk(await fetch(path, { headers }))

  const setEnabled = async (enabled: boolean) => {
    const body = JSON.stringify({ cloudaccount: { enabled } })
    await fetch(path, { method: 'PUT', headers, body })
  }

  /** Waits until a new sync is complete. */
  async function finish(before: string | null): Promise<Account['sync']> {
    for (;;) {
      const { sync } = await getAccount()
      if (sync.finished_at !== before && sync.state !== 'running') return sync
      await pause(500)
    }
  }

  return {
    id,
    finish,
    async syncAgain(): Promise<Account['sync']> {
      const { sync } = await getAccount()
      await fetch(`${path}/sync`, { method: 'POST', headers: { 'x-auth-token': token } })
      return await finish(sync.finished_at)
    },
    /** Disables the account, so that the next scan finds changes. */
    disable: () => setEnabled(false),
    async enable(): Promise<Account['sync']> {
      const { sync } = await getAccount()
      await setEnabled(true)
      return await finish(sync.finished_at)
    },
  }
}

const rateOf = ({ seen, duration_ms }: Account['sync']) => (seen / duration_ms) * 1_000

const rateRow = (what: string, sync: Account['sync'], target: number, note = ''): Row => ({
  what,
  measured: `${Math.round(rateOf(sync))} per second (${sync.seen} in ${(sync.duration_ms / 1_000).toFixed(1)} s${note})`,
  target: target === 0 ? 'no target' : `≥ ${target} per second`,
  reached: rateOf(sync) >= target,
})

const diskRow = (engine: string, bytes: number, { seen }: Account['sync']): Row =>
  boundRow(`disk, ${engine}`, 'kB a server', bytes / seen / 1_000, 5)

/** The first sync on a PostgreSQL of its own, with durable commits. */
async function measurePostgres(servers: number): Promise<Row[]> {
  const postgres = await startPostgres({ isDurable: true })
  const folder = newFolder()
  const flags = [`--database-url=${postgres.url}`, `--secret-key-file=${join(folder, 'key')}`]
  const server = await startServer(port, folder, { flags })
  try {
    const token = await logIn(server.url)
    const account = await attach(server.url, token, { name: 'first', seed: 1, servers })
    const first = await account.finish(null)
    const client = new pg.Client(postgres.url)
    await client.connect()
    const { rows } = await client.query<{ bytes: string }>(
      'select pg_database_size(current_database()) as bytes',
    )
    await client.end()
    return [
      rateRow('first sync, PostgreSQL', first, 2_500),
      diskRow('PostgreSQL', Number(rows[0]?.bytes), first),
    ]
  } finally {
    await server.stop()
    await postgres.stop()
    removeFolder(folder)
  }
}

/** How fast an account is synced, how much disk it takes, and how that affects readers. */
export const syncRates: Benchmark = {
  id: 'P11',
  title: 'sync of many servers',
  async measure() {
    const folder = newFolder()
    let server = await startServer(port, folder)
    try {
      const { url } = server
      const token = await logIn(url)
      const servers = Math.min(mostServers, options.servers)
      const account = await attach(url, token, { name: 'first', seed: 1, servers })
      const first = await account.finish(null)
      const unchanged = await account.syncAgain()
      // Closed, the database has no write-ahead log.
      await server.stop()
      const { size } = statSync(join(folder, 'data', 'muster.db'))
      server = await startServer(port, folder)
      await account.disable()
      await pause(pauseBeforeSync)
      const some = await account.enable()

      const reads = ['', '&offset=20', '&status=running', '&order_by=name'].map((query) =>
        withToken(token, `/servers?details=true&limit=20${query}`),
      )
      const load = { connections, seconds }
      await serve(url, reads, load)
      const idle = await serve(url, reads, load)
      await attach(url, token, { name: 'second', seed: 2, servers })
      await pause(500)
      const during = await serve(url, reads, load)
      const rows = [
        rateRow('first sync', first, 3_500),
        rateRow('nothing changed', unchanged, 50_000, `, ${unchanged.changed} changed`),
        rateRow('some changed', some, 0, `, ${some.created + some.changed} changed`),
        timesRow(
          'p99 of reads while a first sync runs',
          during.p99,
          { name: 'without a sync', value: idle.p99 },
          3,
        ),
        diskRow('SQLite', size, first),
      ]
      await server.stop()
      return [...rows, ...(await measurePostgres(servers))]
    } finally {
      await server.stop()
      removeFolder(folder)
    }
  },
}
