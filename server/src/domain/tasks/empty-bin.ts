import type { ServerWriter } from '../inventory/ports.ts'
import { settledStatus } from '../inventory/own-fields.ts'
import type { Account } from '../sources/account.ts'
import type { SightingStore } from '../sources/ports.ts'
import type { RunningAccount } from '../sources/run-account.ts'
import { timestamp } from '../timestamp.ts'
import { acceptedEvent, createTask, musterItself, showTask } from './accept-task.ts'
import { decideAction } from './decide-action.ts'
import type { BinEntry, TaskStore } from './ports.ts'
import type { LoadSituations } from './situations.ts'

interface Dependencies {
  readonly tasks: TaskStore
  readonly serverWriter: Pick<ServerWriter, 'findStored'>
  readonly sightings: Pick<SightingStore, 'of'>
  readonly loadSituations: LoadSituations
  readonly clock: () => number
}

/** Deletions by time, per account and minute. */
const maxPerMinute = 10
const minute = 60_000
/** Entries that are looked at together. */
const maxEntries = 100

/**
 * Deletes servers whose time in the recycle bin is over. It is careful: nobody is there to ask. The account
 * must be managed, and a complete scan by this process must have seen the server stopped.
 */
export function createEmptyBin(dependencies: Dependencies) {
  const { tasks, serverWriter, sightings, loadSituations, clock } = dependencies
  const started = new Map<string, number[]>()

  /** Whether a task was accepted. */
  async function deleteEntry(account: Account, entry: BinEntry): Promise<boolean> {
    const id = entry.server_id
    const stored = (await serverWriter.findStored([id])).get(id)
    const isUnchanged =
      stored?.server.pending_deleted === true &&
      !stored.server.deleted &&
      stored.server.auto_delete_at === timestamp(entry.auto_delete_at)
    if (!stored || !isUnchanged) {
      await tasks.write({ unbinned: id })
      return false
    }
    const sighting = (await sightings.of(account.id, [id])).get(id)
    const isSeenStopped = sighting?.missed === 0 && settledStatus(stored.server) === 'ready'
    if (!isSeenStopped) return false
    const situation = (await loadSituations([stored])).get(id)
    const params = {
      override_pending_delete: true,
      delete_disks: entry.delete_disks,
      delete_snapshots: entry.delete_snapshots,
      // Whoever deleted it has confirmed that.
      is_force: true,
    }
    if (!situation || decideAction('delete', params, situation).kind !== 'act') return false
    const task = createTask('delete', params, stored, musterItself, clock())
    return await tasks.accept({
      tasks: [task],
      writes: [showTask(stored, task)],
      events: [acceptedEvent(task)],
    })
  }

  /** Returns how many tasks were accepted. */
  return async function emptyBin(
    account: Account,
    running: Pick<RunningAccount, 'hasScanned'>,
  ): Promise<number> {
    if (!running.hasScanned()) return 0
    const now = clock()
    const recent = (started.get(account.id) ?? []).filter((time) => time > now - minute)
    started.set(account.id, recent)
    if (recent.length >= maxPerMinute) return 0
    const due = await tasks.dueEntries(account.id, maxEntries)
    let accepted = 0
    for (const entry of due) {
      if (recent.length >= maxPerMinute) break
      if (await deleteEntry(account, entry)) {
        recent.push(now)
        accepted += 1
      }
    }
    return accepted
  }
}
export type EmptyBin = ReturnType<typeof createEmptyBin>
