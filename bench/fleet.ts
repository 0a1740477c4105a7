import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as pause } from 'node:timers/promises'
import { startPostgres } from '../testing/postgres.ts'
import { fingerprintFleet } from './fleet-fingerprint.ts'
import { createFleetKeys, type FleetKeys } from './fleet-keys.ts'
import { observeLoad, type LoadFigures } from './load-figures.ts'
import { logIn, removeFolder, startServer, type BenchServer, type StartOptions } from './server.ts'

/** A database with a number of servers that do not change. */
export interface Fleet extends FleetKeys {
  readonly size: number
  readonly engine: 'SQLite' | 'PostgreSQL'
  /** Measured when it was loaded, which may have been in an earlier run. */
  readonly load: LoadFigures
  readonly folder: string
  readonly databaseUrl?: string
  start(port: number, options?: Pick<StartOptions, 'env'>): Promise<BenchServer>
}

interface FleetLocation {
  readonly folder: string
  readonly flags: readonly string[]
}

const cache = fileURLToPath(new URL('../node_modules/.cache/bench', import.meta.url))
const port = 18_400

/** Disables all accounts, so that the servers do not change any more. */
async function disableAccounts(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-auth-token': await logIn(url) }
  const list = await fetch(`${url}/cloudaccounts?limit=2048`, { headers })
  const { cloudaccounts } = (await list.json()) as { cloudaccounts: { id: string }[] }
  // One after the other: each request waits for its effect.
  for (const { id } of cloudaccounts) {
    const body = JSON.stringify({ cloudaccount: { enabled: false } })
    const answer = await fetch(`${url}/cloudaccounts/${id}`, { method: 'PUT', headers, body })
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  }
}

/** The demo loads in the background: waits until every account has been synced once. */
export async function waitForLoad(url: string): Promise<void> {
  const headers = { 'x-auth-token': await logIn(url) }
  for (;;) {
    const list = await fetch(`${url}/cloudaccounts?limit=2048`, { headers })
    const { cloudaccounts } = (await list.json()) as {
      cloudaccounts: { sync: { finished_at: string | null } }[]
    }
    if (cloudaccounts.every(({ sync }) => sync.finished_at !== null)) return
    await pause(1_000)
  }
}

type StoredFleet = FleetKeys & Pick<Fleet, 'load'>

/** Loads the demo and creates the tokens to read it. */
async function loadFleet(size: number, { folder, flags }: FleetLocation): Promise<StoredFleet> {
  process.stderr.write(`  loading ${size.toLocaleString('en-US')} servers …\n`)
  const demo = await startServer(port, folder, {
    flags: [...flags, '--demo', `--demo-servers=${size}`],
    showsOutput: true,
  })
  const observed = observeLoad(demo, await logIn(demo.url), size)
  await waitForLoad(demo.url)
  const load = await observed.finish()
  await disableAccounts(demo.url)
  await demo.stop()
  process.stderr.write('  making users and tokens …\n')
  const server = await startServer(port, folder, { flags: [...flags, '--token-ttl=366d'] })
  const keys = await createFleetKeys(server.url, size)
  await server.stop()
  return { ...keys, load }
}

/** Loads a fleet once and reuses it in later runs, until the fingerprint changes. */
export async function openFleet(size: number): Promise<Fleet> {
  const name = `sqlite-${size}-`
  const folder = join(cache, name + fingerprintFleet())
  const file = join(folder, 'keys.json')
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true })
    for (const other of readdirSync(cache)) {
      const path = join(cache, other)
      if (other.startsWith(name) && path !== folder) removeFolder(path)
    }
    const keys = await loadFleet(size, { folder, flags: [] })
    writeFileSync(file, JSON.stringify(keys), { mode: 0o600 })
  }
  const keys = JSON.parse(readFileSync(file, 'utf8')) as StoredFleet
  return {
    ...keys,
    size,
    engine: 'SQLite',
    folder,
    start: (port, more) => startServer(port, folder, more),
  }
}

/** The same on its own PostgreSQL, which is removed afterwards. */
export async function openPostgresFleet(
  size: number,
  onLog?: (text: string) => void,
): Promise<Fleet & { readonly databaseUrl: string; close(): Promise<void> }> {
  const postgres = await startPostgres({ isDurable: true, ...(onLog && { onLog }) })
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  const flags = [`--database-url=${postgres.url}`, `--secret-key-file=${join(folder, 'key')}`]
  const keys = await loadFleet(size, { folder, flags })
  return {
    ...keys,
    size,
    engine: 'PostgreSQL',
    folder,
    databaseUrl: postgres.url,
    start: (port, more) => startServer(port, folder, { ...more, flags }),
    async close() {
      await postgres.stop()
      removeFolder(folder)
    },
  }
}
