import { setTimeout as pause } from 'node:timers/promises'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ReportedServer, SourceUpdate } from '../../domain/sources/source.ts'
import type { Connection } from './connection.ts'
import { changedPaths } from './event.ts'
import type { EventStream } from './event-stream.ts'
import type { Json } from '../shared/json.ts'
import { listInstances, listProjects } from './list-instances.ts'
import { readChanges } from './read-changes.ts'

/** Events of one action within this time are combined. */
const burst = 50
const maxAtOnce = 64
const maxWaiting = 100_000
/** A guest gets its address by DHCP after its start, and no event tells it. Milliseconds between reads. */
const addressDelays = [1_000, 2_000, 4_000, 8_000, 16_000]

type OpenStream = (listener: {
  onEvent(event: Json): void
  onFailure(): void
}) => Promise<EventStream>

const lacksAddress = ({ facts }: ReportedServer) =>
  facts.status === 'running' &&
  (facts.nics ?? []).some(({ ip_addr, ip6_addr }) => ip_addr === '' && ip6_addr === '')

const pathOf = ({ tenant, facts }: ReportedServer) => `${tenant?.id}/${facts.name}`

/** Yields each instance that had an event, in its current state. */
export async function* watchInstances(
  connection: Connection,
  openStream: OpenStream,
  signal: AbortSignal,
): AsyncGenerator<SourceUpdate> {
  const changed = new Set<string>()
  /** How often an instance was read to find its address. */
  const addressReads = new Map<string, number>()
  const timers = new Set<NodeJS.Timeout>()
  let wake = () => {}
  const change = (path: string) => {
    changed.add(path)
    wake()
  }
  const onEvent = (event: Json) => {
    for (const path of changedPaths(event)) {
      addressReads.delete(path)
      change(path)
    }
    if (changed.size > maxWaiting) {
      throw new SourceError('invalid-response', 'The daemon reports too many events.')
    }
  }
  const stream = await openStream({ onEvent, onFailure: () => wake() })
  const onAbort = () => wake()
  signal.addEventListener('abort', onAbort)

  const somethingHappens = () =>
    new Promise<void>((resolve) => {
      wake = resolve
      if (changed.size > 0 || signal.aborted || stream.failure()) wake()
    })

  function readAddressLater(server: ReportedServer): void {
    const path = pathOf(server)
    const reads = addressReads.get(path) ?? 0
    const delay = addressDelays[reads]
    if (!lacksAddress(server) || delay === undefined) {
      addressReads.delete(path)
      return
    }
    addressReads.set(path, reads + 1)
    const timer = setTimeout(() => {
      timers.delete(timer)
      change(path)
    }, delay)
    timers.add(timer)
  }

  try {
    if (connection.memory.index.isEmpty) {
      // Without the UUIDs, a deleted instance could not be told.
      await listInstances(connection, await listProjects(connection))
    }
    yield { present: [], gone: [] }
    for (;;) {
      await somethingHappens()
      if (signal.aborted) return
      const failure = stream.failure()
      if (failure) throw failure
      await pause(burst, undefined, { signal })
      const paths = [...changed].slice(0, maxAtOnce)
      for (const path of paths) changed.delete(path)
      const update = await readChanges(connection, paths)
      for (const server of update.present) readAddressLater(server)
      yield update
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    for (const timer of timers) clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    await stream.close()
  }
}
