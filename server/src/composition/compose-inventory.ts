import type { IdentityVersion } from '../domain/identity/ports.ts'
import type { Clock } from '../domain/clock.ts'
import type { ReauthorizeCaller } from '../domain/identity/reauthorize-caller.ts'
import type { SyncAges } from '../domain/inventory/ages.ts'
import { createChangeMetadata } from '../domain/inventory/change-metadata.ts'
import { createCountServers } from '../domain/inventory/count-servers.ts'
import { createExportServers } from '../domain/inventory/export-servers.ts'
import { createFindServer, createGetServer } from '../domain/inventory/get-server.ts'
import { createListServers } from '../domain/inventory/list-servers.ts'
import { createOwners } from '../domain/inventory/owners.ts'
import { createReadHistory } from '../domain/inventory/read-history.ts'
import { createRecordServers } from '../domain/inventory/record-servers.ts'
import type { Database } from '../storage/database.ts'
import { createEventStore } from '../storage/events.ts'
import { createOwnerDirectory } from '../storage/owners.ts'
import { createServerFinder } from '../storage/servers/finder.ts'
import { createFleetWriter } from '../storage/servers/fleet-writer.ts'
import { composeTimeline } from './compose-timeline.ts'
import { composeViews } from './compose-views.ts'

interface Parts {
  readonly database: Database
  readonly identityVersion: IdentityVersion
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly ages: SyncAges
  readonly clock: Clock
  /** How long deleted servers are kept, in milliseconds. */
  readonly deletedRetention: number
}

/** The inventory's use cases over a storage. */
export function composeInventory(parts: Parts) {
  const { database, identityVersion, reauthorizeCaller, ages, clock, deletedRetention } = parts
  const owners = createOwners(createOwnerDirectory(database), identityVersion)
  const finder = createServerFinder(database, owners)
  const fleet = createFleetWriter(database)
  const findServer = createFindServer(finder, ages)
  return {
    listServers: createListServers({ finder, owners, identityVersion, ages }),
    exportServers: createExportServers({ finder, owners, ages }),
    countServers: createCountServers({ finder, identityVersion }),
    getServer: createGetServer({ findServer, owners }),
    findServer,
    ...createChangeMetadata({ findServer, fleet, reauthorizeCaller, clock }),
    recordServers: createRecordServers({ fleet, owners, clock }),
    fleet,
    owners,
    ...composeTimeline({ database, clock }),
    ...composeViews({ database, reauthorizeCaller, clock }),
    readHistory: createReadHistory({ findServer, events: createEventStore(database) }),
    purgeDeleted: () => fleet.purgeDeleted(clock() - deletedRetention),
  }
}
export type Inventory = ReturnType<typeof composeInventory>
