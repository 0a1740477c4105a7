import { existsSync, readdirSync, rmSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Config } from '../config/read-config.ts'
import type { CacheMemory } from '../domain/cache.ts'
import type { Clock } from '../domain/clock.ts'
import type { Caller } from '../domain/identity/caller.ts'
import type { IdentityVersion } from '../domain/identity/ports.ts'
import { createMoments, type OpenMoment } from '../domain/inventory/history/moments.ts'
import { parseAsOf } from '../domain/inventory/history/parse-as-of.ts'
import type { Owners } from '../domain/inventory/owners.ts'
import type { Database } from '../storage/database.ts'
import { findCommitAt, findFirstTime } from '../storage/history/change-store.ts'
import { trackUse } from './track-use.ts'
import { composeInventoryReads, type InventoryReads } from './compose-inventory.ts'

interface Parts {
  readonly config: Pick<Config, 'dataDir' | 'queryTimeout'>
  readonly database: Database
  readonly identityVersion: IdentityVersion
  readonly owners: Owners
  readonly memory: CacheMemory
  readonly clock: Clock
}

/** Removes the moments of processes that have ended without doing so. */
function removeLeftovers(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const [host, pid] = name.split('_')
    const isRunning = host === hostname() && Number(pid) !== process.pid && isAlive(Number(pid))
    if (host === hostname() && !isRunning) {
      rmSync(join(folder, name), { recursive: true, force: true })
    }
  }
}

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
export function composeHistory({ config, database, owners, clock, ...parts }: Parts) {
  const allFolders = join(config.dataDir, 'moments')
  removeLeftovers(allFolders)
  const folder = join(allFolders, `${hostname()}_${process.pid}`)
  const pastOwners: Owners = {
    byProject: owners.byProject,
    managedAccounts: async () => new Set(),
    isPast: true,
  }

  async function build(commit: number, signal: AbortSignal): Promise<OpenMoment<InventoryReads>> {
    const { buildMoment } = await import('../storage/history/build-moment.ts')
    const directory = join(folder, String(commit))
    rmSync(directory, { recursive: true, force: true })
    const moment = await buildMoment(database, {
      ...parts,
      ...config,
      commit,
      directory,
      signal,
    })
    const reads = composeInventoryReads({
      ...parts,
      database: moment,
      owners: pastOwners,
      // When an account was synced then is not recorded.
      syncTimes: { of: () => undefined, version: () => 0 },
    })
    const use = trackUse(reads)
    return {
      inventory: use.tracked,
      isInUse: use.isInUse,
      lastUsed: use.lastUsed,
      async close() {
        await moment.close()
        rmSync(directory, { recursive: true, force: true })
      },
    }
  }

  const moments = createMoments(
    {
      firstTime: () => findFirstTime(database),
      commitAt: (time) => findCommitAt(database, time),
      build,
    },
    clock,
  )
  return {
    async readPast(asOf: string, caller: Caller, isRelativeAllowed: boolean) {
      const time = parseAsOf(asOf, clock(), isRelativeAllowed)
      return { reads: await moments.at(time, caller.principal.token.userId), time }
    },
    close: moments.close,
  }
}
