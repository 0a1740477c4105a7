import { createBoundedQueue } from '../domain/bounded-queue.ts'
import { createChangeServers } from '../domain/inventory/change-servers.ts'
import { createCacheMemory } from '../domain/cache.ts'
import { createOwners } from '../domain/inventory/owners.ts'
import { createRecordServers } from '../domain/inventory/record-servers.ts'
import { createOpenScanRecorder } from '../domain/sources/record-scan.ts'
import { createChangeAccountServers } from '../domain/sources/change-account-servers.ts'
import { createEvictServers } from '../domain/sources/evict-servers.ts'
import { withCurrentKeys } from '../domain/sources/current-keys.ts'
import { createFindDuplicates } from '../domain/sources/find-duplicates.ts'
import { createFindShared } from '../domain/sources/find-shared.ts'
import {
  createMarkAllUnknown,
  createMarkServersUnknown,
} from '../domain/sources/mark-servers-unknown.ts'
import { createMoveServers } from '../domain/sources/move-servers.ts'
import { createScanCounts } from '../domain/sources/scan-counts.ts'
import { createOpenSource } from '../domain/sources/open-source.ts'
import { createPreviewMapping } from '../domain/sources/preview-mapping.ts'
import { createRunAccount } from '../domain/sources/run-account.ts'
import type { SyncLog } from '../domain/sources/sync-log.ts'
import { createAccountScheduler } from '../domain/sources/account-scheduler.ts'
import type { SourceKinds } from '../domain/sources/source.ts'
import { traceSources } from '../domain/sources/trace-sources.ts'
import type { Tracer } from '../domain/tracer.ts'
import type { SecretBox } from '../domain/secret-box.ts'
import { createSourceAddressRule } from '../egress/allowed-addresses.ts'
import { createEgress } from '../egress/egress.ts'
import type { SyncStatistics } from '../metrics/sync-metrics.ts'
import type { ThreadDatabase } from '../storage/database.ts'
import { createOwnerDirectory } from '../storage/owners.ts'
import { createResourceRecorder } from '../storage/resources/resource-recorder.ts'
import { createServerWriter } from '../storage/servers/server-writer.ts'
import { createAccountStore } from '../storage/sources/account-store.ts'
import { createLeaseStore } from '../storage/sources/lease-store.ts'
import { composeTaskRunner, type TaskSettings } from './compose-task-runner.ts'
import { createSyncClient } from './create-sync-client.ts'
import type { SecretKey } from '../vault/secret-key.ts'
import { createServerKeys, createSightingStore } from '../storage/sources/sighting-store.ts'
import { createSourceState } from '../storage/sources/source-state.ts'

interface Parts {
  readonly database: ThreadDatabase
  readonly key: SecretBox & Pick<SecretKey, 'problem'>
  readonly kinds: SourceKinds
  /** Addresses that accounts may use in addition to the default ones. */
  readonly reachable: readonly string[]
  /** Milliseconds for which servers missing in large numbers are held. */
  readonly disappearanceHold: number
  readonly tasks: TaskSettings
  /** The name of this process among all that share the storage. */
  readonly runner: string
  readonly log: SyncLog
  /** Absent unless traces are exported. */
  readonly tracer?: Tracer | undefined
}

/**
 * For all accounts together, because each batch being written takes some megabytes. New texts of a batch are
 * written after the batch before it, so with two of them the writer waits for the rest of the second one.
 */
const maxConcurrentBatches = 3

/** Composes the sync thread: the scheduler of accounts, and the calls that requests make. */
export function composeSync(parts: Parts) {
  const { database, key, kinds, reachable, disappearanceHold, runner, log, tracer } = parts
  const clock = Date.now
  const accounts = createAccountStore(database, key)
  const leases = createLeaseStore(database, clock)
  const sightings = createSightingStore(database)
  const serverWriter = createServerWriter(database, clock)
  // No cache: servers may belong to a project that another process has just created.
  const owners = createOwners(
    createOwnerDirectory(database),
    { current: () => undefined },
    createCacheMemory(0),
  )
  const recordServers = createRecordServers({ serverWriter, owners, clock })
  const changeServers = createChangeServers({ serverWriter, clock })
  const egress = createEgress(createSourceAddressRule(reachable))
  const serverKeys = createServerKeys(database)
  const opened = createOpenSource({
    kinds,
    accounts,
    stateOf: createSourceState(database),
    egress,
    clock,
  })
  const untraced = withCurrentKeys(opened, serverKeys)
  const openSource = tracer ? traceSources(untraced, tracer) : untraced
  const changeAccountServers = createChangeAccountServers({ sightings, changeServers })
  const openScanRecorder = createOpenScanRecorder({
    accounts,
    sightings,
    serverKeys,
    owners,
    recordServers,
    markServersUnknown: createMarkServersUnknown({ changeServers, sightings, serverWriter }),
    loadKind: openSource.loadKind,
    serverWriter,
    resourceRecorder: createResourceRecorder(database, clock),
  })
  const writePermits = createBoundedQueue({ name: 'batches', capacity: maxConcurrentBatches })
  const scans = createScanCounts()
  const runSync = createRunAccount({
    leases,
    sightings,
    openScanRecorder,
    moveServers: createMoveServers({ owners, changeAccountServers }),
    markAllUnknown: createMarkAllUnknown(changeAccountServers),
    evictServers: createEvictServers({ accounts, sightings, openScanRecorder }),
    findShared: createFindShared({ accounts, sightings }),
    findDuplicates: createFindDuplicates({ accounts, sightings, loadKind: openSource.loadKind }),
    openSource,
    writePermits,
    countScan: scans.add,
    defaultHold: disappearanceHold,
    clock,
    random: Math.random,
    log,
    tracer,
  })
  const taskRunner = composeTaskRunner({
    ...parts.tasks,
    database,
    kinds,
    accounts,
    sightings,
    serverWriter,
    openSource,
    runAccount: runSync,
    clock,
    log,
  })
  const { runAccount } = taskRunner
  const scheduler = createAccountScheduler({
    accounts,
    leases,
    runAccount,
    runner,
    leaseDuration: parts.tasks.leaseDuration,
    canRun: () => key.problem() === undefined,
    clock,
    log,
  })
  const syncClient = createSyncClient({
    accounts,
    scheduler,
    openSource,
    previewMapping: createPreviewMapping({ sightings, owners, serverWriter }),
    wakeTasks: taskRunner.wake,
    clock,
  })

  return {
    syncClient,
    start(): void {
      scheduler.start()
      taskRunner.start()
    },
    async stop(): Promise<void> {
      taskRunner.stop()
      await scheduler.stop()
    },
    statistics: (): SyncStatistics => ({
      database: database.counts(),
      scans: scans.read(),
      leases: scheduler.running(),
      batches: writePermits.counts(),
    }),
  }
}
