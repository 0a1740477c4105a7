import { setTimeout as pause } from 'node:timers/promises'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { SourceNews } from '../../domain/sources/source.ts'
import { createCalls, ifPossible } from './calls.ts'
import { domainEvents, longestList, procedures } from './protocol.ts'
import type { DomainReader } from './read-domains.ts'
import { readDomainHandle } from './records.ts'
import type { RpcClient } from './rpc-client.ts'
import { readSurroundings } from './surroundings.ts'
import { keyOf } from './to-server.ts'

/** Milliseconds in which the events of one action come together. */
const burst = 50
const mostAtOnce = 64

const eventProcedures = new Set<number>(
  Object.values(domainEvents).map(({ procedure }) => procedure),
)

/** Asks for the events. Only the first has to be had. They end with the line: nothing takes that back. */
async function register(client: RpcClient, signal: AbortSignal): Promise<void> {
  const ask = (id: number) =>
    client.call(
      {
        procedure: procedures.domainEventRegister,
        // Of all domains.
        write: (writer) => writer.int(id).uint(0),
        read: (reader) => reader.int(),
      },
      signal,
    )
  const { lifecycle, ...others } = domainEvents
  await Promise.all([
    ask(lifecycle.id),
    ...Object.values(others).map(({ id }) => ifPossible(ask(id))),
  ])
}

interface Watch {
  readonly client: RpcClient
  readonly reader: DomainReader
  readonly group: string
  /** Milliseconds after which a silent line is asked whether it still stands. */
  readonly heartbeat: number
}

/** Tells of each domain that something happened to, as it is then. */
export async function* watchDomains(
  { client, reader, group, heartbeat }: Watch,
  signal: AbortSignal,
): AsyncGenerator<SourceNews> {
  const calls = createCalls(client, signal)
  const changed = new Set<string>()
  let wake = () => {}
  const unlisten = client.listen((procedure, message) => {
    if (!eventProcedures.has(procedure)) return
    message.int()
    changed.add(readDomainHandle(message).uuid)
    if (changed.size > longestList) {
      throw new SourceError('garbled', 'It tells of more domains than it can have.')
    }
    wake()
  })
  const unmourn = client.whenLost(() => wake())
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)

  const somethingHappens = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, heartbeat)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (changed.size > 0 || signal.aborted || client.trouble()) wake()
    })

  async function look(uuids: readonly string[]): Promise<SourceNews> {
    const [surroundings, there] = await Promise.all([
      readSurroundings(calls),
      Promise.all(uuids.map((uuid) => calls.domainByUuid(uuid))),
    ])
    const domains = there.filter((domain) => domain !== undefined)
    const persistent = await Promise.all(domains.map((domain) => calls.isPersistent(domain)))
    const transient = new Set(domains.filter((_, index) => persistent[index] === false))
    const read = reader.begin(calls)
    const found = await read(domains, surroundings, (one) => transient.has(one))
    const present = found.flatMap(({ server }) => (server ? [server] : []))
    const known = new Set(present.map(({ facts }) => facts.external_id))
    const gone = uuids.filter((uuid) => !known.has(uuid)).map((uuid) => keyOf(group, uuid))
    return { present, gone }
  }

  try {
    await register(client, signal)
    yield { present: [], gone: [] }
    for (;;) {
      await somethingHappens()
      if (signal.aborted) return
      const trouble = client.trouble()
      if (trouble) throw trouble
      if (changed.size === 0) {
        await calls.libraryVersion()
        continue
      }
      await pause(burst, undefined, { signal })
      const uuids = [...changed].slice(0, mostAtOnce)
      for (const uuid of uuids) changed.delete(uuid)
      yield await look(uuids)
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', onAbort)
    unmourn()
    unlisten()
  }
}
