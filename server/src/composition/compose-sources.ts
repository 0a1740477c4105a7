import type { FastifyBaseLogger } from 'fastify'
import type { Config } from '../config/read-config.ts'
import type { Clock } from '../domain/identity/ports.ts'
import type { RenewCaller } from '../domain/identity/renew-caller.ts'
import { createCloudAccountUseCases } from '../domain/sources/administer-accounts.ts'
import { createRefreshServer } from '../domain/sources/refresh-server.ts'
import { isWanted } from '../domain/sources/run-accounts.ts'
import { createSourceAddressRule } from '../outgoing/allowed-addresses.ts'
import { createRefuseHost } from '../outgoing/refuse-address.ts'
import type { Database } from '../storage/database.ts'
import { createEventStore } from '../storage/events.ts'
import { createAccountStore } from '../storage/sources/account-store.ts'
import type { SecretKey } from '../vault/secret-key.ts'
import type { Inventory } from './compose-inventory.ts'
import { startSync } from './start-sync.ts'

interface Parts extends Pick<Inventory, 'owners' | 'findServer' | 'fleet'> {
  readonly config: Pick<Config, 'roles' | 'secretKeyFile' | 'sourceAllow' | 'disappearanceHold'>
  readonly database: Database
  readonly key: SecretKey
  readonly renewCaller: RenewCaller
  readonly logger: FastifyBaseLogger
  /** Whether progress is told elsewhere at the moment, so that the log need not. */
  readonly isHushed: () => boolean
  readonly clock: Clock
}

/** The use cases of sources: what is asked is asked here, the work itself is done in a thread of its own. */
export function composeSources(parts: Parts) {
  const { config, database, key, owners, findServer, fleet, renewCaller, clock } = parts
  const { logger, isHushed } = parts
  const accounts = createAccountStore(database, key)
  const events = createEventStore(database)
  const isPlatform = config.roles.includes('platform')
  const { desk, stop } = startSync({
    database,
    secretKeyFile: config.secretKeyFile,
    reachable: config.sourceAllow,
    disappearanceHold: config.disappearanceHold,
    logger,
    isHushed,
    hasAccounts: async () => isPlatform && (await accounts.all()).some(isWanted),
  })
  return {
    cloudAccounts: createCloudAccountUseCases({
      loadKinds: async () => (await import('../sources/kinds.ts')).kinds,
      accounts,
      events,
      owners,
      desk,
      renewCaller,
      refuseHost: createRefuseHost(createSourceAddressRule(config.sourceAllow)),
      clock,
    }),
    refreshServer: createRefreshServer({ findServer, fleet, accounts, desk, events, clock }),
    accounts,
    desk,
    stop,
  }
}
export type Sources = ReturnType<typeof composeSources>
