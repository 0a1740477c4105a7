import { Server as TlsServer } from 'node:tls'
import { gatewayOperations, operations, type Operation } from '@muster/contract'
import type { FastifyBaseLogger } from 'fastify'
import { openControlSocket } from './admin/control-server.ts'
import { createAwaitStart, NotYet } from './composition/await-start.ts'
import { trackSyncTimes } from './composition/track-sync-times.ts'
import { publicAddresses } from './composition/addresses.ts'
import type { composeGateway } from './composition/compose-gateway.ts'
import { composeIdentity } from './composition/compose-identity.ts'
import { composeChecks, defaultCheckInterval } from './composition/compose-checks.ts'
import { composeDelivery } from './composition/compose-delivery.ts'
import { composeMetrics } from './composition/compose-metrics.ts'
import { composeHistory } from './composition/compose-history.ts'
import { composeInventory } from './composition/compose-inventory.ts'
import { defaultTaskLimits, type TaskLimits } from './composition/task-limits.ts'
import { composeTasks } from './composition/compose-tasks.ts'
import { composeSources, type Sources } from './composition/compose-sources.ts'
import { bootstrapDatabase } from './composition/bootstrap-database.ts'
import { openStorage, type Storage } from './composition/open-storage.ts'
import { startMaintenance } from './composition/start-maintenance.ts'
import { startPeopleSync } from './composition/start-people-sync.ts'
import type { Config } from './config/read-config.ts'
import type { Demo, ProgressOutput } from './demo-port.ts'
import { createCacheMemory, type CacheMemory } from './domain/cache.ts'
import type { Clock } from './domain/clock.ts'
import { createHealth } from './domain/health.ts'
import { createSteadyClock } from './domain/steady-clock.ts'
import type { PasswordHasher } from './domain/identity/ports.ts'
import type { ServerWriter } from './domain/inventory/ports.ts'
import { createApp } from './http/app.ts'
import type { AccessLog } from './http/request-log.ts'
import { openPort, type OpenPort } from './http/open-port.ts'
import type { Database } from './storage/database.ts'
import { version } from './version.ts'
import { createAccountStore } from './storage/sources/account-store.ts'
import { createPasswordHasher, type PasswordCost } from './vault/password-hasher.ts'

const longestDrain = 8_000

const operationsOf = ({ roles }: Config): readonly Operation[] =>
  (operations as readonly Operation[]).filter(({ servedBy }) =>
    servedBy.some((role) => roles.includes(role)),
  )

export interface PlatformOptions {
  readonly logger: FastifyBaseLogger
  /** For requests; by default the logger. */
  readonly accessLog?: AccessLog
  readonly clock?: Clock
  /** The cost of hashing a password; lower in tests. */
  readonly passwordCost?: PasswordCost
  /** The time limits of leases and of requests to sources; shorter in tests. */
  readonly taskLimits?: TaskLimits
  /** Milliseconds between evaluations of checks; tests evaluate them themselves. */
  readonly checkInterval?: number
  /** Shows the progress of a long load at start; optional. */
  readonly progress?: ProgressOutput
  /** Resolves when the console is built. Muster is not ready before. */
  readonly consoleBuilt?: Promise<void>
  /** Aborts the start. Has no effect once initial data may have been created. */
  readonly signal?: AbortSignal
}

/** The composition root: opens the storage, creates adapters and use cases, and registers the routes. */
export async function createPlatform(config: Config, options: PlatformOptions) {
  const { consoleBuilt, signal, clock = Date.now } = options
  const tls = tlsOf(config)
  let port: OpenPort | undefined
  const memory = createCacheMemory(config.cacheMemory * 2 ** 20)
  const awaitStart = createAwaitStart({
    ...config,
    signal,
    log: options.logger,
    onWait: (reason) => port?.explain(`waiting (${reason})`),
  })
  const opening = openStorage(config, memory, {
    awaitStart,
    async onLocked() {
      port = await awaitStart(() => openPort({ ...config, tls, clock }).catch(explainHost(config)))
      port.explain('opening the database')
    },
    inspect: async () => port?.explain('opening and migrating the database'),
  })
  try {
    const storage = await unlessAborted(opening, signal)
    if (!port) throw new Error('the storage was opened without a port to listen on')
    port.explain('building the console')
    await unlessAborted(consoleBuilt ?? Promise.resolve(), signal)
    port.explain('starting the services')
    return await assemble(config, options, { ...storage, memory }, port)
  } catch (error) {
    await port?.close()
    // An aborted start does not wait for the storage, which may still be opening.
    const closing = opening.then(({ database }) => database.close()).catch(() => {})
    if (signal?.aborted !== true) await closing
    throw error
  }
}
export type Platform = Awaited<ReturnType<typeof createPlatform>>

