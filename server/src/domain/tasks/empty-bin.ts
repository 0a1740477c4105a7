import type { ServerWriter, StoredServer } from '../inventory/ports.ts'
import { settledStatus } from '../inventory/own-fields.ts'
import type { Account } from '../sources/account.ts'
import type { SightingStore } from '../sources/ports.ts'
import type { RunningAccount } from '../sources/run-account.ts'
import type { PlatformError } from '../error.ts'
import { timestamp } from '../timestamp.ts'
import { acceptedEvent, createTask, musterItself, showTask, writeServer } from './accept-task.ts'
import { decideAction } from './decide-action.ts'
import type { BinEntry, TaskStore } from './ports.ts'
import { renewedTime } from './finish-task.ts'
import { isFinished } from './task.ts'
import { nameOfStatus } from './shown-status.ts'
import type { LoadSituations } from './situations.ts'

interface Dependencies {
  readonly tasks: TaskStore
  readonly serverWriter: Pick<ServerWriter, 'findStored'>
  readonly sightings: Pick<SightingStore, 'of'>
  readonly loadSituations: LoadSituations
  /** How long servers stay in the recycle bin; 0 if there is none. */
  readonly recycleFor: number
  readonly clock: () => number
}

/** Scheduled deletions per account and minute. */
const maxPerMinute = 10
const minute = 60_000
/** Entries that are read at once. */
const maxEntries = 1_000

/** The result for an entry; a text is the reason why it stays. */
type Outcome = 'accepted' | 'done' | { readonly reason: string }

/** Accounts show this text to people, so it does not mention fields of the API. */
const explain = ({ values, message }: PlatformError): string =>
  values?.['protected_by'] === undefined ? message : 'It is protected against deletion.'

/**
 * Deletes servers whose time in the recycle bin has expired. It is careful, because no user confirms the
 * deletion. The account must be managed, and a complete scan by this process must have seen the server
 * stopped.
 */
export function createEmptyBin(dependencies: Dependencies) {
  const { tasks, serverWriter, sightings, loadSituations, recycleFor, clock } = dependencies
  const started = new Map<string, number[]>()
  /** The tasks that were accepted here, and why the last ones failed, by server. */
  const attempts = new Map<string, { readonly account: string; readonly taskId: string }>()
  const failures = new Map<string, { readonly account: string; name: string; reason: string }>()

  /** After the restore of a backup the retention starts again. */
  async function renew(stored: StoredServer, entry: BinEntry): Promise<void> {
    const now = clock()
    const until = now + renewedTime(recycleFor)
    const server = { ...stored.server, auto_delete_at: timestamp(until) }
    await tasks.write({
      writes: [writeServer(stored, server, now)],
      binned: { ...entry, auto_delete_at: until },
    })
  }

  async function acceptTask(
    account: Account,
    stored: StoredServer,
    entry: BinEntry,
  ): Promise<Outcome> {
    const { id } = stored
    const sighting = (await sightings.of(account.id, [id])).get(id)
    if (sighting?.missed !== 0) return { reason: 'The last complete scan did not find it.' }
    const status = settledStatus(stored.server)
    if (status !== 'ready') return { reason: `It is ${nameOfStatus(status)}.` }
    const situation = (await loadSituations([stored])).get(id)
    const params = {
      override_pending_delete: true,
      delete_disks: entry.delete_disks,
      delete_snapshots: entry.delete_snapshots,
      // The user who deleted the server has confirmed that.
      is_force: true,
    }
    const decision = situation && decideAction('delete', params, situation)
    if (decision?.kind !== 'act') {
      return { reason: decision?.kind === 'refused' ? explain(decision.error) : 'It is gone.' }
    }
    const task = createTask('delete', params, stored, musterItself, clock())
    const isAccepted = await tasks.accept({
      tasks: [task],
      writes: [showTask(stored, task)],
      events: [acceptedEvent(task)],
    })
    if (!isAccepted) return 'done'
    attempts.set(id, { account: account.id, taskId: task.id })
    return 'accepted'
  }

  /** Records why servers could not be deleted. Their deletion was postponed when the task ended. */
  async function reviewAttempts(account: Account): Promise<void> {
    for (const [id, { account: owner, taskId }] of attempts) {
      const task = owner === account.id ? await tasks.find(taskId) : undefined
      if (!task || !isFinished(task)) continue
      attempts.delete(id)
      failures.delete(id)
      const isLeft = task.status !== 'succeeded' && (await tasks.binEntry(id)) !== undefined
      if (isLeft) failures.set(id, { account: owner, name: task.server, reason: task.error })
    }
  }

  /** Returns how many tasks were accepted. */
  return async function emptyBin(
    account: Account,
    running: Pick<RunningAccount, 'hasScanned' | 'warnRecycled'>,
  ): Promise<number> {
    const now = clock()
    const recent = (started.get(account.id) ?? []).filter((time) => time > now - minute)
    started.set(account.id, recent)
    await reviewAttempts(account)
    const staying: { name: string; reason: string }[] = [...failures.values()].filter(
      ({ account: owner }) => owner === account.id,
    )
    let accepted = 0
    for (const entry of await tasks.dueEntries(account.id, maxEntries)) {
      const id = entry.server_id
      const stored = (await serverWriter.findStored([id])).get(id)
      const isInBin = stored?.server.pending_deleted === true && !stored.server.deleted
      const isRestored = entry.auto_delete_at === 0
      const isUnchanged =
        isRestored || stored?.server.auto_delete_at === timestamp(entry.auto_delete_at)
      if (!stored || !isInBin || !isUnchanged) {
        await tasks.write({ unbinned: [id] })
        continue
      }
      if (isRestored) {
        await renew(stored, entry)
        continue
      }
      // Tried again later.
      if (!running.hasScanned(stored.server.region_ext_id) || recent.length >= maxPerMinute)
        continue
      const outcome: Outcome =
        account.access === 'manage'
          ? await acceptTask(account, stored, entry)
          : { reason: 'The cloud account is attached to observe only.' }
      if (outcome === 'accepted') {
        recent.push(now)
        accepted += 1
      } else if (typeof outcome === 'object') {
        staying.push({ name: stored.server.name, reason: outcome.reason })
      }
    }
    await running.warnRecycled(staying)
    return accepted
  }
}
export type EmptyBin = ReturnType<typeof createEmptyBin>
