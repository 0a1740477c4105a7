import { setTimeout as pause } from 'node:timers/promises'
import { timesRow, type Figure, type Row } from './figure.ts'
import { options } from './options.ts'
import { asOwner } from './pages.ts'
import { logIn, post, removeFolder, startServer } from './server.ts'
import { serve } from './serving.ts'

const mostServers = 100_000
const port = 18_411
/** Not as many as saturate the server: those would wait for each other. */
const connections = 4
const seconds = 5
/** Long enough for a hundredth of them to change. */
const unattended = 150_000

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

/** An account of simulated servers, and hands to work it with. */
export async function attach(url: string, token: string, name: string, seed: number) {
  const headers = { 'x-auth-token': token, 'content-type': 'application/json' }
  const servers = Math.min(mostServers, options.servers)

  async function demand(response: Response): Promise<Account> {
    if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)
    return ((await response.json()) as { cloudaccount: Account }).cloudaccount
  }
  const { projects } = (await (await fetch(`${url}/v3/projects`, { headers })).json()) as {
    projects: { id: string }[]
  }
  const wish = {
    name,
    provider: 'Simulator',
    project_id: projects[0]?.id,
    period: 86_400,
    options: { servers, seed },
  }
  const { id } = await demand(
    await post(url, '/cloudaccounts', JSON.stringify({ cloudaccount: wish }), token),
  )
  const path = `${url}/cloudaccounts/${id}`
  const look = async () => await demand(await fetch(path, { headers }))

  /** Waits for a sync that is complete and not the one before. */
  async function finish(before: string | null): Promise<Account['sync']> {
    for (;;) {
      const { sync } = await look()
      if (sync.finished_at !== before && sync.state !== 'running') return sync
      await pause(100)
    }
  }

  return {
    finish,
    async syncAgain(): Promise<Account['sync']> {
      const { sync } = await look()
      await fetch(`${path}/sync`, { method: 'POST', headers: { 'x-auth-token': token } })
      return await finish(sync.finished_at)
    },
    /** Nobody listens meanwhile, so that the next scan meets what has changed. */
    async leaveAlone(time: number): Promise<Account['sync']> {
      const set = (enabled: boolean) =>
        fetch(path, { method: 'PUT', headers, body: JSON.stringify({ cloudaccount: { enabled } }) })
      const { sync } = await look()
      await set(false)
      await pause(time)
      await set(true)
      return await finish(sync.finished_at)
    },
  }
}

const rateOf = ({ seen, duration_ms }: Account['sync']) => (seen / duration_ms) * 1_000

const rateRow = (what: string, sync: Account['sync'], target: number, note = ''): Row => ({
  what,
  measured: `${Math.round(rateOf(sync))} a second (${sync.seen} in ${(sync.duration_ms / 1_000).toFixed(1)} s${note})`,
  target: target === 0 ? 'no figure' : `≥ ${target} a second`,
  reached: rateOf(sync) >= target,
})

/** How fast an account is synced, and what those who read notice of it. */
export const syncRates: Figure = {
  id: 'P11',
  title: 'sync of many servers',
  async measure() {
    const server = await startServer(port)
    try {
      const { url } = server
      const token = await logIn(url)
      const account = await attach(url, token, 'first', 1)
      const first = await account.finish(null)
      const unchanged = await account.syncAgain()
      const some = await account.leaveAlone(unattended)

      const reads = ['', '&offset=20', '&status=running', '&order_by=name'].map((query) =>
        asOwner(token, `/servers?details=true&limit=20${query}`),
      )
      const load = { connections, seconds }
      await serve(url, reads, load)
      const idle = await serve(url, reads, load)
      await attach(url, token, 'second', 2)
      await pause(500)
      const beside = await serve(url, reads, load)
      return [
        rateRow('first sync', first, 10_000),
        rateRow('nothing changed', unchanged, 50_000, `, ${unchanged.changed} changed`),
        rateRow('some changed', some, 0, `, ${some.created + some.changed} changed`),
        timesRow(
          'p99 of reads while a first sync runs',
          beside.p99,
          { name: 'while none does', value: idle.p99 },
          1.5,
        ),
      ]
    } finally {
      await server.stop()
      removeFolder(server.folder)
    }
  },
}
