import type { EventRecord } from '../../domain/audit/event.ts'
import type { StoredServer, Sighting, SightingChanges } from '../../domain/inventory/ports.ts'
import { createChangeServers } from '../../domain/inventory/change-servers.ts'
import { createRecordServers } from '../../domain/inventory/record-servers.ts'
import type { Account, SyncRecord, SyncRun } from '../../domain/sources/account.ts'
import { createOpenScanRecorder } from '../../domain/sources/record-scan.ts'
import { createChangeAccountServers } from '../../domain/sources/change-account-servers.ts'
import { createEvictServers } from '../../domain/sources/evict-servers.ts'
import { createFindDuplicates } from '../../domain/sources/find-duplicates.ts'
import { createFindShared } from '../../domain/sources/find-shared.ts'
import { LeaseLost } from '../../domain/sources/lease-lost.ts'
import {
  createMarkAllUnknown,
  createMarkServersUnknown,
} from '../../domain/sources/mark-servers-unknown.ts'
import { createMoveServers } from '../../domain/sources/move-servers.ts'
import type { AccountStore, LeaseStore, SightingStore } from '../../domain/sources/ports.ts'
import { createBoundedQueue } from '../../domain/bounded-queue.ts'
import { scanAccount, type Scanned } from '../../domain/sources/scan-account.ts'
import type { ReportedFacts, ReportedServer, Source } from '../../domain/sources/source.ts'

const projects = ['ours', 'theirs']

export const makeAccount = (changes: Partial<Account> = {}): Account => ({
  id: 'account',
  name: 'an account',
  provider: 'Aws',
  brand: 'Aws',
  address: '',
  options: {},
  project_id: 'ours',
  period: 3_600,
  disappearance_hold: null,
  enabled: true,
  access: 'observe',
  max_actions: 10,
  request_timeout: 20,
  mapping: [],
  created_at: 1,
  revision: 1,
  isBeingDeleted: false,
  ...changes,
})

export const freshSync: SyncRecord = {
  runner: '',
  leased_until: 0,
  is_running: false,
  started_at: null,
  finished_at: null,
  duration_ms: 0,
  seen: 0,
  created: 0,
  changed: 0,
  gone: 0,
  error: '',
  error_field: '',
  failing_since: null,
  failures: 0,
  next_at: 0,
  answered_at: 0,
  is_unreachable: false,
  mapped_revision: 1,
  warnings: [],
  confirmed_gone: 0,
}

/** A server as a source reports it, with one text for all of its names. */
export const makeSeen = (name: string, facts: Partial<ReportedFacts> = {}): ReportedServer => ({
  key: ['memory', name],
  facts: { name, status: 'running', external_id: name, ...facts },
})

