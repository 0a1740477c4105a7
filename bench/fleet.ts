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
import { makeFleetKeys, type FleetKeys } from './fleet-keys.ts'
import { logIn, removeFolder, startServer, type BenchServer } from './server.ts'

/** An installation with so many servers, which stay as they are: nobody lives in it. */
export interface Fleet extends FleetKeys {
  readonly size: number
  readonly engine: 'SQLite' | 'PostgreSQL'
  start(port: number): Promise<BenchServer>
}

interface Place {
  readonly folder: string
  readonly flags: readonly string[]
}

const cache = fileURLToPath(new URL('../node_modules/.cache/bench', import.meta.url))
const port = 18_400

/** Nothing happens to the servers any more: the accounts that they come from are switched off. */
async function still(url: string): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-auth-token': await logIn(url) }
  const list = await fetch(`${url}/cloudaccounts?limit=2048`, { headers })
  const { cloudaccounts } = (await list.json()) as { cloudaccounts: { id: string }[] }
  // One after the other: each is answered when it is done.
  for (const { id } of cloudaccounts) {
    const body = JSON.stringify({ cloudaccount: { enabled: false } })
    const answer = await fetch(`${url}/cloudaccounts/${id}`, { method: 'PUT', headers, body })
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  }
}

/** The demo loads in the background: waits until every account has been synced once. */
async function waitForLoad(url: string): Promise<void> {
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

/** Loads the demo, which says how far it is, and makes the keys to it. */
async function fill(size: number, { folder, flags }: Place): Promise<FleetKeys> {
  process.stderr.write(`  loading ${size.toLocaleString('en-US')} servers …\n`)
  const demo = await startServer(port, folder, {
    flags: [...flags, '--demo', `--demo-servers=${size}`],
    isHeard: true,
  })
  await waitForLoad(demo.url)
  await still(demo.url)
  await demo.stop()
  process.stderr.write('  making users and tokens …\n')
  const server = await startServer(port, folder, { flags: [...flags, '--token-ttl=366d'] })
  const keys = await makeFleetKeys(server.url, size)
  await server.stop()
  return keys
}

/** Loaded once and kept between runs, for as long as a load today would give the same. */
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
    const keys = await fill(size, { folder, flags: [] })
    writeFileSync(file, JSON.stringify(keys), { mode: 0o600 })
  }
  const keys = JSON.parse(readFileSync(file, 'utf8')) as FleetKeys
  return { ...keys, size, engine: 'SQLite', start: (port) => startServer(port, folder) }
}

/** The same on a PostgreSQL of its own, which is gone afterwards. */
export async function openPostgresFleet(size: number): Promise<Fleet & { close(): Promise<void> }> {
  const postgres = await startPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'))
  const flags = [`--database-url=${postgres.url}`, `--secret-key-file=${join(folder, 'key')}`]
  const keys = await fill(size, { folder, flags })
  return {
    ...keys,
    size,
    engine: 'PostgreSQL',
    start: (port) => startServer(port, folder, { flags }),
    async close() {
      await postgres.stop()
      removeFolder(folder)
    },
  }
}
