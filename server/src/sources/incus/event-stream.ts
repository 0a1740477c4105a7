import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { WebSocket } from 'undici'
import { connectionError } from '../../domain/sources/connection-error.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ConnectionSettings, SourceContext } from '../../domain/sources/source.ts'
import { parseJson, type Json } from '../shared/json.ts'
import type { DaemonAddress } from './address.ts'

const pings = 'undici:websocket:ping'
const pingInterval = 10_000
/** Daemons ping as soon as they deliver events. Old ones may not ping at all. */
const longestStart = 2_000

export interface EventStream {
  /** Why the stream ended; undefined while it is open. */
  failure(): SourceError | undefined
  close(): Promise<void>
}

interface Listener {
  onEvent(event: Json): void
  onFailure(): void
}

/** Opens the stream of lifecycle events. It resolves when no event is missed any more. */
export async function openEventStream(
  { url: base }: DaemonAddress,
  connection: ConnectionSettings,
  context: SourceContext,
  listener: Listener,
  signal: AbortSignal,
): Promise<EventStream> {
  const url = new URL('/1.0/events?type=lifecycle&all-projects=true', base)
  url.protocol = base.protocol === 'https:' ? 'wss:' : 'ws:'
  const target =
    connection.socketPath === undefined ? base.host : `The socket ${connection.socketPath}`
  await context.throttle()
  const dispatcher = await context.egress.createDispatcher(connection)
  const socket = new WebSocket(url, { dispatcher })
  let failure: SourceError | undefined
  let onReady = () => {}
  const ready = new Promise<void>((resolve) => (onReady = resolve))
  const fail = (error: SourceError) => {
    failure ??= error
    onReady()
    listener.onFailure()
  }
  const onSilence = () => fail(new SourceError('unreachable', `${target} stopped sending events.`))
  let silence: NodeJS.Timeout | undefined
  const restartSilence = () => {
    clearTimeout(silence)
    silence = setTimeout(onSilence, pingInterval + context.timeLimit)
  }
  const onPing = (message: unknown) => {
    if ((message as { websocket?: unknown }).websocket !== socket) return
    restartSilence()
    onReady()
  }

  socket.addEventListener('open', () => setTimeout(onReady, longestStart).unref())
  socket.addEventListener('message', ({ data }) => {
    try {
      listener.onEvent(parseJson(Buffer.from(String(data)), target))
    } catch (error) {
      fail(error as SourceError)
    }
  })
  socket.addEventListener('error', ({ error }) => {
    const cause: unknown = (error as Error | undefined)?.cause ?? error
    fail(connectionError(cause, target))
  })
  socket.addEventListener('close', () =>
    fail(new SourceError('unreachable', `${target} closed the stream of events.`)),
  )
  const onAbort = () => onReady()
  signal.addEventListener('abort', onAbort)
  subscribe(pings, onPing)
  const startLimit = setTimeout(
    () => fail(new SourceError('timeout', `${target} does not open the stream of events.`)),
    context.timeLimit,
  )

  async function close(): Promise<void> {
    clearTimeout(silence)
    unsubscribe(pings, onPing)
    signal.removeEventListener('abort', onAbort)
    await dispatcher.destroy()
  }

  await ready
  clearTimeout(startLimit)
  if (failure && !signal.aborted) {
    await close()
    throw failure
  }
  return { failure: () => failure, close }
}
