import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import type { Io } from '../cli/io.ts'
import { ConfigError } from '../config/parsers.ts'
import { version } from '../version.ts'
import {
  controlSocketAddress,
  controlSocketFile,
  type ControlMessage,
  type ControlRequest,
} from './control-socket.ts'

/** Lets the running server execute a command. Returns the exit status, or undefined if none runs. */
export async function runOnServer(
  dataDir: string,
  request: ControlRequest,
  io: Pick<Io, 'stdout' | 'stderr'>,
): Promise<number | undefined> {
  const socket = await connectToServer(dataDir)
  if (!socket) return undefined
  try {
    socket.write(`${JSON.stringify({ ...request, version })}\n`)
    for await (const line of createInterface({ input: socket })) {
      const message = JSON.parse(line) as ControlMessage
      if ('print' in message) io.stdout.write(`${message.print}\n`)
      else if ('progress' in message) io.stderr.write(`${message.progress}\n`)
      else if ('status' in message) return message.status
      else throw message.isConfigError ? new ConfigError(message.error) : new Error(message.error)
    }
  } finally {
    socket.destroy()
  }
  throw new Error('the server stopped before the command was finished: run the command again')
}

async function connectToServer(dataDir: string): Promise<Socket | undefined> {
  if (!existsSync(controlSocketFile(dataDir))) return undefined
  const { address, release } = controlSocketAddress(dataDir)
  const socket = connect(address)
  try {
    await once(socket, 'connect')
    // A lost connection ends the lines, which is reported as such.
    socket.on('error', () => {})
    return socket
  } catch (error) {
    const { code } = error as { code?: string }
    // A server that was killed leaves the file behind.
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return undefined
    throw error
  } finally {
    release()
  }
}
