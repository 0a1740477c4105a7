import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A stalled response is noticed up to one sweep late and closed up to one sweep later, so within 10 s. */
const defaultStallLimit = 8_000
const sweepsPerLimit = 8

interface Seen {
  progress: string
  since: number
}

/** Unacknowledged bytes of each connection, by its two ports. */
type SendQueues = ReadonlyMap<string, string>

const portsOf = ({ localPort, remotePort }: Socket) => `${localPort} ${remotePort}`

/**
 * Reads the send buffers of the operating system, on Linux only. They hold megabytes, so a slow
 * reader may take longer than the limit before the next write succeeds.
 */
async function readSendQueues(): Promise<SendQueues> {
  const queues = new Map<string, string>()
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const text = await readFile(file, 'latin1').catch(() => '')
    for (const [, local = '', remote = '', queue = ''] of text.matchAll(
      /^ *\d+: \w+:(\w{4}) \w+:(\w{4}) \w\w (\w{8}):/gm,
    )) {
      const ports = `${Number.parseInt(local, 16)} ${Number.parseInt(remote, 16)}`
      queues.set(ports, `${queues.get(ports) ?? ''} ${queue}`)
    }
  }
  return queues
}

/**
 * Closes a connection with a reset. Otherwise the system keeps unsent data for minutes. TLS sockets
 * cannot be reset.
 */
function abandon(socket: Socket): void {
  if ('encrypted' in socket) socket.destroy()
  else socket.resetAndDestroy()
}

/** Closes connections whose peer has not read anything of a response for the limit. */
export function closeStalledResponses(
  server: Server,
  connected: 'connection' | 'secureConnection',
  limit = defaultStallLimit,
): void {
  const sockets = new Map<Socket, Seen>()
  server.on(connected, (socket: Socket) => {
    sockets.set(socket, { progress: '', since: 0 })
    socket.once('close', () => sockets.delete(socket))
  })

  async function sweep(): Promise<void> {
    const blocked = [...sockets].filter(([{ writableLength }, seen]) => {
      if (writableLength === 0) seen.progress = ''
      return writableLength > 0
    })
    if (blocked.length === 0) return
    const queues = await readSendQueues()
    const now = performance.now()
    for (const [socket, seen] of blocked) {
      const { bytesWritten, writableLength } = socket
      const progress = `${bytesWritten - writableLength} ${queues.get(portsOf(socket))}`
      if (progress !== seen.progress) Object.assign(seen, { progress, since: now })
      else if (now - seen.since >= limit) abandon(socket)
    }
  }

  let sweeping: Promise<void> | undefined
  const timer = setInterval(() => {
    sweeping ??= sweep().finally(() => {
      sweeping = undefined
    })
  }, limit / sweepsPerLimit).unref()
  server.on('close', () => clearInterval(timer))
}
