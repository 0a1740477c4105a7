import type { IdentityVersion } from '../domain/identity/ports.ts'
import type { CacheMemory } from '../domain/cache.ts'
import type { Clock } from '../domain/clock.ts'
import type { ReauthorizeCaller } from '../domain/identity/reauthorize-caller.ts'
import type { LastSyncTimes } from '../domain/inventory/last-sync-times.ts'
import { createChangeMetadata } from '../domain/inventory/change-metadata.ts'
import { createCountServers } from '../domain/inventory/count-servers.ts'
import { createGetTagPairs } from '../domain/inventory/get-tag-pairs.ts'
import { createExportServers } from '../domain/inventory/export-servers.ts'
import { createFindServer, createGetServer } from '../domain/inventory/get-server.ts'
import { createResourceUseCases } from '../domain/inventory/list-resources.ts'
import { createListServers } from '../domain/inventory/server-list/list-servers.ts'
import { createListChangeEvents } from '../domain/inventory/history/change-events.ts'
import { createListEvents } from '../domain/inventory/history/list-events.ts'
import { createMarkChanges } from '../domain/inventory/history/gaps.ts'
import { createCountChanges } from '../domain/inventory/history/count-changes.ts'
import { createGapsAt } from '../domain/inventory/history/gaps-at.ts'
import { createDiffServers } from '../domain/inventory/history/diff-servers.ts'
import { createAwaitChanges } from '../domain/inventory/history/await-changes.ts'
import { createExportChanges } from '../domain/inventory/history/export-changes.ts'
import { createFeedPositions } from '../domain/inventory/history/feed-position.ts'
import { createFollowChanges } from '../domain/inventory/history/follow-changes.ts'
import { createListChanges } from '../domain/inventory/history/list-changes.ts'
import { createSelectChanges } from '../domain/inventory/history/select-changes.ts'
import { createOwners, type Owners } from '../domain/inventory/owners.ts'
import { createReadHistory } from '../domain/inventory/read-history.ts'
import type { TimelineUseCases } from '../domain/inventory/read-timeline.ts'
import { createRecordServers } from '../domain/inventory/record-servers.ts'
import type { ViewUseCases } from '../domain/views/administer-views.ts'
import { createRewriteServers } from '../domain/inventory/rewrite-servers.ts'
import type { Database, DatabaseReader, DatabaseVersions } from '../storage/database.ts'
import { createEventStore } from '../storage/event-store.ts'
import { createChangeStore, findCommitAt, findFirstTime } from '../storage/history/change-store.ts'
import { createGapStore } from '../storage/history/gap-store.ts'
import { ensurePositionKey } from '../storage/history/position-key.ts'
import { createMoveEvents } from '../storage/history/move-events.ts'
import { purgeChanges } from '../storage/history/purge-changes.ts'
import { createOwnerDirectory } from '../storage/owners.ts'
import { createResourceFinder } from '../storage/resources/resource-finder.ts'
import { createServerFinder } from '../storage/servers/server-list/server-finder.ts'
import { createOutdatedServers, createServerWriter } from '../storage/servers/server-writer.ts'
import { loadOnce } from './load-once.ts'

interface Parts {
  readonly database: Database
  readonly identityVersion: IdentityVersion
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly syncTimes: LastSyncTimes
  readonly clock: Clock
  readonly memory: CacheMemory
  /** Milliseconds until a deleted server is removed from the database. */
  readonly deletedRetention: number
  /** Milliseconds until a change of a server is removed. */
  readonly historyRetention: number
}

/** The timeline is read rarely and counted once an hour, so its code is loaded when it is first needed. */
function composeTimeline({ database, clock }: Pick<Parts, 'database' | 'clock'>): TimelineUseCases {
  const loaded = loadOnce(async (): Promise<TimelineUseCases> => {
    const [{ createTimelineUseCases }, { createTimelineStore }] = await Promise.all([
      import('../domain/inventory/read-timeline.ts'),
      import('../storage/servers/timeline.ts'),
    ])
    return createTimelineUseCases({ timeline: createTimelineStore(database), clock })
  })
  return {
    readTimeline: async (caller, query) => (await loaded()).readTimeline(caller, query),
    countToday: async () => (await loaded()).countToday(),
  }
}

