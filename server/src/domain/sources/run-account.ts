import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError } from '../error.ts'
import type { AttachedAccount } from './account.ts'
import { createAccountRun, type RunDependencies } from './account-run.ts'
import {
  isSuspended,
  markUnreachable,
  nextStep,
  requestScan,
  watchFailed,
  type AccountState,
} from './account-state.ts'
import { coversRegion } from './failed-parts.ts'
import { createFetchServer } from './fetch-server.ts'
import { createInterruptibleSleep } from './interruptible-sleep.ts'
import { LeaseLost } from './lease-lost.ts'
import type { Reading } from './record-together.ts'
import { createUpdateRecorder } from './record-updates.ts'
import type { ServerReference } from './source.ts'
import { createSyncOnce } from './sync-once.ts'
import { serverIdOf } from './to-server-facts.ts'
import type { Unreadable } from './warning-texts.ts'
import { watchAccount } from './watch-account.ts'

/** An account that this process runs. */
export interface RunningAccount {
  readonly revision: number
  /** Brings the next scan forward; see `requestScan` in account-state.ts. */
  requestScan(at: number, knownAt?: number): void
  /** Reads one server from the source now. */
  refresh(id: string, reference: ServerReference): Promise<void>
  /** Stores what was read about a server; undefined if the source does not have it. */
  recordReading(id: string, reading: Reading): Promise<void>
  /** Requests a scan, unless the last one has missed the server too. */
  scanForMissing(id: string): Promise<void>
  /** Warns of servers that stay in the recycle bin although their time is over. */
  warnRecycled(servers: readonly Unreadable[]): Promise<void>
  /** Whether this process has read the region in the last complete scan of the account. */
  hasScanned(region: string): boolean
  stop(): Promise<void>
  /** Settles when the account has stopped, for any reason. */
  readonly done: Promise<void>
}

/** How long the first scan waits for the event stream, so that no change is missed between the two. */
const longestWatchDelay = 5_000

/**
 * Runs one account: scans it at its period, watches it if the source has events, and marks its
 * servers unknown when the source stops answering. An error of the source affects only its account.
 * `account-state.ts` decides what to do next.
 */
