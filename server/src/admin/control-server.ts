import { once } from 'node:events'
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { FastifyBaseLogger } from 'fastify'
import { ConfigError } from '../config/parsers.ts'
import { version } from '../version.ts'
import type { AdminContext } from './command.ts'
import {
  controlSocketAddress,
  controlSocketFile,
  type ControlMessage,
  type ControlRequest,
} from './control-socket.ts'

type Parts = Omit<AdminContext, 'print' | 'progress'>
type Request = ControlRequest & { readonly version: string }

/**
 * Executes admin commands for other processes of the same user. Only for SQLite, and while this
 * process holds the lock of the data directory: a file that is there was left by a killed process.
 */
export async function openControlSocket(
  parts: Parts,
  logger: Pick<FastifyBaseLogger, 'info' | 'warn'>,
) {
  const { dataDir } = parts.config
  const file = controlSocketFile(dataDir)
  const sockets = new Set<Socket>()
  let turn: Promise<void> = Promise.resolve()

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    // A command continues when the operator's process ends.
    socket.on('error', () => {})
    createInterface({ input: socket }).once('line', (line) => {
      turn = turn.then(() => serve(line, socket))
    })
  })

  /** One command at a time. */
  async function serve(line: string, socket: Socket): Promise<void> {
    const send = (message: ControlMessage) => socket.write(`${JSON.stringify(message)}\n`)
    try {
      const request = JSON.parse(line) as Request
      logger.info({ command: request.command }, 'admin command')
      send({ status: await execute(request, send) })
    } catch (error) {
      logger.warn({ err: error }, 'admin command failed')
      send({ error: (error as Error).message, isConfigError: error instanceof ConfigError })
    }
    socket.end()
  }

  async function execute(request: Request, send: (message: ControlMessage) => void) {
    if (request.version !== version) {
      throw new Error(
        `the running server is Muster ${version}, and this command is of ${request.version}: use the same version`,
      )
    }
    const { adminCommands } = await import('./commands.ts')
    const command = adminCommands.find(({ name }) => name === request.command)
    if (!command?.execute) throw new Error(`the server has no command ${request.command}`)
    return await command.execute(request.input, {
      ...parts,
      print: (text) => send({ print: text }),
      progress: (text) => send({ progress: text }),
    })
  }

  let release = () => {}
  try {
    const socket = controlSocketAddress(dataDir)
    release = socket.release
    rmSync(file, { force: true })
    server.listen(socket.address)
    await once(server, 'listening')
    chmodSync(file, 0o600)
    // Does not keep a process alive that stops otherwise.
    server.unref()
  } catch (error) {
    logger.warn({ err: error }, 'no control socket: admin commands need a stopped server')
  }

  return {
    /** Finishes the commands that have begun. */
    async close(): Promise<void> {
      server.close()
      await turn
      for (const socket of sockets) socket.destroySoon()
      rmSync(file, { force: true })
      release()
    },
  }
}
