import { explainOpening } from '../composition/open-storage.ts'
import type { Config } from '../config/read-config.ts'
import type { Inspect } from '../storage/database.ts'
import { requireDatabaseFile } from './open-stopped-storage.ts'

/** Reads the database on a connection of its own, beside a running server or without one. */
export async function inspectDatabase(
  { databaseUrl, dataDir }: Config,
  inspect: Inspect,
): Promise<void> {
  if (databaseUrl !== undefined) {
    const { inspectPostgres } = await import('../storage/postgres/open.ts')
    return await inspectPostgres(databaseUrl, inspect).catch(await explainOpening(databaseUrl))
  }
  const file = requireDatabaseFile(dataDir)
  const { inspectFile } = await import('../storage/sqlite/open.ts')
  await inspectFile(file, inspect)
}