export function createRunAccount(dependencies: RunDependencies) {
  const { openSource, sightings, clock, random, log } = dependencies

  return function runAccount(attached: AttachedAccount, runner: string): RunningAccount {
    const run = createAccountRun(dependencies, attached, runner)
    const { account, sync, fence, logFields, warnings, scanConflicts, save } = run
    const ending = new AbortController()
    const { signal } = ending
    const sleep = createInterruptibleSleep(signal, clock)
    const syncOnce = createSyncOnce(run, signal)
    /** Resolved at the end of the next scan to begin, whatever its result. */
    let nextScanEnd = Promise.withResolvers<void>()
    let hasScanned = false

    /** For transitions that may bring the next scan forward. */
    function reschedule(transition: (state: AccountState) => AccountState): void {
      const before = run.state()
      if (run.apply(transition) !== before) sleep.interrupt()
    }

    const requestNow = () => reschedule((state) => requestScan(state, clock()))

    const updates = createUpdateRecorder(run, requestNow)

    async function scanNow(): Promise<void> {
      const scanEnd = nextScanEnd
      nextScanEnd = Promise.withResolvers()
      try {
        await syncOnce()
        hasScanned ||= run.state().failures === 0
      } finally {
        scanEnd.resolve()
      }
    }

    async function whenScanned(): Promise<void> {
      const aborted = Promise.withResolvers<void>()
      signal.addEventListener('abort', () => aborted.resolve(), { once: true })
      while (!signal.aborted) {
        await Promise.race([nextScanEnd.promise, aborted.promise])
        if (run.state().failures === 0) return
      }
    }

    async function markServersUnknown(): Promise<void> {
      const servers = await dependencies.markAllUnknown(account, fence)
      run.apply(markUnreachable)
      await save({ is_unreachable: true })
      log.warn({ ...logFields, servers }, 'no answer for three periods: servers set to unknown')
    }

    async function keepScanning(): Promise<void> {
      while (!signal.aborted) {
        const step = nextStep(run.state(), run.timing())
        if (step.kind === 'sleep') await sleep.until(step.until)
        else if (step.kind === 'scan') await scanNow()
        else await markServersUnknown()
      }
    }

    /** Returns when the stream is open or after a delay. `ended` settles when watching ends. */
    async function startWatching() {
      updates.startWatching()
      const ready = Promise.withResolvers<void>()
      const ended = watchAccount({
        account,
        openSource,
        signal,
        random,
        log,
        record: updates.recordStreamed,
        whenScanned,
        onReady() {
          ready.resolve()
          // A scan finds changes from before the stream was open.
          requestNow()
        },
        onBroken: (error) => reschedule((state) => watchFailed(state, error, clock())),
      }).catch(() => ending.abort())
      const delay = pause(longestWatchDelay, undefined, { signal }).catch(() => {})
      await Promise.race([ready.promise, delay])
      return { ended }
    }

    async function start(): Promise<void> {
      if (account.isBeingDeleted) return await dependencies.evictServers(account, fence)
      if (sync.mapped_revision !== account.revision) {
        const servers = await dependencies.moveServers(account, fence)
        if (servers > 0)
          log.info({ ...logFields, servers }, 'servers moved to other projects by the mapping')
        await save({ mapped_revision: account.revision })
      }
      if (!account.enabled) return
      const { hasEvents } = await openSource.loadKind(account.provider)
      const watching = hasEvents ? await startWatching() : undefined
      await keepScanning()
      await watching?.ended
    }

    /**
     * If a source has lost most of its servers, or a region, it reports each of them as missing. Only
     * a complete scan can tell whether this server is gone.
     */
    async function scanForMissing(id: string, limit?: AbortSignal): Promise<void> {
      const sighting = (await sightings.of(account.id, [id])).get(id)
      if (!sighting || sighting.missed > 0) return
      const scanned = nextScanEnd.promise
      requestNow()
      if (!limit || limit.aborted) return
      const aborted = Promise.withResolvers<void>()
      limit.addEventListener('abort', () => aborted.resolve(), { once: true })
      await Promise.race([scanned, aborted.promise])
    }

    const fetchServer = createFetchServer({
      account,
      openSource,
      signal,
      claim: (id) => scanConflicts.claim([id]),
      record: (server) => updates.recordReading(serverIdOf(server), server),
      onMissing: scanForMissing,
    })

    const done = start()
      .catch((error: unknown) => {
        if (!signal.aborted && !(error instanceof LeaseLost)) {
          log.warn({ ...logFields, err: error }, 'the account stopped and is started again')
        }
      })
      .finally(() => ending.abort())

    return {
      revision: account.revision,
      requestScan: (at, knownAt) => reschedule((state) => requestScan(state, at, knownAt)),
      recordReading: updates.recordReading,
      scanForMissing: (id) => scanForMissing(id),
      hasScanned: (region) =>
        hasScanned && !run.state().failing.some(({ part }) => coversRegion(part, region)),
      async warnRecycled(servers) {
        if (warnings.setRecycled(servers)) await save({ warnings: warnings.current() })
      },
      done,
      async refresh(id, reference) {
        const state = run.state()
        if (isSuspended(state)) {
          const wait = state.phase === 'waiting' ? state.nextAt - clock() : 0
          throw new PlatformError(
            'ServiceUnavailable',
            'The source of this account does not answer. The account shows the reason.',
            { retryAfter: Math.max(1, Math.ceil(wait / 1_000)) },
          )
        }
        await fetchServer(id, reference)
      },
      async stop() {
        ending.abort()
        await done
      },
    }
  }
}
export type RunAccount = ReturnType<typeof createRunAccount>
