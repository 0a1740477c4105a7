import { setTimeout as pause } from 'node:timers/promises'
import { PlatformError } from '../error.ts'
import type { ServerReference, SourceUpdate, UnreadableServer } from './source.ts'
import type { AttachedAccount, SyncCounts, SyncRecord } from './account.ts'
import { createAlarm } from './alarm.ts'
import type { OpenScanRecorder } from './record-scan.ts'
import { limitText } from './limit-facts.ts'
import { backoffDelay, nextScanDelay, patience, type Random } from './backoff.ts'
import type { FindDuplicates } from './find-duplicates.ts'
import type { EvictServers } from './evict-servers.ts'
import { explainError } from './explain-error.ts'
import { chunk } from '../chunk.ts'
import { nextRemoval } from './missing-servers.ts'
import { watchAccount } from './watch-account.ts'
import { LeaseLost } from './lease-lost.ts'
import type { MarkAllUnknown } from './mark-all-unknown.ts'
import type { MoveServers } from './move-servers.ts'
import type { OpenSource } from './open-source.ts'
import { createScanConflicts } from './scan-conflicts.ts'
import type { RunStore, SightingStore } from './ports.ts'
import type { SyncLog } from './sync-log.ts'
import { scanAccount, type Scanned } from './scan-account.ts'
import type { BoundedQueue } from '../bounded-queue.ts'
import { SourceError } from './source-error.ts'
import { createSyncWarnings } from './sync-warnings.ts'
import { serverIdOf } from './to-server-facts.ts'

export interface RunDependencies {
  readonly runs: RunStore
  readonly sightings: SightingStore
  readonly openScanRecorder: OpenScanRecorder
  readonly moveServers: MoveServers
  readonly markAllUnknown: MarkAllUnknown
  readonly evictServers: EvictServers
  readonly findDuplicates: FindDuplicates
  readonly openSource: OpenSource
  readonly writePermits: Pick<BoundedQueue, 'acquire'>
  /** Milliseconds for which servers missing in large numbers are kept, unless the account says. */
  readonly defaultHold: number
  readonly clock: () => number
  readonly random: Random
  readonly log: SyncLog
}

/** An account that is being run. */
export interface RunningAccount {
  readonly revision: number
  /**
   * The next sync is due then, if that is earlier than it was going to be. What was known before the
   * last one began, that one has answered.
   */
  expect(moment: number, knownAt?: number): void
  /** Looks at one server now. */
  refresh(id: string, reference: ServerReference): Promise<void>
  stop(): Promise<void>
  /** Ends when the account is no longer run, however that comes. */
  readonly done: Promise<void>
}

const second = 1_000
const periodsUntilLost = 3
/** Between two lines of the log that tell how far a long scan is. */
const logStep = 5 * second
const longestScan = 3_600 * second
const longestLook = 20 * second
/** Of an account at once. */
const mostLooks = 8
/** A source that tells by itself is listened to first, so that nothing falls between. */
const listeningDelay = 5 * second

/** Sources throw `SourceError`: any other 503 is from the storage. */
const isOfStorage = (error: unknown): error is PlatformError =>
  error instanceof PlatformError && error.class === 'ServiceUnavailable'

const byServerId = (servers: readonly UnreadableServer[]) =>
  new Map(servers.map((server) => [serverIdOf(server), server]))

/** Empty where all regions are still there. */
function explainVanished({ vanishedRegions, keptIds }: Scanned): string {
  if (vanishedRegions.length === 0) return ''
  const [regions, are] = vanishedRegions.length === 1 ? ['region', 'is'] : ['regions', 'are']
  const servers = keptIds.size === 1 ? '1 server there is' : `${keptIds.size} servers there are`
  return limitText(
    `The ${regions} ${vanishedRegions.join(', ')} ${are} no longer listed by the source: ${servers} kept as unknown. To remove such servers, list the remaining regions in options.regions.`,
  )
}

/**
 * Runs one account: scans it at its period, listens to it where it tells by itself, and says so when
 * it falls silent. Trouble with its source stays its own.
 */
