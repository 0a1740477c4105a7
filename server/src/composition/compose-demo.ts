import type { FastifyBaseLogger } from 'fastify'
import { ConfigError } from '../config/parsers.ts'
import type { Config } from '../config/read-config.ts'
import type { Demo, DemoHost, ProgressOutput } from '../demo-port.ts'
import type { Clock } from '../domain/clock.ts'
import type { PasswordHasher } from '../domain/identity/ports.ts'
import { dayOf } from '../domain/inventory/draw-timeline.ts'
import type { ServerWriter } from '../domain/inventory/ports.ts'
import type { AccountStore } from '../domain/sources/ports.ts'
import type { SyncClient } from '../domain/sources/sync-client.ts'
import { clearDemo } from '../storage/clear-demo.ts'
import type { Database } from '../storage/database.ts'
import { findDemoRecord, storeDemoRecord } from '../storage/demo-record.ts'
import { countServersOf } from '../storage/stored-counts.ts'
import { writeDemoHistory } from '../storage/servers/demo-history.ts'
import { createDirectory } from '../storage/identity/directory.ts'
import { createRegistry } from '../storage/registry/registry.ts'
import type { SecretKey } from '../vault/secret-key.ts'
import { createAttachDemoAccounts } from './attach-demo-accounts.ts'
import { createListDemoUsers } from './list-demo-users.ts'
import { createSeedDemoOrganisation } from './seed-demo-organisation.ts'

interface Parts {
  readonly config: Pick<Config, 'demoServers'>
  readonly database: Database
  readonly hasher: PasswordHasher
  readonly key: SecretKey
  readonly clock: Clock
  readonly logger: Pick<FastifyBaseLogger, 'info'>
  readonly accounts: AccountStore
  readonly syncClient: Pick<SyncClient, 'reconcile'>
  readonly serverWriter: Pick<ServerWriter, 'hasRealServers'>
  /** Shows the progress of a long load; optional. */
  readonly progress?: ProgressOutput
}

const noOutput: ProgressOutput = { write: () => {} }

/** Loads the simulator and starts the demo on this platform. */
export async function composeDemo(parts: Parts): Promise<Demo> {
  // oxlint-disable-next-line no-restricted-imports -- loaded for `--demo` only
  const { startDemo, provider } = await import('@muster/simulator/demo')
  await refuseRealData(parts, provider)
  const { config, progress = noOutput } = parts
  return await startDemo(createDemoHost(parts), { servers: config.demoServers, progress })
}

function createDemoHost(parts: Parts): DemoHost {
  const { database, accounts, syncClient, clock, logger } = parts
  const registry = createRegistry(database)
  const directory = createDirectory(database)
  const { attachAccounts, growAccounts } = createAttachDemoAccounts(parts)
  return {
    findRecord: () => findDemoRecord(database.db),
    saveRecord: (record) => storeDemoRecord(database, record),
    clear: () => clearDemo(database),
    createOrganisation: createSeedDemoOrganisation({ ...parts, registry }),
    attachAccounts,
    growAccounts,
    listAccounts: () => accounts.all(),
    countServers: (accountIds) => countServersOf(database.db, accountIds),
    reconcile: syncClient.reconcile,
    listUsers: createListDemoUsers({ ...parts, registry, directory }),
    async completeLoad() {
      await writeDemoHistory(database, dayOf(clock()))
      // Otherwise PostgreSQL updates its statistics only minutes later.
      if (database.engine === 'postgres') await database.maintain(['analyze'])
    },
    configError: (message) => new ConfigError(message),
    log: { info: (fields, message) => logger.info(fields, message) },
  }
}

async function refuseRealData({ serverWriter, accounts }: Parts, provider: string): Promise<void> {
  const refuse = (what: string) => {
    throw new ConfigError(
      `--demo cannot be used with a database that has real ${what}: use another --data-dir or --database-url`,
    )
  }
  if (await serverWriter.hasRealServers()) refuse('servers')
  if ((await accounts.all()).some(({ account }) => account.provider !== provider)) {
    refuse('cloud accounts')
  }
}
