import type { AttachedAccount, SyncRecord } from './account.ts'
import { initialState, type AccountState } from './account-state.ts'
import type { Random } from './backoff.ts'
import type { EvictServers } from './evict-servers.ts'
import type { FindDuplicates } from './find-duplicates.ts'
import type { FindShared } from './find-shared.ts'
import type { MarkAllUnknown } from './mark-servers-unknown.ts'
import type { MoveServers } from './move-servers.ts'
import type { OpenSource } from './open-source.ts'
import type { EndedSync, LeaseStore, SightingStore } from './ports.ts'
import type { OpenScanRecorder } from './record-scan.ts'
import type { ScanCounts } from './scan-counts.ts'
import { createScanConflicts } from './scan-conflicts.ts'
import type { BoundedQueue } from '../bounded-queue.ts'
import type { Tracer } from '../tracer.ts'
import type { SyncLog } from './sync-log.ts'
import { createSyncWarnings } from './sync-warnings.ts'

export interface RunDependencies {
  readonly leases: LeaseStore
  readonly sightings: SightingStore
  readonly openScanRecorder: OpenScanRecorder
  readonly moveServers: MoveServers
  readonly markAllUnknown: MarkAllUnknown
  readonly evictServers: EvictServers
  readonly findDuplicates: FindDuplicates
  readonly findShared: FindShared
  readonly openSource: Pick<OpenSource, 'loadKind' | 'openAccount'>
  readonly writePermits: Pick<BoundedQueue, 'acquire'>
  /** Milliseconds for which servers missing in large numbers are held, unless the account says otherwise. */
  readonly defaultHold: number
  readonly clock: () => number
  readonly random: Random
  readonly countScan: ScanCounts['add']
  readonly log: SyncLog
  /** Absent unless traces are exported. */
  readonly tracer?: Tracer | undefined
}

/** State that the scans, events and refreshes of a running account share. */
export function createAccountRun(
  dependencies: RunDependencies,
  { account, sync }: AttachedAccount,
  runner: string,
) {
  const { clock, random } = dependencies
  const period = account.period * 1_000
  const hold =
    account.disappearance_hold === null
      ? dependencies.defaultHold
      : account.disappearance_hold * 1_000
  const fence = { revision: account.revision, runner }
  let state: AccountState = initialState(sync, clock())
  return {
    ...dependencies,
    account,
    /** The state of the sync when the run began. */
    sync,
    hold,
    fence,
    logFields: { account: account.name, account_id: account.id },
    warnings: createSyncWarnings(account.name, sync.warnings, { hold, period }),
    scanConflicts: createScanConflicts(),
    state: () => state,
    /** Applies a transition of `account-state.ts`; returns the new state. */
    apply(transition: (state: AccountState) => AccountState): AccountState {
      state = transition(state)
      return state
    },
    timing: () => ({ now: clock(), period, random, hold }),
    openRecorder: () => dependencies.openScanRecorder(account, fence),
    /** Stores the state of the sync, unless another process has taken over the lease. */
    save: (changes: Partial<SyncRecord>, ended?: EndedSync) =>
      dependencies.leases.update(account.id, runner, changes, ended),
  }
}
export type AccountRun = ReturnType<typeof createAccountRun>
