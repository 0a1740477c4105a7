import { gatewayOperations, operations, type Operation } from '@muster/contract'
import type { FastifyBaseLogger } from 'fastify'
import { followAges } from './composition/follow-ages.ts'
import { claimPort, publicAddresses } from './composition/addresses.ts'
import type { Demo } from './composition/compose-demo.ts'
import type { composeGateway } from './composition/compose-gateway.ts'
import { composeIdentity } from './composition/compose-identity.ts'
import { composeInventory } from './composition/compose-inventory.ts'
import { composeSources, type Sources } from './composition/compose-sources.ts'
import { layFoundation } from './composition/lay-foundation.ts'
import { openStorage, type Storage } from './composition/open-storage.ts'
import type { ProgressOutput } from './composition/progress.ts'
import type { Config } from './config/read-config.ts'
import type { Clock, PasswordHasher } from './domain/identity/ports.ts'
import type { FleetWriter } from './domain/inventory/ports.ts'
import { createApp } from './http/app.ts'
import type { Database } from './storage/database.ts'
import { createAccountStore } from './storage/sources/account-store.ts'
import { createPasswordHasher } from './vault/password-hasher.ts'

const hour = 3_600_000
const longestDrain = 8_000

/** The operations of the parts that this process plays. The service's own are always there. */
function operationsOf({ roles }: Config): readonly Operation[] {
  return operations.filter(({ path }) => {
    if (path.startsWith('/v3')) return roles.includes('identity')
    if (/^\/(?:servers|views|cloudaccounts)/.test(path)) return roles.includes('platform')
    if (path === '/events') return roles.includes('identity') || roles.includes('platform')
    return true
  })
}

export interface PlatformOptions {
  readonly logger: FastifyBaseLogger
  readonly clock?: Clock
  /** Where a long load at start shows how far it is; nowhere unless given. */
  readonly progress?: ProgressOutput
  /** Told at once of a password that was made up, where a long load may be cut off before the welcome. */
  readonly onNewAdmin?: (password: string) => void
  /** What has to be ready before anybody is answered. */
  readonly beforeListening?: Promise<void>
}

/** The composition root: opens the storage, chooses the adapters, builds the use cases, mounts them. */
export async function createPlatform(config: Config, options: PlatformOptions) {
  const storage = await openStorage(config)
  try {
    return await assemble(config, options, storage)
  } catch (error) {
    await storage.database.close()
    throw error
  }
}
export type Platform = Awaited<ReturnType<typeof createPlatform>>

