import { operations, type Operation } from '@muster/contract'
import type { FastifyBaseLogger } from 'fastify'
import { claimPort, publicAddresses } from './composition/addresses.ts'
import { composeIdentity } from './composition/compose-identity.ts'
import { layFoundation } from './composition/lay-foundation.ts'
import { openStorage, type Storage } from './composition/open-storage.ts'
import type { Config } from './config/read-config.ts'
import type { Clock } from './domain/identity/ports.ts'
import { createApp } from './http/app.ts'
import { createPasswordHasher } from './vault/password-hasher.ts'

const hour = 3_600_000
const longestDrain = 8_000

/** The operations of the parts that this process plays. The service's own are always there. */
function operationsOf({ roles }: Config): readonly Operation[] {
  return operations.filter(({ path }) => {
    if (path.startsWith('/v3')) return roles.includes('identity')
    if (path === '/events') return roles.includes('identity') || roles.includes('platform')
    return true
  })
}

export interface PlatformOptions {
  readonly logger: FastifyBaseLogger
  readonly clock?: Clock
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
  const { port, release } = await claimPort(config.host, config.port)
  const newAdminPassword = await layFoundation(
    database,
    hasher,
    config.adminPassword,
    clock(),
  ).catch(async (error: unknown) => {
    await release()
    throw error
  })
  const addresses = publicAddresses(config, port)

  const identity = composeIdentity({
    database,
    hasher,
    key,
    clock,
    ...addresses,
    region: config.region,
    lifetime: config.tokenTtl,
    eventRetention: config.eventRetention,
    reachable: config.sourceAllow,
  })
  const { tlsCert, tlsKey } = config
  const tls = tlsCert && tlsKey ? { cert: tlsCert, key: tlsKey } : undefined
  const { app, drain } = createApp(
    { ...config, ...addresses, tls, clock, logger },
    { ...identity, ping: database.ping, waitingLogins: hasher.waiting },
    operationsOf(config),
  )

  const purge = setInterval(() => {
    identity.purgeExpired().catch((error: unknown) => {
      logger.warn({ err: error }, 'purging what has expired failed; the next try is in an hour')
    })
  }, hour)

  return {
    database,
    ...addresses,
    newAdminPassword,
    async listen(): Promise<string> {
      await release()
      return await app.listen({ host: config.host, port })
    },
    drain,
    /** Answers what is under way; who has not finished asking by then is cut off. */
    async close(patience = longestDrain): Promise<void> {
      clearInterval(purge)
      const deadline = setTimeout(() => app.server.closeAllConnections(), patience)
      await app.close()
      clearTimeout(deadline)
      await database.close()
    },
  }
}