export function createRunAccount(dependencies: RunDependencies) {
  const { runs, sightings, openScanRecorder, openSource, defaultHold, clock, random, log } =
    dependencies

  return function runAccount({ account, sync }: AttachedAccount, runner: string): RunningAccount {
    const ending = new AbortController()
    const { signal } = ending
    const period = account.period * second
    const fence = { revision: account.revision, runner }
    const named = { account: account.name, account_id: account.id }
    const note = (changes: Partial<SyncRecord>) => runs.note(account.id, runner, changes)

    let nextAt = sync.next_at
    let { failures, is_lost: isUnreachable } = sync
    let counts: SyncCounts = {
      seen: sync.seen,
      created: sync.created,
      changed: sync.changed,
      gone: sync.gone,
    }
    // While nobody asked, nobody could answer.
    let answeredAt = clock()
    /** When the last sync began to ask its source. */
    let begunAt = -Infinity
    let isScanning = false
    /** Resolved at the end of the next scan to begin, however it ends. */
    let nextScan = Promise.withResolvers<void>()
    /** What the last scan failed with. */
    let lastFailure: unknown
    /** Servers of regions that the source no longer has. */
    let keptIds: ReadonlySet<string> = new Set()
    /** The last scan failed: held servers have not been missed by scans in a row. */
    let isAfterFailure = failures > 0
    const hold =
      account.disappearance_hold === null ? defaultHold : account.disappearance_hold * second
    const warnings = createSyncWarnings(account.name, sync.warnings, { hold, period })
    const findDuplicates = dependencies.findDuplicates(
      account,
      sync.warnings.some(({ kind }) => kind === 'duplicate'),
    )
    const alarm = createAlarm(signal, clock)
    const scanConflicts = createScanConflicts()

    function expect(moment: number, knownAt?: number): void {
      if (moment >= nextAt || (knownAt !== undefined && knownAt <= begunAt)) return
      nextAt = moment
      alarm.wake()
    }

    /**
     * Scans now because the events broke off: the source may be down. A scan that is under way, or that
     * failed by the same lost connection, has found out already: one loss counts as one failure.
     */
    function checkNow(error: unknown): void {
      if (!isScanning && error !== lastFailure) expect(clock())
    }

    /** What was heard of single servers. A scan that began before knows less. */
    async function hear(
      { present, unreadable = [] }: Omit<SourceUpdate, 'gone'>,
      goneIds: readonly string[],
    ): Promise<void> {
      const ids = [...present.map(serverIdOf), ...unreadable.map(serverIdOf), ...goneIds]
      if (ids.length === 0) return
      await scanConflicts.claim(ids)
      const recorder = await openScanRecorder(account, fence)
      const known = await sightings.of(account.id, ids)
      await recorder.record(present, goneIds, known)
      await recorder.recordUnreadable(unreadable, known)
      answeredAt = clock()
      const readable = [...present.map(serverIdOf), ...goneIds]
      if (warnings.hear({ readable, unreadable: byServerId(unreadable) })) {
        await note({ warnings: warnings.current() })
      }
    }

    /** What was noted last of a scan under way: its end is noted after it. */
    let noted: Promise<void> = Promise.resolve()

    function tellProgress() {
      let toldAt = clock()
      let loggedAt = clock()
      return (soFar: SyncCounts) => {
        if (clock() - toldAt < second) return
        toldAt = clock()
        if (clock() - loggedAt >= logStep) {
          loggedAt = clock()
          log.info({ ...named, ...soFar }, 'syncing')
        }
        answeredAt = clock()
        noted = note(soFar).catch(() => {})
      }
    }

    async function scan() {
      const source = await openSource.openAccount(account, signal)
      isScanning = true
      const endScan = scanConflicts.begin()
      try {
        const recorder = await openScanRecorder(account, fence)
        return await scanAccount({
          source,
          recorder: scanConflicts.guard(recorder),
          known: await sightings.of(account.id),
          writePermits: dependencies.writePermits,
          signal: AbortSignal.any([signal, AbortSignal.timeout(longestScan)]),
          isSuperseded: scanConflicts.has,
          onProgress: tellProgress(),
          regionsOf: sightings.regionsOf,
          holding: { hold, isAfterFailure, clock },
        })
      } finally {
        endScan()
        isScanning = false
        await source.close().catch(() => {})
      }
    }

    /** What an administrator has confirmed needs no scan, and no source that answers. */
    async function removeConfirmed(): Promise<void> {
      const until = await runs.confirmedGone(account.id)
      if (until === 0) return
      const known = await sightings.of(account.id)
      const gone = [...known.values()].filter(
        ({ missed, missingSince }) => missed > 0 && missingSince <= until,
      )
      const recorder = await openScanRecorder(account, fence)
      for (const batch of chunk(gone)) {
        const ids = batch.map(({ serverId }) => serverId)
        await recorder.record([], ids, known)
        warnings.hear({ readable: ids, unreadable: new Map() })
      }
      await note({ confirmed_gone: 0, warnings: warnings.current() })
      log.info({ ...named, servers: gone.length }, 'removed missing servers as confirmed')
    }

    async function synchronise() {
      const start = clock()
      nextAt = Infinity
      begunAt = Infinity
      const thisScan = nextScan
      nextScan = Promise.withResolvers()
      await note({
        is_running: true,
        started_at: start,
        // It is due until it is through: whoever takes over, after a crash too, begins it anew.
        next_at: start,
        seen: 0,
        created: 0,
        changed: 0,
        gone: 0,
      })
      begunAt = clock()
      try {
        await removeConfirmed()
        const scanned = await scan()
        const error = explainVanished(scanned)
        keptIds = scanned.keptIds
        counts = scanned.counts
        // An error that lasts must not slow down the rest, which is fine.
        failures = error === '' ? 0 : 1
        isAfterFailure = false
        isUnreachable = false
        answeredAt = clock()
        const unreadable = byServerId(scanned.unreadable)
        warnings.replace(
          { unreadable, held: scanned.held, duplicates: await findDuplicates(start) },
          clock(),
        )
        const removal = nextRemoval(scanned.held, hold)
        nextAt = Math.min(nextAt, removal, clock() + nextScanDelay(period, random))
        const duration = clock() - start
        await noted
        await note({
          ...counts,
          is_running: false,
          ...(error === '' && { finished_at: clock(), duration_ms: duration }),
          error,
          warnings: warnings.current(),
          failures,
          next_at: nextAt,
          answered_at: answeredAt,
          is_lost: isUnreachable,
        })
        const hasNews = counts.created + counts.changed + counts.gone > 0
        log[hasNews ? 'info' : 'debug']({ ...named, ...counts, duration_ms: duration }, 'synced')
      } catch (error) {
        if (signal.aborted || error instanceof LeaseLost) throw error
        await fail(error)
      } finally {
        thisScan.resolve()
      }
    }

    async function fail(error: unknown): Promise<void> {
      if (isOfStorage(error)) return await postpone(error)
      lastFailure = error
      failures += 1
      isAfterFailure = true
      warnings.fail()
      nextAt = Math.min(nextAt, clock() + backoffDelay(failures, period, random))
      const words = explainError(error)
      const isOurs = !(error instanceof SourceError || error instanceof PlatformError)
      log.warn({ ...named, reason: words, failures, ...(isOurs && { err: error }) }, 'sync failed')
      await noted
      await note({
        ...counts,
        is_running: false,
        error: words,
        warnings: warnings.current(),
        failures,
        next_at: nextAt,
      })
    }

    /** The storage did not take what the source said: that says nothing of the source. */
    async function postpone(error: PlatformError): Promise<void> {
      answeredAt = clock()
      nextAt = Math.min(nextAt, clock() + backoffDelay(1, period, random))
      log.warn({ ...named, reason: error.message, err: error.cause }, 'sync put off by the storage')
      await noted
      await note({
        ...counts,
        is_running: false,
        error: `Muster could not store the result of the sync and will try again: ${error.message}`,
        next_at: nextAt,
      })
    }

    async function lose(): Promise<void> {
      const lost = await dependencies.markAllUnknown(account, fence)
      isUnreachable = true
      await note({ is_lost: true })
      log.warn({ ...named, servers: lost }, 'its source has been silent for three periods')
    }

    async function keepScanning(): Promise<void> {
      while (!signal.aborted) {
        const lostAt = isUnreachable ? Infinity : answeredAt + periodsUntilLost * period
        const next = Math.min(nextAt, lostAt)
        if (next > clock()) await alarm.sleep(next)
        else if (nextAt <= clock()) await synchronise()
        else await lose()
      }
    }

    async function run(): Promise<void> {
      if (account.leaving) return await dependencies.evictServers(account, fence)
      if (sync.mapped_revision !== account.revision) {
        const moved = await dependencies.moveServers(account, fence)
        if (moved > 0) log.info({ ...named, servers: moved }, 'moved by its mapping')
        await note({ mapped_revision: account.revision })
      }
      if (!account.enabled) return
      const ready = Promise.withResolvers<void>()
      const listening = (await openSource.loadKind(account.provider)).hasEvents
        ? watchAccount({
            account,
            openSource,
            signal,
            random,
            log,
            hear: (news) =>
              hear(
                news,
                news.gone.map((key) => serverIdOf({ key })),
              ),
            // Whatever was told while nobody listened, the next scan sees.
            onReady() {
              ready.resolve()
              expect(clock())
            },
            onBroken: checkNow,
          }).catch(() => ending.abort())
        : undefined
      if (listening) {
        await Promise.race([ready.promise, pause(listeningDelay, undefined, { signal })]).catch(
          () => {},
        )
      }
      await keepScanning()
      await listening
    }

    /** Servers that are being looked at: who asks for one again gets the same answer. */
    const looks = new Map<string, Promise<void>>()

    /**
     * A source that has lost most of its servers, or a region, would say so of each of them: only a
     * complete scan can tell whether this one is gone.
     */
    async function hearMissing(id: string, soon: AbortSignal): Promise<void> {
      if (keptIds.has(id)) return
      const sighting = (await sightings.of(account.id, [id])).get(id)
      if (!sighting || sighting.missed > 0) return
      const scanned = nextScan.promise
      expect(clock())
      if (soon.aborted) return
      const stopped = Promise.withResolvers<void>()
      soon.addEventListener('abort', () => stopped.resolve(), { once: true })
      await Promise.race([scanned, stopped.promise])
    }

    async function look(id: string, reference: ServerReference): Promise<void> {
      const soon = AbortSignal.any([signal, AbortSignal.timeout(longestLook)])
      await scanConflicts.claim([id])
      const source = await openSource.openAccount(account, soon, 'get')
      let server
      try {
        server = await source.get(reference, soon)
        if (server && 'facts' in server) await hear({ present: [server] }, [])
        else if (server) await hear({ present: [], unreadable: [server] }, [])
      } finally {
        await source.close().catch(() => {})
      }
      if (!server) await hearMissing(id, soon)
    }

    const done = run()
      .catch((error: unknown) => {
        if (!signal.aborted && !(error instanceof LeaseLost)) {
          log.warn({ ...named, err: error }, 'the account is not run for the moment')
        }
      })
      .finally(() => ending.abort())

    return {
      revision: account.revision,
      expect,
      done,
      async refresh(id, reference) {
        if (failures >= patience) {
          throw new PlatformError(
            'ServiceUnavailable',
            'Its source does not answer: see the account for why.',
            { retryAfter: Math.max(1, Math.ceil((nextAt - clock()) / second)) },
          )
        }
        const underWay = looks.get(id)
        if (underWay) return await underWay
        if (looks.size >= mostLooks) {
          throw new PlatformError(
            'TooManyRequests',
            'Too many servers of this account are being looked at: wait and try again.',
            { retryAfter: 5 },
          )
        }
        const looking = look(id, reference).finally(() => looks.delete(id))
        looks.set(id, looking)
        await looking
      },
      async stop() {
        ending.abort()
        await done
      },
    }
  }
}
export type RunAccount = ReturnType<typeof createRunAccount>
