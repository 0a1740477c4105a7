import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, readFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../../server/src/testing/eventually.ts'

/** Milliseconds to wait for a service to start. */
export const patience = 120_000

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const canConnect = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

export interface Daemon {
  readonly name: string
  readonly child: ChildProcess
  /** Lets it end by itself. */
  stop(): Promise<void>
  /** Ends it and its children at once. */
  kill(): Promise<void>
}

interface Launch {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  /** Wait until it accepts connections here. */
  readonly port?: number
}

/** Starts a program of a back end, with further environment variables. */
export type Start = (
  name: string,
  program: string,
  args: readonly string[],
  port?: number,
  more?: NodeJS.ProcessEnv,
) => Promise<Daemon>

/** Starts a program and waits for its port. Its output goes to a file. */
export async function launch({ name, program, args, folder, env, port }: Launch): Promise<Daemon> {
  const file = `${folder}/${name}.out`
  const output = createWriteStream(file)
  await once(output, 'open')
  // In a group of its own, so that Ctrl-C reaches it only through us, and all of it can be ended.
  const child = spawn(program, args, {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', output, output],
  })
  const exited = once(child, 'exit')
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const end = Date.now() + patience
  const isListening = async () => port !== undefined && (await canConnect(port))
  const hasStarted = async () => port === undefined || (await isListening())
  while (!(await hasStarted())) {
    if (hasEnded() || Date.now() > end) {
      throw new Error(`${name} did not start:\n${readFileSync(file, 'utf8').slice(-2_000)}`)
    }
    await pause(50)
  }
  return {
    name,
    child,
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
    async kill() {
      if (hasEnded() || child.pid === undefined) return
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch (error) {
        // It ended by itself just now.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
      }
      await exited
      // Its children hold the port a little longer. Whoever listens there next would end at once.
      await eventually('the port is free', async () => !(await isListening()))
    },
  }
}

/** Runs a program to its end. */
export async function run(
  program: string,
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  const collect = (chunk: Buffer) => (output = `${output}${chunk.toString()}`.slice(-2_000))
  child.stdout.on('data', collect)
  child.stderr.on('data', collect)
  const [code] = (await once(child, 'close')) as [number]
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} failed:\n${output}`)
}
