import { NotYet, type AwaitStart } from './await-start.ts'
import { ConfigError } from '../config/parsers.ts'
import type { Config } from '../config/read-config.ts'
import type { CacheMemory } from '../domain/cache.ts'
import { prepareDataDirectory } from '../storage/data-directory.ts'
import type { Database, Inspect } from '../storage/database.ts'
import { canHoldDemo } from '../storage/demo-record.ts'
import { findKeyFingerprints, storeKeyFingerprint } from '../storage/key-fingerprint.ts'
import { renumberForeignEvents } from '../storage/event-positions.ts'
import { ensureServerCounts } from '../storage/servers/ensure-counts.ts'
import { ensureServerIndexes } from '../storage/servers/ensure-indexes.ts'
import { secretKeyExists } from '../vault/key-file.ts'
import { loadSecretKey, type SecretKey } from '../vault/secret-key.ts'

export interface Storage {
  readonly database: Database
  readonly key: SecretKey
}

interface Options {
  /** Called when the data directory is locked, before any slow work. */
  readonly onLocked?: () => Promise<void>
  /** Waits for a PostgreSQL that is not available yet. By default that is an error. */
  readonly awaitStart?: AwaitStart
  /** Called once the database answers, before anything in it changes. */
  readonly inspect?: Inspect
}

/**
 * Opens the database and its secret key. A key that does not belong to the database is rejected before
 * anything changes, and so is one that `inspect` rejects.
 */
export async function openStorage(
  config: Config,
  memory: CacheMemory,
  options: Options = {},
): Promise<Storage> {
  const { onLocked = async () => {}, awaitStart = (work) => work() } = options
  const { inspect = async () => {} } = options
  const { databaseUrl } = config
  if (databaseUrl === undefined) return await openOnce(config, memory, onLocked, inspect)
  await onLocked()
  const explain = await explainOpening(databaseUrl)
  return await awaitStart(() => openOnce(config, memory, onLocked, inspect).catch(explain))
}

async function openOnce(
  config: Config,
  memory: CacheMemory,
  onLocked: () => Promise<void>,
  inspect: Inspect,
): Promise<Storage> {
  const { secretKeyFile } = config
  let key: SecretKey | undefined
  const matchKey: Inspect = async (db) => {
    if (config.demo && !(await canHoldDemo(db))) {
      throw new ConfigError(
        '--demo needs an empty database or one with a demo. This one has other data: use another --data-dir or --database-url',
      )
    }
    const fingerprints = await findKeyFingerprints(db)
    if (fingerprints !== undefined && !secretKeyExists(secretKeyFile)) {
      throw new Error(
        `the secret key ${secretKeyFile} is missing, but the database was created with one: restore it from a backup`,
      )
    }
    key = loadSecretKey(secretKeyFile)
    if (fingerprints !== undefined && !key.hasFingerprints(fingerprints)) {
      throw new Error(
        `the secret key ${secretKeyFile} does not belong to this database, or lacks its newest key`,
      )
    }
  }
  const inspectAll: Inspect = async (db) => {
    await inspect(db)
    await matchKey(db)
  }
  const database = await openEngine(config, memory, inspectAll, onLocked)
  try {
    if (!key) throw new Error('the storage was opened without its key')
    await storeKeyFingerprint(database, key.fingerprint)
    await ensureServerIndexes(database)
    await ensureServerCounts(database)
    await database.maintain(await renumberForeignEvents(database.db))
    await matchKey(database.db)
    key.follow(database.keyFingerprints, () => database.currentVersion() !== undefined)
    return { database, key }
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Handles the error of a PostgreSQL that cannot be opened: a wrong setting, or not available yet. */
export async function explainOpening(databaseUrl: string) {
  const { explainFailure } = await import('../storage/postgres/explain-failure.ts')
  return (error: unknown): never => {
    const failure = explainFailure(error, databaseUrl)
    if (failure === undefined) throw error
    const text = `--database-url: ${failure.reason}`
    throw failure.isTemporary ? new NotYet(text) : new ConfigError(text)
  }
}

/** Loads only the engine in use: the driver of the other would cost memory and time at start. */
async function openEngine(
  config: Config,
  memory: CacheMemory,
  inspect: Inspect,
  onLocked: () => Promise<void>,
): Promise<Database> {
  const { databaseUrl, dataDir, queryTimeout } = config
  if (databaseUrl !== undefined) {
    const { openPostgres } = await import('../storage/postgres/open.ts')
    return await openPostgres(databaseUrl, inspect, {
      connections: config.databaseConnections,
      wait: config.databaseWait,
      timeout: config.databaseTimeout,
      slowConnections: config.databaseSlowConnections,
      slowTimeout: queryTimeout,
      syncConnections: config.databaseSyncConnections,
      syncTimeout: config.databaseSyncTimeout,
      retryTime: config.databaseTimeout,
    })
  }
  prepareDataDirectory(dataDir)
  const { openSqlite } = await import('../storage/sqlite/open.ts')
  return await openSqlite(dataDir, inspect, queryTimeout, onLocked, memory)
}