/** Interfaces and DNS may come up after Muster does. */
const explainHost =
  ({ host }: Config) =>
  (error: NodeJS.ErrnoException): never => {
    const isAway = /^(EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN)$/.test(error.code ?? '')
    throw isAway ? new NotYet(`--host: ${host} is not an address of this machine`) : error
  }

function tlsOf({ tlsCert, tlsKey }: Config) {
  return tlsCert && tlsKey ? { cert: tlsCert, key: tlsKey } : undefined
}

async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined) {
  if (!signal) return await work
  signal.throwIfAborted()
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the start was aborted')))
  })
  return await Promise.race([work, aborted])
}

async function assemble(
  config: Config,
  options: PlatformOptions,
  { database, key, memory }: Storage & { readonly memory: CacheMemory },
  port: OpenPort,
) {
  const { logger } = options
  const clock =
    options.clock ?? createSteadyClock(database.readClock, (message) => logger.warn(message))
  const hasher = createPasswordHasher(options.passwordCost)
  const tracing = await startTracing(config, database, logger)
  const newAdminPassword = await createInitialData(config, database, hasher, clock())
  const addresses = publicAddresses(config, port.port)

  const identity = composeIdentity({
    database,
    hasher,
    key,
    clock,
    memory,
    ...addresses,
    region: config.region,
    lifetime: config.tokenTtl,
    loginFailuresPerMinute: config.loginFailuresPerMinute,
    tokensPerUser: config.tokensPerUser,
    accessKeysPerUser: config.accessKeysPerUser,
    keyConfirmation: config.keyConfirmation,
    serviceAccountUnused: config.serviceAccountUnused,
    eventRetention: config.eventRetention,
    reachable: config.sourceAllow,
  })
  const syncTimes = trackSyncTimes(createAccountStore(database, key))
  const inventory = composeInventory({
    ...identity,
    syncTimes,
    database,
    clock,
    memory,
    deletedRetention: config.deletedRetention,
    historyRetention: config.historyRetention,
  })
  const { close: closeHistory, ...history } = composeHistory({
    ...identity,
    ...inventory,
    config,
    database,
    clock,
    memory,
  })
  // The progress of the demo is shown on its own line, not in the log.
  let isLoading = config.demo
  const sources = composeSources({
    isQuiet: () => isLoading,
    ...identity,
    ...inventory,
    config,
    database,
    key,
    logger,
    clock,
    tracing,
    taskLimits: options.taskLimits ?? defaultTaskLimits,
  })
  const tasks = composeTasks({
    ...identity,
    ...inventory,
    ...sources,
    database,
    taskTimeout: config.taskTimeout,
    recycleFor: config.recycleFor,
    eventRetention: config.eventRetention,
    clock,
  })
  const checks = composeChecks({
    ...identity,
    ...inventory,
    ...sources,
    database,
    historyRetention: config.historyRetention,
    clock,
    logger,
  })
  const demo = await startDemo(
    config,
    options,
    { database, key },
    { hasher, clock, serverWriter: inventory.serverWriter, sources },
  ).catch(async (error: unknown) => {
    await sources.stop()
    throw error
  })
  const demoLoaded = (demo?.loaded ?? Promise.resolve())
    .catch((error: unknown) => logger.error({ err: error }, 'could not load the demo'))
    .finally(() => (isLoading = false))
  const deliveries = composeDelivery({ config, database, ...identity, ...addresses, logger, clock })
  const health = createHealth({
    ...database,
    keyProblem: key.problem,
    clock: options.clock ?? Date.now,
    log: logger,
  })
  const otherMetrics = composeMetrics({
    ...sources,
    version,
    database,
    memory,
    health,
    queues: { password_logins: hasher.counts, provider_logins: identity.providerLogins },
    sessionIdle: config.sessionIdle,
    serviceAccountUnused: config.serviceAccountUnused,
    deliveries,
    clock,
    spanCounts: tracing?.counts,
  })
  const hasGateway = config.roles.includes('gateway')
  const { app, drain } = createApp(
    {
      ...config,
      ...addresses,
      isLoopback: port.isLoopback,
      homePage: hasGateway ? '/console/' : '/docs',
      gateway: hasGateway ? { operations: gatewayOperations, url: addresses.publicUrl } : undefined,
      tls: tlsOf(config),
      clock,
      memory,
      logger,
      tracer: tracing?.tracer,
      accessLog: options.accessLog ?? { logger, interval: config.accessLog },
    },
    {
      ...identity,
      ...inventory,
      ...history,
      ...sources,
      ...tasks,
      ...checks,
      health,
      otherMetrics,
    },
    operationsOf(config),
  )
  const gateway = hasGateway
    ? await startGateway({ app, config, ...addresses, ...identity, database, clock, demo })
    : undefined

  health.start()
  for (const delivery of deliveries) delivery.start()
  const maintenance = startMaintenance(config, inventory, logger, async () => {
    await Promise.all([
      identity.purgeExpired(),
      inventory.purgeDeleted(),
      inventory.purgeChanges(),
      tasks.purgeTasks(),
      checks.purgeViolations(),
      gateway?.purgeSessions(),
    ])
  })
  const peopleSync = startPeopleSync(config, identity.syncPeople, logger)
  const { checkInterval = defaultCheckInterval } = options
  const checking = checks.startEvaluation(config, checkInterval)
  // With PostgreSQL, admin commands use the database themselves.
  const controlSocket =
    database.engine === 'sqlite'
      ? await openControlSocket({ config, database, key, clock }, logger)
      : undefined

  return {
    database,
    syncPeople: identity.syncPeople,
    inventory,
    ...history,
    sources,
    tasks,
    checks,
    ...addresses,
    newAdminPassword,
    demo,
    async listen(): Promise<string> {
      await port.handOver(app)
      logger.info(`Server listening at ${addresses.listenUrl}`)
      return addresses.listenUrl
    },
    drain(): void {
      drain()
      inventory.stopWaiting()
    },
    /** For new connections. Has no effect without TLS. */
    useCertificate(next: Config): void {
      const certificate = tlsOf(next)
      if (certificate && app.server instanceof TlsServer) app.server.setSecureContext(certificate)
    },
    /** Finishes requests in progress. Closes connections that are still open after the timeout. */
    async close(timeout = longestDrain): Promise<void> {
      await health.stop()
      await controlSocket?.close()
      otherMetrics.stop()
      await maintenance.stop()
      await peopleSync.stop()
      inventory.stopWaiting()
      await checking.stop()
      const deadline = setTimeout(() => app.server.closeAllConnections(), timeout)
      await app.close()
      await port.close()
      gateway?.close()
      clearTimeout(deadline)
      demo?.stop()
      await demoLoaded
      await sources.stop()
      await maintenance.countServers()
      await Promise.all(deliveries.map((delivery) => delivery.stop()))
      await identity.flushDenials().catch((error: unknown) => {
        logger.warn({ err: error }, 'could not write denied requests to the audit log')
      })
      await syncTimes.stop()
      await closeHistory()
      await database.close()
      await tracing?.stop()
    },
  }
}

