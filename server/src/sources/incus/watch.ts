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
/**
 * Milliseconds until further reads after an event. Some events come before the change is complete. A
 * guest gets its address by DHCP after its start, and no event tells it.
 */
const readDelays = [1_000, 2_000, 4_000, 8_000, 16_000]

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
  /** Reads after the last event, and the timer of the next one, by path. */
  const again = new Map<string, { readonly reads: number; readonly timer: NodeJS.Timeout }>()
  const forget = (path: string) => {
    clearTimeout(again.get(path)?.timer)
    again.delete(path)
  }
  let wake = () => {}
  const change = (path: string) => {
    changed.add(path)
    wake()
  }
  const onEvent = (event: Json) => {
    for (const path of changedPaths(event)) {
      forget(path)
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

  function readAgainLater(server: ReportedServer): void {
    const path = pathOf(server)
    const reads = again.get(path)?.reads ?? 0
    const delay = readDelays[reads]
    forget(path)
    if (delay === undefined || (reads > 0 && !lacksAddress(server))) return
    again.set(path, { reads: reads + 1, timer: setTimeout(() => change(path), delay) })
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
      for (const server of update.present) readAgainLater(server)
      yield update
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    for (const { timer } of again.values()) clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
    await stream.close()
  }
}
