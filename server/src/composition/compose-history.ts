import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/read-config.ts'
import type { CacheMemory } from '../domain/cache.ts'
import type { Clock } from '../domain/clock.ts'
import type { IdentityVersion } from '../domain/identity/ports.ts'
import {
  createGapsAt,
  type AskedServers,
  type KnownAccounts,
} from '../domain/inventory/history/gaps-at.ts'
import { createFindServer, createGetServer } from '../domain/inventory/get-server.ts'
import {
  createMoments,
  type OpenMoment,
  type PastVersion,
} from '../domain/inventory/history/moments.ts'
import { createRedactHistory } from '../domain/inventory/history/redact-history.ts'
import { parseAsOf } from '../domain/inventory/history/parse-as-of.ts'
import type { AskedMoment } from '../http/inventory/read-at.ts'
import type { Owners } from '../domain/inventory/owners.ts'
import { requesterOf, type ServerFinder, type ServerWriter } from '../domain/inventory/ports.ts'
import type { Database } from '../storage/database.ts'
import {
  findCommitAt,
  findFirstTime,
  findNewestCommit,
  findPurgedCommit,
} from '../storage/history/change-store.ts'
import { createGapStore } from '../storage/history/gap-store.ts'
import { createRefreshOwnerNames } from '../storage/history/refresh-owner-names.ts'
import { createLoadPastServer } from '../storage/history/load-past-server.ts'
import { countRedactions, createRedactionStore } from '../storage/history/redaction-store.ts'
import { composeInventoryReads, type InventoryReads } from './compose-inventory.ts'

interface Parts {
  readonly config: Pick<Config, 'dataDir' | 'queryTimeout'>
  readonly database: Database
  readonly identityVersion: IdentityVersion
  readonly owners: Owners
  readonly serverWriter: ServerWriter
  readonly memory: CacheMemory
  readonly clock: Clock
}

/** The inventory at a moment, where it is stored, and what was counted in it. */
type PastInventory = InventoryReads & {
  readonly directory: string
  readonly knownAccounts: KnownAccounts
  readonly refreshOwnerNames: () => Promise<void>
}

/**
 * Removes what processes left that ended without doing so. SQLite's data directory belongs to one process;
 * several with PostgreSQL can have the same one, and containers have a host name each.
 */
function removeLeftovers(folder: string, isOwnDirectory: boolean): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const [, host, pid] = /^(.*)_(\d+)$/.exec(name) ?? []
    const isOwn = host === hostname() && Number(pid) === process.pid
    const mayRun = host === hostname() ? isAlive(Number(pid)) : isRecent(join(folder, name))
    if (isOwnDirectory || isOwn || !mayRun) {
      rmSync(join(folder, name), { recursive: true, force: true })
    }
  }
}

const hour = 3_600_000

/** Processes touch their folder every hour. */
const isRecent = (path: string) => Date.now() - statSync(path).mtimeMs < 24 * hour

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Each process has its own moments. They are copies, so nothing is lost with them. Processes on PostgreSQL can
 * have the same data directory.
 */
export function composeHistory({ config, database, owners, serverWriter, clock, ...parts }: Parts) {
  const allFolders = join(config.dataDir, 'moments')
  removeLeftovers(allFolders, database.engine === 'sqlite')
  const folder = join(allFolders, `${hostname()}_${process.pid}`)
  const pastOwners: Owners = {
    byProject: owners.byProject,
    managedAccounts: async () => new Set(),
    isPast: true,
  }

  const touching = setInterval(() => {
    const now = new Date()
    if (existsSync(folder)) utimesSync(folder, now, now)
  }, hour).unref()

  /** When an account was synced then is not recorded. */
  const syncTimes = { of: () => undefined, version: () => 0 }
  let count = 0

  async function build(
    commit: number,
    base: PastVersion<PastInventory> | undefined,
    signal: AbortSignal,
    onProgress: (progress: number) => void,
  ): Promise<OpenMoment<PastInventory>> {
    const { buildMoment } = await import('../storage/history/build-moment.ts')
    count += 1
    const directory = join(folder, String(count))
    const remove = () => rmSync(directory, { recursive: true, force: true })
    const moment = await buildMoment(database, {
      ...parts,
      ...config,
      commit,
      base: base && { commit: base.commit, directory: base.inventory.directory },
      directory,
      signal,
      onProgress,
    }).catch((error: unknown) => {
      remove()
      throw error
    })
    const reads = composeInventoryReads({
      ...parts,
      // Names of owners are those of today, and so is the version of what depends on them.
      database: { ...moment, currentVersion: database.currentVersion },
      owners: pastOwners,
      syncTimes,
    })
    return {
      inventory: {
        ...reads,
        directory,
        knownAccounts: new Map(),
        refreshOwnerNames: createRefreshOwnerNames(moment, owners),
      },
      async close() {
        await moment.close()
        remove()
      },
    }
  }

  const moments = createMoments(
    {
      firstTime: () => findFirstTime(database),
      commitAt: (time) => findCommitAt(database, time),
      newestCommit: () => findNewestCommit(database),
      oldestCommit: () => findPurgedCommit(database),
      redactions: () => countRedactions(database),
      isCopiedFast: database.engine === 'sqlite',
      build,
    },
    clock,
  )
  const gapsAt = createGapsAt({ gaps: createGapStore(database), clock })
  const loadPastServer = createLoadPastServer(database)

  /** The inventory at a time, with the names of today. It stays until it is released. */
  async function readMoment(time: number, { caller, patience }: AskedMoment) {
    const { userId: user } = caller.principal.token
    const moment = await moments.at(time, { user, patience })
    try {
      await moment.inventory.refreshOwnerNames()
    } catch (error) {
      moment.release()
      throw error
    }
    return moment
  }

  /** One server needs no moment, unless it is asked for by its name. */
  async function readPastServer(asked: AskedMoment) {
    const { asOf, caller, isRelativeAllowed } = asked
    const time = parseAsOf(asOf, clock(), isRelativeAllowed)
    const loadById = loadPastServer(await moments.commitAt(time), requesterOf(caller))
    async function findByName(...query: Parameters<ServerFinder['findByName']>) {
      const { inventory, release } = await readMoment(time, asked)
      try {
        return await inventory.finder.findByName(...query)
      } finally {
        release()
      }
    }
    const findServer = createFindServer({ loadById, findByName }, syncTimes)
    const getServer = createGetServer({ findServer, owners: pastOwners })
    return {
      reads: { getServer },
      time,
      release: () => {},
      gapsOf: async ({ scope, server = '' }: AskedServers) =>
        await gapsAt.ofServer(caller, time, async () => {
          const { parts } = await findServer(caller, server, scope)
          return parts
        }),
    }
  }

  return {
    readPastServer,

    async readPast(asked: AskedMoment) {
      const { asOf, caller, isRelativeAllowed } = asked
      const time = parseAsOf(asOf, clock(), isRelativeAllowed)
      const { inventory, release } = await readMoment(time, asked)
      return {
        reads: inventory,
        time,
        release,
        gapsOf: async ({ scope }: AskedServers) =>
          await gapsAt.ofServers(caller, time, scope, inventory.finder, inventory.knownAccounts),
      }
    },
    redactHistory: createRedactHistory({
      redactions: createRedactionStore(database),
      serverWriter,
      clock,
    }),
    async close(): Promise<void> {
      clearInterval(touching)
      await moments.close()
    },
  }
}
