import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/read-config.ts'
import type { Clock } from '../domain/clock.ts'
import type { ReauthorizeCaller } from '../domain/identity/reauthorize-caller.ts'
import { createCloudAccountUseCases } from '../domain/sources/administer-accounts.ts'
import { createClaimServers } from '../domain/sources/claim-servers.ts'
import { createRefreshServer } from '../domain/sources/refresh-server.ts'
import { isWanted } from '../domain/sources/account-scheduler.ts'
import { createSourceAddressRule } from '../egress/allowed-addresses.ts'
import { createCheckHost } from '../egress/check-address.ts'
import { kinds } from '../sources/kinds.ts'
import type { Database } from '../storage/database.ts'
import { createEventStore } from '../storage/event-store.ts'
import { createGapStore } from '../storage/history/gap-store.ts'
import { createAccountStore } from '../storage/sources/account-store.ts'
import { createServerKeys, createSightingStore } from '../storage/sources/sighting-store.ts'
import { createSyncRunStore } from '../storage/sources/sync-run-store.ts'
import { createTaskStore } from '../storage/tasks/task-store.ts'
import type { SecretKey } from '../vault/secret-key.ts'
import type { Inventory } from './compose-inventory.ts'
import type { Tracing } from './compose-tracing.ts'
import { startSync } from './start-sync.ts'
import type { TaskLimits } from './task-limits.ts'

interface Parts extends Pick<Inventory, 'owners' | 'findServer' | 'finder' | 'serverWriter'> {
  readonly config: Pick<
    Config,
    'roles' | 'secretKeyFile' | 'sourceAllow' | 'disappearanceHold' | 'taskTimeout' | 'recycleFor'
  >
  readonly database: Database
  readonly key: SecretKey
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly logger: FastifyBaseLogger
  /** Whether progress is shown elsewhere, so that the log does not repeat it. */
  readonly isQuiet: () => boolean
  readonly clock: Clock
  readonly tracing: Tracing | undefined
  readonly taskLimits: TaskLimits
}

/** Composes the use cases of sources. The sync itself runs in its own thread. */
export function composeSources(parts: Parts) {
  const { config, database, key, owners, findServer, serverWriter, reauthorizeCaller, clock } =
    parts
  const { logger, isQuiet } = parts
  const accounts = createAccountStore(database, key)
  const events = createEventStore(database)
  const isPlatform = config.roles.includes('platform')
  const { syncClient, statistics, stop } = startSync({
    database,
    secretKeyFile: config.secretKeyFile,
    reachable: config.sourceAllow,
    disappearanceHold: config.disappearanceHold,
    tasks: {
      taskTimeout: config.taskTimeout,
      recycleFor: config.recycleFor,
      ...parts.taskLimits,
    },
    tracing: parts.tracing,
    logger,
    isQuiet,
    hasAccounts: async () => isPlatform && (await accounts.all()).some(isWanted),
  })
  return {
    cloudAccounts: createCloudAccountUseCases({
      kinds,
      accounts,
      events,
      gaps: createGapStore(database),
      syncRuns: createSyncRunStore(database),
      owners,
      syncClient,
      reauthorizeCaller,
      hasKeys: () => key.problem() === undefined,
      checkHost: createCheckHost(createSourceAddressRule(config.sourceAllow)),
      claimServers: createClaimServers({
        accounts,
        sightings: createSightingStore(database),
        serverKeys: createServerKeys(database),
        finder: parts.finder,
        serverWriter,
        owners,
        unfinishedOf: createTaskStore(database, clock).unfinishedOf,
        syncClient,
        reauthorizeCaller,
        clock,
      }),
      clock,
    }),
    refreshServer: createRefreshServer({
      findServer,
      serverWriter,
      accounts,
      syncClient,
      events,
      clock,
    }),
    accounts,
    syncClient,
    syncStatistics: statistics,
    stop,
  }
}
export type Sources = ReturnType<typeof composeSources>
