import { isUnavailable, PlatformError } from '../error.ts'
import type { SyncCounts, SyncRecord, SyncRun } from './account.ts'
import type { AccountRun } from './account-run.ts'
import {
  beginScan,
  completeScan,
  failScan,
  isPartSilent,
  postponeScan,
  sourceAnswered,
  sourceClosed,
  startStored,
} from './account-state.ts'
import type { DescribeSpan } from '../tracer.ts'
import { errorFieldOf, explainError } from './explain-error.ts'
import { LeaseLost } from './lease-lost.ts'
import { observe, type Observation } from './observation.ts'
import type { ScanResult } from './scan-counts.ts'
import { scanAccount, type Scanned } from './scan-account.ts'
import { SourceError } from './source-error.ts'
import { unreadableById } from './warning-texts.ts'

const second = 1_000
const progressInterval = second
const progressLogInterval = 5 * second
const longestScan = 3_600 * second

/** Stores and logs the progress of a scan at intervals. */
function createProgress({ clock, log, logFields, apply, save }: AccountRun) {
  let savedAt = clock()
  let loggedAt = clock()
  let saving: Promise<void> = Promise.resolve()
  let latest: SyncCounts = { seen: 0, created: 0, changed: 0, gone: 0 }
  return {
    latest: () => latest,
    /** Await it before the end of the scan is stored. */
    saved: () => saving,
    report(counts: SyncCounts): void {
      latest = counts
      if (clock() - savedAt < progressInterval) return
      savedAt = clock()
      if (clock() - loggedAt >= progressLogInterval) {
        loggedAt = clock()
        log.info({ ...logFields, ...counts }, 'syncing')
      }
      apply((state) => sourceAnswered(state, clock()))
      saving = save(counts).catch(() => {})
    },
  }
}

interface Ended {
  readonly start: number
  readonly result: SyncRun['result']
  /** What the sync has found, also if it did not complete. */
  readonly counts: SyncCounts
  readonly observation?: Observation | undefined
}