interface ReadingParts extends Pick<Parts, 'identityVersion' | 'syncTimes' | 'memory'> {
  readonly database: DatabaseReader & DatabaseVersions
  readonly owners: Owners
}

/** The use cases that read the inventory, as it is now or as it was. */
export function composeInventoryReads(parts: ReadingParts) {
  const { database, owners, identityVersion, syncTimes, memory } = parts
  const finder = createServerFinder(database, owners, memory)
  const findServer = createFindServer(finder, syncTimes)
  return {
    listServers: createListServers({ finder, owners, identityVersion, syncTimes, memory }),
    ...createExportServers({ finder, owners, syncTimes }),
    getTagPairs: createGetTagPairs(finder),
    countServers: createCountServers({ finder, identityVersion, memory }),
    getServer: createGetServer({ findServer, owners }),
    findServer,
    finder,
    ...createResourceUseCases(createResourceFinder(database)),
  }
}
export type InventoryReads = ReturnType<typeof composeInventoryReads>

/** Connects the use cases of the inventory to the database. */
export function composeInventory(parts: Parts) {
  const { database, identityVersion, reauthorizeCaller, clock, memory } = parts
  const owners = createOwners(createOwnerDirectory(database), identityVersion, memory)
  const reads = composeInventoryReads({ ...parts, owners })
  const { findServer } = reads
  const serverWriter = createServerWriter(database, clock)
  const changes = createChangeStore(database)
  const selectChanges = createSelectChanges({ owners, clock })
  const gaps = createGapStore(database)
  const markChanges = createMarkChanges({ gaps, clock })
  const gapsAt = createGapsAt({ gaps, clock })
  const listParts = { changes, selectChanges, markChanges }
  const listChanges = createListChanges(listParts)
  const awaitChanges = createAwaitChanges(changes)
  const events = createEventStore(database)
  const listChangeEvents = createListChangeEvents(listChanges, events)
  return {
    ...reads,
    listChanges,
    exportChanges: createExportChanges(listParts),
    followChanges: createFollowChanges({
      ...listParts,
      awaitChanges,
      loadPositions: loadOnce(async () => createFeedPositions(await ensurePositionKey(database))),
      reauthorizeCaller,
    }),
    /** Answers the requests that wait for changes. */
    stopWaiting: awaitChanges.stop,
    countChanges: createCountChanges({ changes, selectChanges }),
    diffServers: createDiffServers({
      changes,
      commits: {
        firstTime: () => findFirstTime(database),
        commitAt: (time) => findCommitAt(database, time),
      },
      owners,
      gapsAt: (caller, time, scope) => gapsAt.ofServers(caller, time, scope, reads.finder),
      clock,
    }),
    listEvents: createListEvents(listChangeEvents),
    ...createChangeMetadata({ findServer, serverWriter, reauthorizeCaller, clock }),
    recordServers: createRecordServers({ serverWriter, owners, clock }),
    rewriteServers: createRewriteServers({
      outdatedServers: createOutdatedServers(database),
      serverWriter,
    }),
    serverWriter,
    owners,
    ...composeTimeline(parts),
    loadViews: loadOnce(async (): Promise<ViewUseCases> => {
      const [{ createViewUseCases }, { createViewStore }] = await Promise.all([
        import('../domain/views/administer-views.ts'),
        import('../storage/views/view-store.ts'),
      ])
      return createViewUseCases({ views: createViewStore(database), reauthorizeCaller, clock })
    }),
    readHistory: createReadHistory({
      findServer,
      events,
      listChangeEvents,
    }),
    purgeDeleted: () => serverWriter.purgeDeleted(clock() - parts.deletedRetention),
    moveEvents: createMoveEvents(database),
    purgeChanges: () => purgeChanges(database, clock() - parts.historyRetention, clock()),
  }
}
export type Inventory = ReturnType<typeof composeInventory>