/** The ports of sync in memory, for tests that need no database. */
export function createMemorySync(account = makeAccount(), startOf: Partial<SyncRecord> = {}) {
  const stored = new Map<string, StoredServer>()
  const sightings = new Map<string, Sighting>()
  const events: EventRecord[] = []
  const attached: { account: Account; sync: SyncRecord } = {
    account,
    sync: { ...freshSync, ...startOf },
  }
  const runs: SyncRun[] = []
  let isRemoved = false
  let sightingWrites = 0

  function requireFence({ fence: { revision, runner } }: SightingChanges): void {
    const isOther = runner !== undefined && runner !== attached.sync.runner
    if (isRemoved || revision !== attached.account.revision || isOther) throw new LeaseLost()
  }

  const serverWriter = {
    findStored: async (ids: readonly string[]) =>
      new Map(ids.flatMap((id) => (stored.has(id) ? [[id, stored.get(id) as StoredServer]] : []))),
    write: async (
      writes: readonly {
        readonly stored: StoredServer | undefined
        readonly server: StoredServer['server']
        readonly factsDigest: string
      }[],
      told: readonly EventRecord[] = [],
      changes?: SightingChanges,
    ) => {
      // Gives other work a turn, as a database would.
      await new Promise(setImmediate)
      if (changes) requireFence(changes)
      const isStale = writes.some(
        ({ stored: before, server }) => stored.get(server.id)?.revision !== before?.revision,
      )
      if (isStale) return false
      for (const { stored: before, server, factsDigest } of writes) {
        const revision = (before?.revision ?? 0) + 1
        stored.set(server.id, { id: server.id, seq: 0, revision, factsDigest, server })
      }
      events.push(...told)
      for (const sighting of changes?.seen ?? []) sightings.set(sighting.serverId, sighting)
      for (const id of changes?.lost ?? []) sightings.delete(id)
      if (changes && changes.seen.length + changes.lost.length > 0) sightingWrites += 1
      return true
    },
    hasRealServers: async () => stored.size > 0,
    purgeDeleted: async () => {},
  }

  const sightingStore: SightingStore = {
    of: async (_, ids) =>
      new Map([...sightings].filter(([id]) => ids === undefined || ids.includes(id))),
    accountsSeeing: async (ids) =>
      new Map(
        ids.flatMap((id) => {
          const sighting = sightings.get(id)
          return sighting ? [[id, [{ ...sighting, accountId: attached.account.id }]]] : []
        }),
      ),
    heldUnseen: async () => [],
    locationsOf: async (ids) =>
      new Map(
        ids.map((id) => {
          const { region_ext_id: region = '', metadata = {} } = stored.get(id)?.server ?? {}
          return [id, { region, tenant: metadata['sys:tenant'] ?? '' }]
        }),
      ),
    activeElsewhere: async () => [],
    sharedBy: async () => [],
    countShared: async () => new Map(),
  }

  const owners = {
    managedAccounts: async () => new Set<string>(),
    byProject: async () =>
      new Map(
        projects.map((projectId) => [
          projectId,
          { projectId, project: projectId, domainId: 'default', domain: 'Default' },
        ]),
      ),
  }

  const unused = async () => {
    throw new Error('nobody asks for that here')
  }
  const accounts: AccountStore = {
    all: async () => (isRemoved ? [] : [{ ...attached }]),
    find: async () => (isRemoved ? undefined : { ...attached }),
    credentialsOf: async () => ({}),
    syncedAt: unused,
    countServers: unused,
    isNameTaken: unused,
    insert: unused,
    update: unused,
    async remove() {
      isRemoved = true
      sightings.clear()
    },
    async confirmGone() {
      const since = [...sightings.values()].filter(({ missed }) => missed > 0)
      if (since.length === 0) return false
      const confirmed_gone = Math.max(...since.map(({ missingSince }) => missingSince))
      attached.sync = { ...attached.sync, confirmed_gone, next_at: 0 }
      return true
    },
    async requestSync() {
      attached.sync = { ...attached.sync, next_at: 0 }
    },
  }

  const leases: LeaseStore = {
    async acquire(_, runner) {
      attached.sync = { ...attached.sync, runner }
      return true
    },
    async release() {
      attached.sync = { ...attached.sync, runner: '' }
    },
    confirmedGone: async () => attached.sync.confirmed_gone,
    async update(_, runner, changes, ended) {
      if (attached.sync.runner !== runner) return
      attached.sync = { ...attached.sync, ...changes }
      if (ended) runs.push(ended.run)
    },
  }

  const loadKind = async () => ({ isOnOneHost: false })
  const changeServers = createChangeServers({ serverWriter, clock: Date.now })
  const recordServers = createRecordServers({ serverWriter, owners, clock: Date.now })

  const changeAccountServers = createChangeAccountServers({
    sightings: sightingStore,
    changeServers,
  })
  const openScanRecorder = createOpenScanRecorder({
    accounts,
    sightings: sightingStore,
    serverKeys: { find: async () => new Map(), findFormer: async () => new Map() },
    owners,
    recordServers,
    markServersUnknown: createMarkServersUnknown({
      changeServers,
      sightings: sightingStore,
      serverWriter,
    }),
    loadKind,
    serverWriter,
    resourceRecorder: { record: async () => {} },
  })
  return {
    writePermits: createBoundedQueue({ name: 'batches', capacity: 3 }),
    accounts,
    leases,
    serverWriter,
    sightings: sightingStore,
    openScanRecorder,
    evictServers: createEvictServers({ accounts, sightings: sightingStore, openScanRecorder }),
    moveServers: createMoveServers({ owners, changeAccountServers }),
    markAllUnknown: createMarkAllUnknown(changeAccountServers),
    findShared: createFindShared({ accounts, sightings: sightingStore }),
    findDuplicates: createFindDuplicates({ accounts, sightings: sightingStore, loadKind }),
    /** Both may be changed at any time, as others would. */
    attached,
    isRemoved: () => isRemoved,
    runs,
    events,
    /** How often sightings of the account were written. */
    sightingWrites: () => sightingWrites,
    sighted: () => [...sightings.values()],
    /** The existing servers by name. */
    present: () =>
      [...stored.values()]
        .filter(({ server }) => !server.deleted)
        .map(({ server }) => server)
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    revisions: () => [...stored.values()].reduce((sum, { revision }) => sum + revision, 0),
  }
}
export type MemorySync = ReturnType<typeof createMemorySync>

export interface ScanCircumstances {
  readonly isSuperseded?: (id: string) => boolean
  readonly hold?: number
  readonly now?: number | (() => number)
  readonly isAfterFailure?: boolean
  readonly confirmedUntil?: number
  readonly isSilent?: Parameters<typeof scanAccount>[0]['isSilent']
  readonly signal?: AbortSignal
}

/** Scans a source as a sync does. */
export async function scanInto(
  sync: MemorySync,
  source: Source,
  circumstances: ScanCircumstances = {},
): Promise<Scanned> {
  const { account } = sync.attached
  const { isSuperseded = () => false, hold = 0, now = 0, isAfterFailure = false } = circumstances
  return await scanAccount({
    source,
    recorder: await sync.openScanRecorder(account, { revision: account.revision }),
    known: await sync.sightings.of(account.id),
    writePermits: sync.writePermits,
    signal: circumstances.signal ?? AbortSignal.timeout(60_000),
    isSuperseded,
    onProgress: () => {},
    locationsOf: sync.sightings.locationsOf,
    hold,
    clock: typeof now === 'number' ? () => now : now,
    confirmedUntil: circumstances.confirmedUntil ?? 0,
    isAfterFailure,
    isSilent: circumstances.isSilent ?? (() => false),
  })
}
