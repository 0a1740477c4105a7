import type { ReportedServer, SourceUpdate } from '../../domain/sources/source.ts'
import { ChangedItems } from '../shared/changed-items.ts'
import type { EventStream } from '../shared/event-stream.ts'
import type { Json } from '../shared/json.ts'
import type { Connection } from './connection.ts'
import { changedPaths } from './event.ts'
import { listInstances, listProjects } from './list-instances.ts'
import { readChanges } from './read-changes.ts'

const maxWaiting = 100_000
/**
 * Milliseconds until further reads after an event. Some events come before the change is complete. A guest
 * gets its address by DHCP after its start, without an event.
 */
const readDelays = [1_000, 2_000, 4_000, 8_000, 16_000]

type OpenStream = (listener: {
  onEvent(event: Json): void
  onFailure(): void
}) => Promise<EventStream>

const lacksAddress = ({ facts, unread = [] }: ReportedServer) =>
  unread.includes('nics') ||
  (facts.status === 'running' &&
    (facts.nics ?? []).some(({ ip_addr, ip6_addr }) => ip_addr === '' && ip6_addr === ''))

const pathOf = ({ tenant, facts }: ReportedServer) => `${tenant?.id}/${facts.name}`

/** Yields each instance that had an event, in its current state. */
export async function* watchInstances(
  connection: Connection,
  openStream: OpenStream,
  signal: AbortSignal,
): AsyncGenerator<SourceUpdate> {
  const changed = new ChangedItems<string>(maxWaiting)
  /** Reads after the last event, and the timer of the next one, by path. */
  const again = new Map<string, { readonly reads: number; readonly timer: NodeJS.Timeout }>()
  const forget = (path: string) => {
    clearTimeout(again.get(path)?.timer)
    again.delete(path)
  }
  const onEvent = (event: Json) => {
    for (const path of changedPaths(event)) {
      forget(path)
      changed.add(path, path)
    }
  }
  const stream = await openStream({ onEvent, onFailure: () => changed.wake() })

  function readAgainLater(path: string, isIncomplete: boolean): void {
    const reads = again.get(path)?.reads ?? 0
    const delay = readDelays[reads]
    forget(path)
    if (delay === undefined || (reads > 0 && !isIncomplete)) return
    again.set(path, { reads: reads + 1, timer: setTimeout(() => changed.add(path, path), delay) })
  }

  try {
    if (connection.memory.index.isEmpty) {
      // Without the UUIDs, a deleted instance could not be identified.
      await listInstances(connection, await listProjects(connection))
    }
    yield { present: [], gone: [] }
    for (;;) {
      const paths = await changed.take(signal)
      if (signal.aborted) return
      const failure = stream.failure()
      if (failure) throw failure
      const update = await readChanges(
        connection,
        paths.map(([path]) => path),
        // The next scan shows those that still fail then.
        (path) => readAgainLater(path, true),
      )
      for (const server of update.present) readAgainLater(pathOf(server), lacksAddress(server))
      yield update
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    for (const { timer } of again.values()) clearTimeout(timer)
    await stream.close()
  }
}
