import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openStorage, type Storage } from '../composition/open-storage.ts'
import { ConfigError } from '../config/parsers.ts'
import type { Config } from '../config/read-config.ts'
import { createCacheMemory } from '../domain/cache.ts'
import type { Inspect } from '../storage/database.ts'
import { listMigrations } from '../storage/migrations/migrate.ts'

/**
 * Opens the database of a stopped server, or one that several processes may use. Unlike a start, it
 * neither creates nor migrates a database.
 */
export async function openStoppedStorage(config: Config): Promise<Storage> {
  if (config.databaseUrl === undefined) requireDatabaseFile(config.dataDir)
  const memory = createCacheMemory(config.cacheMemory * 2 ** 20)
  return await openStorage(config, memory, { inspect: requireMigrated })
}

export function requireDatabaseFile(dataDir: string): string {
  const file = join(dataDir, 'muster.db')
  if (!requireOwner(file)) {
    throw new ConfigError(`--data-dir: there is no Muster database in ${dataDir}`)
  }
  return file
}

/**
 * Returns whether the path exists, and throws if it belongs to another user: the server could not open
 * files that this one creates there.
 */
export function requireOwner(path: string): boolean {
  const owner = findOwner(path)
  if (owner !== undefined && process.getuid && process.getuid() !== owner) {
    throw new ConfigError(
      `${path} belongs to another user: run this command as that user (sudo -u '#${owner}' …)`,
    )
  }
  return owner !== undefined
}

function findOwner(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.uid
  } catch (error) {
    if ((error as { code?: string }).code !== 'EACCES') throw error
    throw new ConfigError(`no permission for ${path}: run this command as the user of the server`)
  }
}

const requireMigrated: Inspect = async (db) => {
  const { executed, pending } = await listMigrations(db)
  if (executed.length === 0) throw new ConfigError('--database-url: the database is empty')
  if (pending.length === 0) return
  throw new Error(
    `the database was written by an older version of Muster: back it up, then run "muster admin migrate" or start the server`,
  )
}