async function assemble(config: Config, options: PlatformOptions, { database, key }: Storage) {
  const { logger, clock = Date.now } = options
  const hasher = createPasswordHasher()
  // A port that is taken stops here, before a password is made up that nobody would see.
  const { port, isLoopback, release } = await claimPort(config.host, config.port)
  const newAdminPassword = await layGround(config, database, hasher, clock()).catch(
    async (error: unknown) => {
      await release()
      throw error
    },
  )
  if (config.demo && newAdminPassword !== undefined) options.onNewAdmin?.(newAdminPassword)
  const addresses = publicAddresses(config, port)

  const identity = composeIdentity({
    database,
    hasher,
    key,
    clock,
    ...addresses,
    region: config.region,
    lifetime: config.tokenTtl,
    loginFailuresPerMinute: config.loginFailuresPerMinute,
    tokensPerUser: config.tokensPerUser,
    accessKeysPerUser: config.accessKeysPerUser,
    eventRetention: config.eventRetention,
    reachable: config.sourceAllow,
  })
  const ages = followAges(createAccountStore(database, key))
  const inventory = composeInventory({
    ...identity,
    ages,
    database,
    clock,
    deletedRetention: config.deletedRetention,
  })
  // A bar shows how far the demo is.
  let isLoading = config.demo
  const sources = composeSources({
    isHushed: () => isLoading,
    ...identity,
    ...inventory,
    config,
    database,
    key,
    logger,
    clock,
  })
  const demo = await startDemo(
    config,
    options,
    { database, key },
    { hasher, clock, fleet: inventory.fleet, sources },
  ).catch(async (error: unknown) => {
    await sources.stop()
    await release()
    throw error
  })
  isLoading = false
  const { tlsCert, tlsKey } = config
  const hasGateway = config.roles.includes('gateway')
  const tls = tlsCert && tlsKey ? { cert: tlsCert, key: tlsKey } : undefined
  const { app, drain } = createApp(
    {
      ...config,
      ...addresses,
      isLoopback,
      homePage: hasGateway ? '/console/' : '/docs',
      gateway: hasGateway ? { operations: gatewayOperations, url: addresses.publicUrl } : undefined,
      tls,
      clock,
      logger,
    },
    { ...identity, ...inventory, ...sources, ping: database.ping, waitingLogins: hasher.waiting },
    operationsOf(config),
  )
  const gateway = hasGateway
    ? await startGateway({ app, config, ...addresses, database, clock, demo })
    : undefined

  const purge = setInterval(() => {
    Promise.all([
      identity.purgeExpired(),
      inventory.purgeDeleted(),
      gateway?.purgeSessions(),
    ]).catch((error: unknown) => {
      logger.warn({ err: error }, 'purging what has expired failed; the next try is in an hour')
    })
    void countFleet()
  }, hour)

  /** Keeps how big the fleet is today: the last count before midnight stays. */
  async function countFleet(): Promise<void> {
    if (!config.roles.includes('platform')) return
    await inventory.countToday().catch((error: unknown) => {
      logger.warn({ err: error }, 'counting the fleet failed')
    })
  }

  return {
    database,
    inventory,
    sources,
    ...addresses,
    newAdminPassword,
    demo,
    async listen(): Promise<string> {
      await options.beforeListening
      await release()
      return await app.listen({ host: config.host, port })
    },
    drain,
    /** Answers what is under way; who has not finished asking by then is cut off. */
    async close(patience = longestDrain): Promise<void> {
      clearInterval(purge)
      const deadline = setTimeout(() => app.server.closeAllConnections(), patience)
      await app.close()
      gateway?.close()
      clearTimeout(deadline)
      await sources.stop()
      await countFleet()
      await identity.sumUpDenials().catch((error: unknown) => {
        logger.warn({ err: error }, 'refused changes could not be summed up in the audit log')
      })
      await ages.stop()
      await database.close()
    },
  }
}

/** A gateway alone keeps sessions and nothing else: whom there is to log in, the others know. */
async function layGround(
  { roles, adminPassword }: Config,
  database: Database,
  hasher: PasswordHasher,
  now: number,
): Promise<string | undefined> {
  if (roles.every((role) => role === 'gateway')) return undefined
  return await layFoundation(database, hasher, adminPassword, now)
}

/** Only where it is played is it loaded. */
async function startGateway(parts: Parameters<typeof composeGateway>[0]) {
  const { composeGateway } = await import('./composition/compose-gateway.ts')
  return composeGateway(parts)
}

interface DemoParts {
  readonly hasher: PasswordHasher
  readonly clock: Clock
  readonly fleet: FleetWriter
  readonly sources: Pick<Sources, 'accounts' | 'desk'>
}

/** Only where it is asked for is it loaded: its catalogues are memory and time at start. */
async function startDemo(
  config: Config,
  { logger, progress }: PlatformOptions,
  { database, key }: Storage,
  { hasher, clock, fleet, sources: { accounts, desk } }: DemoParts,
): Promise<Demo | undefined> {
  if (!config.demo) return undefined
  const { composeDemo } = await import('./composition/compose-demo.ts')
  return await composeDemo({
    config,
    database,
    hasher,
    key,
    clock,
    logger,
    accounts,
    desk,
    fleet,
    ...(progress && { progress }),
  })
}
