import type { FastifyBaseLogger } from 'fastify'
import { ConfigError } from '../config/parsers.ts'
import type { Config } from '../config/read-config.ts'
import type { PasswordHasher } from '../domain/identity/ports.ts'
import type { Clock } from '../domain/clock.ts'
import { dayOf } from '../domain/inventory/draw-timeline.ts'
import type { FleetWriter } from '../domain/inventory/ports.ts'
import type { SyncClient } from '../domain/sources/sync-client.ts'
import type { AccountStore } from '../domain/sources/ports.ts'
import { simulatorKind } from '../sources/simulator/simulator-kind.ts'
import { simulatedAccounts } from '../sources/simulator/sites.ts'
import type { Database } from '../storage/database.ts'
import { clearDemo } from '../storage/clear-demo.ts'
import { findDemoNote, keepDemoNote, type DemoNote } from '../storage/demo-note.ts'
import { layDemoPast } from '../storage/demo-past.ts'
import { createDirectory } from '../storage/directory.ts'
import { createRegistry } from '../storage/registry/registry.ts'
import type { SecretKey } from '../vault/secret-key.ts'
import { createAttachDemoAccounts } from './attach-demo-accounts.ts'
import { demoProjects } from './demo-organisation.ts'
import { createSeedDemoOrganisation } from './seed-demo-organisation.ts'
import { waitForDemo } from './wait-for-demo.ts'
import { createListDemoUsers, type DemoUser } from './list-demo-users.ts'
import { createProgress, type ProgressOutput } from './progress.ts'

interface Parts {
  readonly config: Pick<Config, 'demoServers'>
  readonly database: Database
  readonly hasher: PasswordHasher
  readonly key: SecretKey
  readonly clock: Clock
  readonly logger: Pick<FastifyBaseLogger, 'info'>
  readonly accounts: AccountStore
  readonly syncClient: Pick<SyncClient, 'reconcile'>
  readonly fleet: Pick<FleetWriter, 'hasRealServers'>
  /** Where a long load shows how far it is; nowhere unless given. */
  readonly progress?: ProgressOutput
}

export interface Demo {
  readonly servers: number
  readonly users: readonly DemoUser[]
  /** Whether some of its servers are still to come in. */
  readonly isLoading: boolean
  /** Settles when all its servers are in, or when they are not waited for any longer. */
  readonly loaded: Promise<void>
  /** Ends the wait. The next start goes on with what is missing. */
  stop(): void
}

const demoSeed = 20_260_101
/** To be raised when the simulator gives a server another id: what is there would stay beside it. */
const demoVersion = 2
const defaultServers = 1_000
const nowhere: ProgressOutput = { write: () => {} }

/** A demo: its people and projects, and the accounts that its servers come from. These load in the background. */
export async function composeDemo(parts: Parts): Promise<Demo> {
  const { database, accounts, logger } = parts
  await requireNothingReal(parts)
  const registry = createRegistry(database)
  const directory = createDirectory(database)
  const known = await findDemoNote(database.db)
  const isOutdated = known !== undefined && known.version !== demoVersion
  const servers = chooseSize(
    parts.config.demoServers ?? known?.servers,
    isOutdated ? undefined : known,
  )
  if (isOutdated) {
    logger.info('the demo is of an earlier version: its servers are made anew')
    await clearDemo(database)
  }
  const projects = demoProjects(servers)
  await createSeedDemoOrganisation({ ...parts, registry })(projects, known?.hasPeople !== true)

  const seed = known?.seed ?? demoSeed
  const simulated = simulatedAccounts(seed)
  const fleet = { seed, servers, projects }
  const { attach, grow } = createAttachDemoAccounts(parts)
  const ids = new Set(simulated.map(({ id }) => id))
  const listOwn = async () => (await accounts.all()).filter(({ account }) => ids.has(account.id))
  if (isOutdated || known?.hasAccounts !== true) await attach(simulated, fleet)
  const before = await listOwn()
  const hasGrown = known !== undefined && !isOutdated && known.servers < servers
  if (hasGrown) {
    logger.info({ from: known.servers, to: servers }, 'the demo grows')
    await grow(simulated, fleet, demoProjects(known.servers).length)
  }
  await keepDemoNote(database, {
    version: demoVersion,
    seed,
    servers,
    hasPeople: true,
    hasAccounts: true,
  })
  const waiting = before.filter(
    ({ account, sync }) =>
      account.enabled && !account.leaving && (hasGrown || sync.finished_at === null),
  )
  const users = await createListDemoUsers({ ...parts, registry, directory })()
  const stopped = new AbortController()
  return {
    servers,
    users,
    isLoading: waiting.length > 0,
    loaded: load(parts, waiting, servers, stopped.signal),
    stop: () => stopped.abort(),
  }
}

async function requireNothingReal({ fleet, accounts }: Parts): Promise<void> {
  const refuse = (what: string) => {
    throw new ConfigError(
      `--demo does not go on top of real ${what}, and there are some here: take another --data-dir or --database-url`,
    )
  }
  if (await fleet.hasRealServers()) refuse('servers')
  const isReal = (provider: string) => provider !== simulatorKind.provider
  if ((await accounts.all()).some(({ account }) => isReal(account.provider))) {
    refuse('cloud accounts')
  }
}

function chooseSize(wish: number | undefined, known: DemoNote | undefined): number {
  const servers = wish ?? defaultServers
  if (known && servers < known.servers) {
    throw new ConfigError(
      `--demo-servers is less than the ${known.servers} that this demo has, and a demo only grows: for a smaller one take another --data-dir or --database-url`,
    )
  }
  return servers
}

async function load(
  { accounts, syncClient, database, clock, progress = nowhere }: Parts,
  waiting: Parameters<typeof waitForDemo>[0]['waiting'],
  servers: number,
  signal: AbortSignal,
): Promise<void> {
  if (waiting.length === 0) return
  const { advance, end } = createProgress({
    output: progress,
    title: 'Loading the demo',
    total: servers,
  })
  await waitForDemo({ accounts, syncClient, waiting, onSeen: advance, signal })
  if (signal.aborted) return
  await layDemoPast(database, dayOf(clock()))
  // PostgreSQL would gather statistics by itself only minutes later.
  if (database.engine === 'postgres') await database.maintain(['analyze'])
  end()
}
