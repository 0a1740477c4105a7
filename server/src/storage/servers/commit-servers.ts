import type { ServerWrite, SightingChanges } from '../../domain/inventory/ports.ts'
import type { EventRecord } from '../../domain/audit/event.ts'
import type { Clock } from '../../domain/clock.ts'
import type { DatabaseReader, DatabaseWriter, Statement } from '../database.ts'
import { Violation } from '../violation.ts'
import { createInsertEvents } from '../event-store.ts'
import { causesOf } from '../history/change-statements.ts'
import { commitFenced, createSightingStatements } from './sightings.ts'
import { createWriteStatements } from './write-statements.ts'

const scopeIdsOf = ({ stored, server }: ServerWrite) =>
  [server, ...(stored ? [stored.server] : [])].flatMap(({ project_id, domain_id }) => [
    project_id,
    domain_id,
  ])

/**
 * Runs a commit that depends on what was read before. Returns false, without changes, if another commit was
 * first. Throws `LeaseLost` if a fence fails.
 */
export async function tryCommit(commit: () => Promise<unknown>): Promise<boolean> {
  try {
    await commitFenced(commit)
    return true
  } catch (error) {
    const isSuperseded =
      error instanceof Violation && (error.kind === 'precondition' || error.kind === 'unique')
    if (isSuperseded) return false
    throw error
  }
}

/** Writes servers, what an account sees, events and other statements in one commit. */
export function createCommitServers(database: DatabaseReader & DatabaseWriter, clock: Clock) {
  const { db } = database
  const insertEvents = createInsertEvents(database)
  const writeStatements = createWriteStatements(database)
  const sightingStatements = createSightingStatements(database)

  /** The account that holds a server is the one that deletes it in the end. */
  function moveInBin(writes: readonly ServerWrite[]): Statement[] {
    const moved = writes.filter(
      ({ stored, server }) =>
        server.pending_deleted && stored && stored.server.account_id !== server.account_id,
    )
    return moved.map(({ server }) =>
      db
        .updateTable('recycle_bin')
        .set({ account_id: server.account_id })
        .where('server_id', '=', server.id)
        .compile(),
    )
  }

  return async function commitServers(
    writes: readonly ServerWrite[],
    sightings: SightingChanges | undefined,
    events: readonly EventRecord[],
    given: readonly Statement[] = [],
  ): Promise<boolean> {
    const others = [...given, ...insertEvents(events)]
    const noted = sightings ? sightingStatements(sightings) : []
    if (writes.length === 0 && noted.length === 0) {
      return others.length === 0 || (await tryCommit(() => database.commit(others)))
    }
    if (writes.length === 0) {
      return await tryCommit(() => database.commitServers(others, new Set(), noted))
    }
    const { statements, serialized, onWritten } = await writeStatements(
      writes,
      causesOf(writes, events, sightings !== undefined),
      clock,
    )
    const scopeIds = new Set(writes.flatMap(scopeIdsOf))
    const isWritten = await tryCommit(() =>
      // Rows that other commits wait for come last.
      database.commitServers([...moveInBin(writes), ...others, ...statements], scopeIds, [
        ...serialized,
        ...noted,
      ]),
    )
    if (isWritten) onWritten()
    return isWritten
  }
}
