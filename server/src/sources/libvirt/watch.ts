import type { SourceUpdate } from '../../domain/sources/source.ts'
import { unreadableServer } from '../../domain/sources/unreadable-server.ts'
import { ChangedItems } from '../shared/changed-items.ts'
import type { Calls } from './calls.ts'
import { ifPossible } from './tolerated-errors.ts'
import { readHostResources } from './host-resources.ts'
import { domainEvents, longestList, procedures } from './protocol.ts'
import { toUpdate, type DomainReader, type ReadDomain } from './read-domains.ts'
import { LibvirtError, readDomainHandle, type DomainHandle } from './records.ts'
import type { RpcClient } from './rpc-client.ts'
import { keyOf } from './to-server.ts'

const eventProcedures = new Set<number>(
  Object.values(domainEvents).map(({ procedure }) => procedure),
)

/** Milliseconds until further reads of a domain that the daemon fails to read. */
const readDelays = [1_000, 4_000, 16_000]

/** Subscribes to the events. Only the first type is required. */
async function subscribe(client: RpcClient, signal: AbortSignal): Promise<void> {
  const subscribeTo = (id: number) =>
    client.call(
      {
        procedure: procedures.domainEventRegister,
        // For all domains.
        write: (writer) => writer.int(id).uint(0),
        read: (reader) => reader.int(),
      },
      signal,
    )
  const { lifecycle, ...others } = domainEvents
  await Promise.all([
    subscribeTo(lifecycle.id),
    ...Object.values(others).map(({ id }) => ifPossible(subscribeTo(id))),
  ])
}

const subscribed = new WeakMap<RpcClient, Promise<void>>()

/** Once per connection: a second subscription would duplicate every event. */
async function register(client: RpcClient, signal: AbortSignal): Promise<void> {
  const known = subscribed.get(client) ?? subscribe(client, signal)
  subscribed.set(client, known)
  try {
    await known
  } catch (error) {
    subscribed.delete(client)
    throw error
  }
}

interface Watch {
  readonly client: RpcClient
  readonly reader: DomainReader
  readonly calls: Calls
  /** Milliseconds of silence after which the connection is probed. */
  readonly heartbeat: number
}

/** Yields each domain that had an event, in its current state. */
export async function* watchDomains(
  { client, reader, calls, heartbeat }: Watch,
  signal: AbortSignal,
): AsyncGenerator<SourceUpdate> {
  /** Names of changed domains by UUID. */
  const changed = new ChangedItems<string>(longestList)
  /** Reads that failed, and the timer of the next one, by UUID. */
  const again = new Map<string, { readonly reads: number; readonly timer: NodeJS.Timeout }>()
  const unlisten = client.listen((procedure, message) => {
    if (!eventProcedures.has(procedure)) return
    message.int()
    const { uuid, name } = readDomainHandle(message)
    changed.add(uuid, name)
  })
  const unmourn = client.whenLost(() => changed.wake())

  /** The domain, or the error if libvirt cannot read it. */
  async function find(uuid: string, name: string): Promise<DomainHandle | ReadDomain> {
    const domain = { uuid, name }
    try {
      return (await calls.domainByUuid(uuid)) ?? { domain, server: undefined }
    } catch (error) {
      await calls.requireConnection(error)
      const isFailing = error instanceof LibvirtError
      const server = isFailing ? error : unreadableServer(keyOf(reader.group, uuid), name, error)
      return { domain, server }
    }
  }

  /** A daemon that fails says nothing about a domain. The next scan shows those that still fail then. */
  function readAgain({ uuid, name }: ReadDomain['domain'], isFailing: boolean): void {
    const { reads = 0 } = again.get(uuid) ?? {}
    const delay = isFailing ? readDelays[reads] : undefined
    again.delete(uuid)
    if (delay === undefined) return
    const timer = setTimeout(() => changed.add(uuid, name), delay)
    again.set(uuid, { reads: reads + 1, timer })
  }

  async function look(domains: readonly (readonly [string, string])[]): Promise<SourceUpdate> {
    const [hostResources, found] = await Promise.all([
      readHostResources(calls),
      Promise.all(domains.map(([uuid, name]) => find(uuid, name))),
    ])
    const there = found.filter((one) => 'id' in one)
    const read = await reader.begin(calls)(there, hostResources, calls.isTransient)
    const all = [...read, ...found.filter((one) => 'server' in one)]
    for (const { domain, server } of all) readAgain(domain, server instanceof LibvirtError)
    const gone = all.filter(({ server }) => server === undefined)
    return { ...toUpdate(all), gone: gone.map(({ domain }) => keyOf(reader.group, domain.uuid)) }
  }

  try {
    await register(client, signal)
    yield { present: [], gone: [] }
    for (;;) {
      const domains = await changed.take(signal, heartbeat)
      if (signal.aborted) return
      const failure = client.failure()
      if (failure) throw failure
      if (domains.length > 0) yield await look(domains)
      else await calls.libraryVersion()
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    for (const { timer } of again.values()) clearTimeout(timer)
    unmourn()
    unlisten()
  }
}