/** One sync of an account: stores the start, scans the source, and stores the result. */
export function createSyncOnce(run: AccountRun, signal: AbortSignal) {
  const { account, logFields, warnings, scanConflicts, sightings, clock, log } = run
  const { apply, save, timing } = run
  const findDuplicates = run.findDuplicates(
    account,
    run.sync.warnings.some(({ kind }) => kind === 'duplicate'),
  )

  /** One line at the start of an outage, and one at its end. */
  let outage: string | undefined
  function logFailure(reason: string, fields: object, message: string): void {
    if (reason !== outage) log.warn({ ...logFields, reason, ...fields }, message)
    outage = reason
  }

  let failedAt = run.sync.failing_since
  /** When the first of the failures began, of which this sync is the last. */
  const failingSince = (start: number): number => (failedAt ??= start)

  async function saveEnd(
    { start, result, counts, observation }: Ended,
    changes: Partial<SyncRecord> & Pick<SyncRecord, 'error'>,
  ): Promise<void> {
    const now = clock()
    await save(
      { ...changes, is_running: false },
      {
        run: {
          ...counts,
          started_at: start,
          finished_at: now,
          duration_ms: now - start,
          result,
          error: changes.error,
        },
        observation,
      },
    )
    if (changes.failing_since === null) failedAt = null
  }

  async function scan(
    confirmedUntil: number,
    onProgress: (counts: SyncCounts) => void,
  ): Promise<Scanned> {
    const source = await run.openSource.openAccount(account, signal)
    const endScan = scanConflicts.begin()
    try {
      return await scanAccount({
        source,
        recorder: scanConflicts.guard(await run.openRecorder()),
        known: await sightings.of(account.id),
        writePermits: run.writePermits,
        signal: AbortSignal.any([signal, AbortSignal.timeout(longestScan)]),
        isSuperseded: scanConflicts.has,
        onProgress,
        locationsOf: sightings.locationsOf,
        clock,
        hold: run.hold,
        confirmedUntil,
        isAfterFailure: run.state().isAfterFailure,
        isSilent: (part) => isPartSilent(run.state(), part, timing()),
      })
    } finally {
      endScan()
      apply(sourceClosed)
      await source.close().catch(() => {})
    }
  }

  async function saveStart(start: number): Promise<void> {
    apply(beginScan)
    await save({
      is_running: true,
      started_at: start,
      // The scan stays due until it is complete, so that another process repeats it after a crash.
      next_at: start,
      seen: 0,
      created: 0,
      changed: 0,
      gone: 0,
    })
    apply((state) => startStored(state, clock()))
  }

  async function saveComplete(
    scanned: Scanned,
    { start, confirmedUntil }: { readonly start: number; readonly confirmedUntil: number },
  ): Promise<void> {
    const duplicates = await findDuplicates(start)
    const shared = await run.findShared(account)
    const { counts, failures, nextAt, answeredAt, isUnreachable } = apply((state) =>
      completeScan(state, scanned, timing()),
    )
    const unreadable = unreadableById(scanned.unreadable)
    warnings.replace({ ...scanned, unreadable, duplicates, shared }, clock())
    const now = clock()
    const duration = now - start
    if (outage !== undefined) log.info(logFields, 'sync works again')
    outage = undefined
    const changes = {
      ...counts,
      finished_at: now,
      duration_ms: duration,
      error: '',
      error_field: '' as const,
      failing_since: scanned.failed.length > 0 ? failingSince(start) : null,
      // A confirmation during the scan applies to the next one. One about a failed region waits until the
      // region is read.
      ...(confirmedUntil > 0 && scanned.unreadServers === 0 && { confirmed_gone: 0 }),
      warnings: warnings.current(),
      failures,
      next_at: nextAt,
      answered_at: answeredAt,
      is_unreachable: isUnreachable,
    }
    const observation = observe(scanned.failed, { now, duration, period: timing().period })
    await saveEnd({ start, result: 'complete', counts, observation }, changes)
    const hasChanges = counts.created + counts.changed + counts.gone > 0
    log[hasChanges ? 'info' : 'debug']({ ...logFields, ...counts, duration_ms: duration }, 'synced')
  }

  async function saveFailed(error: unknown, start: number, seen: SyncCounts): Promise<void> {
    const { counts, failures, nextAt } = apply((state) => failScan(state, error, timing()))
    warnings.fail()
    const reason = explainError(error)
    const isBug = !(error instanceof SourceError || error instanceof PlatformError)
    logFailure(reason, { failures, ...(isBug && { err: error }) }, 'sync failed')
    await saveEnd(
      { start, result: 'failed', counts: seen },
      {
        ...counts,
        error: reason,
        error_field: errorFieldOf(error),
        failing_since: failingSince(start),
        warnings: warnings.current(),
        failures,
        next_at: nextAt,
      },
    )
  }

  async function savePostponed(
    { message, cause }: PlatformError,
    start: number,
    seen: SyncCounts,
  ): Promise<void> {
    const { counts, nextAt } = apply((state) => postponeScan(state, timing()))
    logFailure(message, { err: cause }, 'sync postponed by the storage')
    const error = `Muster could not store the result of the sync and will try again: ${message}`
    await saveEnd(
      { start, result: 'postponed', counts: seen },
      { ...counts, error, error_field: '', next_at: nextAt },
    )
  }

  async function syncNow(describe: DescribeSpan): Promise<void> {
    const count = (result: ScanResult) => {
      run.countScan(account.provider, result)
      describe({ 'muster.sync.result': result }, result !== 'complete')
    }
    const start = clock()
    const progress = createProgress(run)
    await saveStart(start)
    try {
      const confirmedUntil = await run.leases.confirmedGone(account.id)
      const scanned = await scan(confirmedUntil, progress.report)
      await progress.saved()
      await saveComplete(scanned, { start, confirmedUntil })
      count('complete')
    } catch (error) {
      if (signal.aborted || error instanceof LeaseLost) throw error
      // Sources throw `SourceError`, so this is an error of the storage.
      count(isUnavailable(error) ? 'postponed' : 'failed')
      await progress.saved()
      if (isUnavailable(error)) await savePostponed(error, start, progress.latest())
      else await saveFailed(error, start, progress.latest())
    }
  }

  /** Throws only if the account must stop. */
  return async function syncOnce(): Promise<void> {
    if (!run.tracer) return await syncNow(() => {})
    await run.tracer.run('sync', 'internal', async (describe) => {
      describe({ 'muster.account_id': account.id, 'muster.provider': account.provider })
      await syncNow(describe)
      const { seen, created, changed, gone } = run.state().counts
      describe({
        'muster.sync.seen': seen,
        'muster.sync.created': created,
        'muster.sync.changed': changed,
        'muster.sync.gone': gone,
      })
    })
  }
}
