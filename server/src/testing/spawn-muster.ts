import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { underUmask } from './under-umask.ts'

/** A test or a suite. What was started for it is stopped at its end. */
export interface Lifetime {
  after(work: () => unknown): void
}

/** The lifetime of the suite in whose body it is called. */
export function suiteLifetime(): Lifetime {
  const works: (() => unknown)[] = []
  after(async () => {
    for (const work of works.toReversed()) await work()
  })
  return { after: (work) => works.push(work) }
}

export interface Exit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

interface SpawnOptions {
  readonly flags?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Instead of `musterCommand`: what comes before the flags. */
  readonly command?: readonly [string, ...string[]]
  /** A process group of its own, as a shell gives to what it starts in the foreground. */
  readonly ownGroup?: boolean
  /** The mask under which the process makes its files. */
  readonly umask?: number
}

/** The repository, as the operator's working directory. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url))

/** The environment variable with the path of the bundled server, where there is one. */
export const bundleVariable = 'TEST_BUNDLE'

/** As `npm start` starts it. */
export const sourceEntry = join(repository, 'server/muster.js')

export const musterCommand = [
  process.execPath,
  process.env[bundleVariable] ?? sourceEntry,
  'serve',
] as const

export function temporaryFolder(lifetime: Lifetime): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-process-'))
  // A process that is stopping may still write there.
  lifetime.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

/** Only the environment variables that any program needs. */
function cleanEnvironment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'SystemRoot']
  const passed = names.flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
  return {
    ...Object.fromEntries(passed),
    MUSTER_CONSOLE_BUILD: 'false',
    // Halves the CPU time of a start.
    NODE_COMPILE_CACHE: join(repository, 'node_modules/.cache/compiled'),
  }
}

/** Starts a real process, which is stopped at the latest when `lifetime` ends. */
export function spawnProcess(lifetime: Lifetime, options: SpawnOptions = {}) {
  const { flags = [], environment = {}, command = musterCommand, ownGroup = false } = options
  const [program, ...words] = command
  const { umask = process.umask() } = options
  const child = underUmask(umask, () =>
    spawn(program, [...words, ...flags], {
      cwd: repository,
      env: { ...cleanEnvironment(), ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: ownGroup,
    }),
  )
  let stdout = ''
  let stderr = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // "close" rather than "exit": by then all it wrote has been read.
  const exited = once(child, 'close').then(([code, signal]): Exit => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    stdout,
    stderr,
  }))
  /** Its child processes are in its group, and would outlive it. */
  const killWhatIsLeft = () => {
    try {
      if (ownGroup && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      else child.kill('SIGKILL')
    } catch {
      // Nothing is left.
    }
    return exited
  }
  lifetime.after(killWhatIsLeft)
  return {
    pid: child.pid ?? 0,
    exited,
    async end(signal: NodeJS.Signals): Promise<Exit> {
      child.kill(signal)
      return await exited
    },
    stdout: () => stdout,
    stderr: () => stderr,
    /** Resolves once the process has printed this text; fails if it ends before. */
    async printed(text: string): Promise<void> {
      const missing = () => new Error(`ended without printing "${text}":\n${stdout}${stderr}`)
      await new Promise<void>((resolve, reject) => {
        const look = () => {
          if (stdout.includes(text)) resolve()
        }
        child.stdout?.on('data', look)
        child.on('close', () => (stdout.includes(text) ? resolve() : reject(missing())))
        look()
      })
    },
  }
}

/** Runs Muster until it ends by itself. */
export const runMuster = (
  lifetime: Lifetime,
  flags: readonly string[],
  environment?: Readonly<Record<string, string>>,
): Promise<Exit> => spawnProcess(lifetime, { flags, ...(environment && { environment }) }).exited

/** The values in the welcome message. */
export function readWelcome(welcome: string) {
  const word = (name: string) => new RegExp(`^ +${name} +(\\S+)`, 'm').exec(welcome)?.[1]
  return {
    authUrl: word('auth_url') ?? '',
    baseUrl: word('base_url') ?? '',
    password: word('password'),
    curl: /^ +(curl .*)$/m.exec(welcome)?.[1] ?? '',
  }
}

/** Starts Muster on a free port and waits for its welcome message. */
export async function spawnMuster(lifetime: Lifetime, options: SpawnOptions = {}) {
  const muster = spawnProcess(lifetime, {
    ...options,
    flags: ['--port', '0', ...(options.flags ?? [])],
  })
  // The last line of the welcome message.
  await muster.printed("-d '{")
  return { ...muster, ...readWelcome(muster.stdout()) }
}
export type Muster = Awaited<ReturnType<typeof spawnMuster>>
