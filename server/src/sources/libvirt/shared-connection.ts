import { hash } from 'node:crypto'
import { once } from 'node:events'
import { abortedError } from '../../domain/sources/deadline.ts'
import type { SourceSettings, SourceContext } from '../../domain/sources/source.ts'
import { createCalls } from './calls.ts'
import { connect } from './connect.ts'
import { readHost } from './host.ts'
import { procedures } from './protocol.ts'
import { createDomainReader, type DomainReader } from './read-domains.ts'
import type { Host } from './host.ts'
import type { RpcClient } from './rpc-client.ts'

/** An open connection with the host's description. */
interface Connection {
  readonly client: RpcClient
  readonly host: Host
  readonly reader: DomainReader
}

interface BorrowedConnection extends Connection {
  /** The last user to release it closes it. */
  release(): Promise<void>
}

interface Entry {
  readonly opening: Promise<Connection>
  /** Aborts connecting when nobody waits any longer. */
  readonly ending: AbortController
  users: number
}

/** One connection per account, shared by scans, events and refreshes. */
const entries = new Map<string, Entry>()

async function openConnection(
  settings: SourceSettings,
  context: SourceContext,
  group: string,
  signal: AbortSignal,
): Promise<Connection> {
  const client = await connect(settings, context, signal)
  try {
    const host = await readHost(createCalls(client, signal, context.throttle))
    return { client, host, reader: createDomainReader(host, group, settings.address) }
  } catch (error) {
    client.close()
    throw error
  }
}

async function closeConnection({ client }: Connection): Promise<void> {
  if (!client.failure()) {
    await client
      .call({ procedure: procedures.connectClose, read: () => {} }, AbortSignal.timeout(1_000))
      .catch(() => {})
  }
  client.close()
}

/** Changed settings need another connection. The old one is closed by its last user. */
const keyOf = (accountId: string, settings: SourceSettings) =>
  `${accountId} ${hash('sha256', JSON.stringify([settings.address, settings.credentials, settings.options]))}`

async function whenAborted(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort')
  throw abortedError(signal, 'libvirt')
}

/** Returns the open connection of the account, or opens a new one. */
export async function acquireConnection(
  settings: SourceSettings,
  context: SourceContext,
  group: string,
  signal: AbortSignal,
): Promise<BorrowedConnection> {
  const key = context.accountId === undefined ? undefined : keyOf(context.accountId, settings)
  const entry = (key === undefined ? undefined : entries.get(key)) ?? begin()

  function begin(): Entry {
    const ending = new AbortController()
    const opening = openConnection(settings, context, group, ending.signal)
    const started: Entry = { opening, ending, users: 0 }
    if (key === undefined) return started
    entries.set(key, started)
    const forget = () => {
      if (entries.get(key) === started) entries.delete(key)
    }
    ending.signal.addEventListener('abort', forget)
    opening.then(({ client }) => client.whenLost(forget), forget)
    return started
  }

  async function release(): Promise<void> {
    entry.users -= 1
    if (entry.users > 0) return
    entry.ending.abort()
    await entry.opening.then(closeConnection, () => {})
  }

  entry.users += 1
  try {
    const connection = await Promise.race([entry.opening, whenAborted(signal)])
    let isReleased = false
    return {
      ...connection,
      async release() {
        if (isReleased) return
        isReleased = true
        await release()
      },
    }
  } catch (error) {
    await release()
    throw error
  }
}
