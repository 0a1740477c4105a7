import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { installPackages, waitForInstalls } from '../debian.ts'

const program = '/usr/sbin/pgbouncer'

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  return await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ])
    .catch(() => false)
    .finally(() => socket.destroy())
}

/** It refuses to run as root. */
function lesserAccount() {
  if (process.getuid?.() !== 0) return {}
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith('nobody:'))
  const [, , uid, gid] = line?.split(':') ?? []
  return { uid: Number(uid), gid: Number(gid) }
}

/**
 * Starts a PgBouncer in transaction mode in front of a PostgreSQL, with default settings otherwise. Returns
 * its address.
 */
export async function startPgBouncer(postgres: string) {
  waitForInstalls()
  if (!existsSync(program)) installPackages('pgbouncer')
  // Another back end that starts at the same time may take the free port first.
  for (let left = 2; left > 0; left -= 1) {
    const pooler = await tryStart(postgres).catch(() => undefined)
    if (pooler) return pooler
  }
  return await tryStart(postgres)
}

async function tryStart(postgres: string) {
  const { hostname, port, username } = new URL(postgres)
  const folder = mkdtempSync(join(tmpdir(), 'muster-pgbouncer-'))
  chmodSync(folder, 0o755)
  const own = await findFreePort()
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = any
pool_mode = transaction
`,
  )
  // Another test of this process may have set a strict mask.
  chmodSync(file, 0o644)
  const pooler = spawn(program, [file], {
    ...lesserAccount(),
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  pooler.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()))
  // Other back ends start at the same time.
  for (const end = Date.now() + 60_000; !(await answers(own)); await pause(50)) {
    const hasEnded = pooler.exitCode !== null || pooler.signalCode !== null
    if (hasEnded || Date.now() > end) throw new Error(`PgBouncer did not start: ${complaint}`)
  }
  return {
    port: own,
    async stop(): Promise<void> {
      pooler.kill('SIGINT')
      await once(pooler, 'exit')
      rmSync(folder, { recursive: true })
    },
  }
}
