import type { Socket } from 'node:net'
import { promisify } from 'node:util'
import { DeliveryError, type EventSink } from '../domain/audit/event-sink.ts'
import { connectionError } from '../domain/sources/connection-error.ts'
import { abortedError, deadline } from '../domain/sources/deadline.ts'
import type { Egress } from '../domain/sources/source.ts'
import type { EventRecord } from '../domain/audit/event.ts'
import { renderEvent } from '../domain/audit/render-event.ts'

/** Facility 13 (log audit), with the severity of the result: warning or informational. */
const priority = (event: EventRecord) => 13 * 8 + (event.result === 'success' ? 6 : 4)

/** Printable ASCII without spaces, as RFC 5424 requires for names; `-` if empty. */
const name = (text: string, maxLength: number) =>
  text.replaceAll(/[^\x21-\x7e]/g, '_').slice(0, maxLength) || '-'

/** A parameter of the structured data. Control characters could end a line in the receiver's log. */
function parameter(key: string, text: string): string {
  const plain = text.toWellFormed().replaceAll(/[\p{Cc}\u2028\u2029]/gu, ' ')
  return ` ${key}="${plain.replaceAll(/["\\\]]/g, String.raw`\$&`)}"`
}

/**
 * An event in the format of RFC 5424, with the whole event as JSON in the message. 32473 is the enterprise
 * number for examples: Muster has none of its own.
 */
function renderSyslogMessage(event: EventRecord, hostname: string): string {
  const { time, ...rest } = renderEvent(event)
  const data = (['id', 'action', 'target_type', 'target_id', 'user', 'ip', 'result'] as const)
    .map((key) => parameter(key, rest[key]))
    .join('')
  const head = `<${priority(event)}>1 ${time} ${name(hostname, 255)} muster - ${name(event.action, 32)}`
  const json = JSON.stringify({ time, ...rest }).replaceAll(/[\u007f-\u009f\u2028\u2029]/g, escape)
  return `${head} [muster@32473${data}] ${json}`
}

const escape = (found: string) => String.raw`\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`

export interface SyslogOptions {
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
  readonly ca: string | undefined
  /** The name of this machine. */
  readonly hostname: string
  /** Milliseconds to connect and to write. */
  readonly timeLimit?: number
}

const keepAliveDelay = 30_000

/**
 * Writes events to a syslog server, over one connection, with the length before each message
 * (RFC 6587, RFC 5425). Syslog has no acknowledgement: an event counts as delivered when it was written.
 */
export function createSyslogSink(egress: Egress, options: SyslogOptions): EventSink {
  const { host, port, isSecure, ca, hostname, timeLimit = 15_000 } = options
  const target = `${host}:${port}`
  let current: Socket | undefined

  async function connect(signal: AbortSignal): Promise<Socket> {
    const socket = isSecure
      ? await egress.openTlsSocket({ host, port }, ca === undefined ? {} : { ca }, signal)
      : await egress.openTcpSocket({ host, port }, signal)
    socket.setKeepAlive(true, keepAliveDelay)
    // The server sends nothing. Reading notices that it closes the connection.
    socket.resume()
    socket.on('end', () => socket.destroy())
    socket.on('error', () => socket.destroy())
    socket.on('close', () => {
      if (current === socket) current = undefined
    })
    return socket
  }

  async function write(socket: Socket, text: string, signal: AbortSignal): Promise<void> {
    const destroy = () => socket.destroy()
    signal.addEventListener('abort', destroy)
    try {
      await promisify<string, void>((data, done) => socket.write(data, done))(text)
    } finally {
      signal.removeEventListener('abort', destroy)
    }
  }

  return {
    name: 'syslog',
    async send(event, stopping) {
      const signal = AbortSignal.any([stopping, deadline(timeLimit)])
      const message = renderSyslogMessage(event, hostname)
      try {
        current ??= await connect(signal)
        await write(current, `${Buffer.byteLength(message)} ${message}`, signal)
        return 0
      } catch (error) {
        current?.destroy()
        current = undefined
        const failure = signal.aborted
          ? abortedError(signal, target)
          : connectionError(error, target)
        throw new DeliveryError(failure.message)
      }
    },
    close() {
      current?.end()
    },
  }
}
