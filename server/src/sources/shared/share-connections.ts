import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { digestOfSettings } from './setting-values.ts'
import { unlessAborted } from './unless-aborted.ts'

interface Entry<Connection> {
  readonly opening: Promise<Connection>
  /** Aborts connecting when nobody waits any longer. */
  readonly ending: AbortController
  users: number
}

interface Borrowed<Connection> {
  readonly connection: Connection
  /** The last user to release the connection closes it. */
  release(): Promise<void>
}

interface Sharing<Connection> {
  /** What is connected to, for errors. */
  readonly target: string
  open(settings: SourceSettings, context: SourceContext, signal: AbortSignal): Promise<Connection>
  close(connection: Connection): Promise<void>
  /** Calls back when the connection is lost, so that the next user opens another one. */
  whenLost?(connection: Connection, forget: () => void): void
}

/** Changed settings need another connection. The old one is closed by its last user. */
const keyOf = (accountId: string, settings: SourceSettings) =>
  `${accountId} ${digestOfSettings(settings)}`

/** One connection per account, shared by scans, events and single reads. */
export function shareConnections<Connection>(sharing: Sharing<Connection>) {
  const { target, open, close, whenLost } = sharing
  const entries = new Map<string, Entry<Connection>>()

  return async function acquire(
    settings: SourceSettings,
    context: SourceContext,
    signal: AbortSignal,
  ): Promise<Borrowed<Connection>> {
    const { accountId } = context
    // Settings that are only tested belong to no account.
    const key = accountId === undefined ? undefined : keyOf(accountId, settings)
    const entry = (key === undefined ? undefined : entries.get(key)) ?? begin()

    function begin(): Entry<Connection> {
      const ending = new AbortController()
      const opening = open(settings, context, ending.signal)
      const started = { opening, ending, users: 0 }
      if (key === undefined) return started
      entries.set(key, started)
      const forget = () => {
        if (entries.get(key) === started) entries.delete(key)
      }
      ending.signal.addEventListener('abort', forget)
      opening.then((connection) => whenLost?.(connection, forget), forget)
      return started
    }

    let isReleased = false
    async function release(): Promise<void> {
      if (isReleased) return
      isReleased = true
      entry.users -= 1
      if (entry.users > 0) return
      entry.ending.abort()
      await entry.opening.then(close, () => {})
    }

    entry.users += 1
    try {
      const connection = await unlessAborted(entry.opening, target, signal)
      return { connection, release }
    } catch (error) {
      await release()
      throw error
    }
  }
}
