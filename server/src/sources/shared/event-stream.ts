import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { WebSocket } from 'undici'
import { connectionError } from '../../domain/sources/connection-error.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ConnectionSettings, SourceContext } from '../../domain/sources/source.ts'
import { parseJson, type Json } from './json.ts'

const pings = 'undici:websocket:ping'
/** The source may ping as soon as it delivers events, or not at all at the start. Milliseconds. */
const longestStart = 2_000

export interface EventStream {
  /** Why the stream ended; undefined while it is open. */
  failure(): SourceError | undefined
  close(): Promise<void>
}

interface EventAddress {
  /** Begins with ws: or wss:. */
  readonly url: URL
  readonly connection: ConnectionSettings
  readonly context: SourceContext
  /** How often the source pings, in milliseconds. Without pings for longer, the stream counts as lost. */
  readonly pingInterval: number
}

interface Listener {
  onEvent(event: Json): void
  onFailure(): void
}

/** Opens a WebSocket that delivers events as JSON. It resolves when no event is missed any more. */
export async function openEventStream(
  { url, connection, context, pingInterval }: EventAddress,
  listener: Listener,
  signal: AbortSignal,
): Promise<EventStream> {
  const target =
    connection.socketPath === undefined ? url.host : `The socket ${connection.socketPath}`
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
      listener.onEvent(parseJson(Buffer.from(String(data)), target, 'send events'))
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