/** A process that is only a gateway stores nothing but sessions, so it creates no initial data. */
async function createInitialData(
  { roles, adminPassword }: Config,
  database: Database,
  hasher: PasswordHasher,
  now: number,
): Promise<string | undefined> {
  if (roles.every((role) => role === 'gateway')) return undefined
  return await bootstrapDatabase(database, hasher, adminPassword, now)
}

/** Loads the gateway only in processes with that role. */
async function startGateway(parts: Parameters<typeof composeGateway>[0]) {
  const { composeGateway } = await import('./composition/compose-gateway.ts')
  return composeGateway(parts)
}

/** Loads the exporter of traces only with `--otlp-endpoint`. */
async function startTracing(config: Config, database: Database, logger: FastifyBaseLogger) {
  const { otlpEndpoint: endpoint } = config
  if (endpoint === undefined) return undefined
  const { composeTracing } = await import('./composition/compose-tracing.ts')
  const { traceStatements } = await import('./tracing/trace-statements.ts')
  const tracing = composeTracing({ endpoint, config, logger })
  traceStatements(database, tracing.tracer)
  return tracing
}

interface DemoParts {
  readonly hasher: PasswordHasher
  readonly clock: Clock
  readonly serverWriter: ServerWriter
  readonly sources: Pick<Sources, 'accounts' | 'syncClient'>
}

/** Loads the simulator only with `--demo`: its catalogues cost memory and time at start. */
async function startDemo(
  config: Config,
  { logger, progress }: PlatformOptions,
  { database, key }: Storage,
  { hasher, clock, serverWriter, sources: { accounts, syncClient } }: DemoParts,
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
    syncClient,
    serverWriter,
    ...(progress && { progress }),
  })
}
