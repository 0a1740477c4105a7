import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import type { CacheMemory } from '../../domain/cache.ts'
import { PlatformError } from '../../domain/error.ts'
import {
  identityVersionOf,
  raiseIdentityVersion,
  type Database,
  type Inspect,
} from '../database.ts'
import { createDatabaseStatistics, type DatabaseStatistics } from '../database-statistics.ts'
import { isUpToDate, migrate } from '../migrations/migrate.ts'
import { keyFingerprintsSql } from '../key-fingerprint.ts'
import { createKysely } from './bridge.ts'
import { createServerVersions, buildServersCommit } from '../server-versions.ts'
import { explainOpening, freeBytes, isDiskFull } from './explain-opening.ts'
import { lockDirectory } from './lock.ts'
import { createPrepare, createSnapshotReader, openFile } from './file.ts'
import { defaultQueryTimeout } from '../slow-queries.ts'
import { createReaders } from './readers.ts'
import { startWriter } from './writer.ts'

/** The name of the file in the data directory. */
export const databaseFile = 'muster.db'

const readOnlyDatabase = 8
/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damageCodes: ReadonlySet<number> = new Set([11, 26])

/** Inspects the data through a read-only connection; a missing file is inspected as an empty database. */
export async function inspectFile(file: string, inspect: Inspect): Promise<void> {
  if (!existsSync(file)) return await inspectThrough(new DatabaseSync(':memory:'), inspect)
  try {
    await inspectThrough(new DatabaseSync(file, { readOnly: true }), inspect)
  } catch (error) {
    // An interrupted first start left a journal that only a writer can roll back.
    const { errcode = 0 } = error as { errcode?: number }
    if ((errcode & 0xff) !== readOnlyDatabase) throw error
    await inspectThrough(new DatabaseSync(file), inspect)
  }
}

async function inspectThrough(database: DatabaseSync, inspect: Inspect): Promise<void> {
  const db = createKysely(database)
  await inspect(db)
    .catch((cause: unknown) => {
      const { errcode = 0, message } = cause as Error & { errcode?: number }
      if (!damageCodes.has(errcode & 0xff)) throw cause
      throw new Error(
        `${database.location()} is damaged (${message}): restore a backup with "muster admin restore FILE --replace"`,
        { cause },
      )
    })
    .finally(() => db.destroy())
}

/**
 * Migrates existing data in a worker thread, because SQLite would block this one, which keeps
 * answering on the port. A new file is created too quickly to be worth a thread.
 */
async function migrateFile(file: string): Promise<void> {
  if (!existsSync(file)) return
  let isCurrent = true
  await inspectThrough(openFile(file), async (db) => {
    isCurrent = await isUpToDate(db)
  })
  if (isCurrent) return
  const thread = new Worker(new URL('./migrate-thread.ts', import.meta.url), { workerData: file })
  // Rejects with the thread's error, if it has one.
  await once(thread, 'exit')
}

/** Writes the first page of the file again, which changes no data: Muster does not use the number. */
const writeHeader = { sql: 'pragma user_version = 0', parameters: [] }

function requireSpace(directory: string): void {
  if (isDiskFull(directory)) {
    throw new PlatformError(
      'ServiceUnavailable',
      'The database cannot write: the disk is full. Less than 1 MiB is free.',
    )
  }
}

/** The connection for quick reads, after the migrations. */
async function openConnection(
  file: string,
  memory: CacheMemory | undefined,
  { noteQuery }: DatabaseStatistics,
) {
  const connection = openFile(file)
  const prepare = createPrepare(connection, memory)
  const db = createKysely(connection, prepare, noteQuery)
  try {
    await migrate(db)
    connection.exec('pragma query_only = on')
    const { version } = await db
      .selectFrom('identity_version')
      .select('version')
      .executeTakeFirstOrThrow()
    return { connection, prepare, db, version }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** The database in one directory, for one process. */
export async function openSqlite(
  directory: string,
  inspect: Inspect,
  queryTimeout = defaultQueryTimeout,
  onLocked: () => Promise<void> = async () => {},
  memory?: CacheMemory,
): Promise<Database> {
  const directoryLock = lockDirectory(directory)
  const statistics = createDatabaseStatistics()
  const file = join(directory, databaseFile)
  const { connection, prepare, db, version } = await onLocked()
    .then(() => inspectFile(file, inspect))
    .then(() => migrateFile(file))
    .then(() => openConnection(file, memory, statistics))
    .catch((error: unknown) => {
      directoryLock.close()
      throw explainOpening(error, file)
    })
  const writer = startWriter(file, statistics)
  const readers = createReaders(file, queryTimeout, statistics.measure)
  const readSnapshot = createSnapshotReader(connection, prepare)
  const serverVersions = createServerVersions()
  let identityVersion = version

  return {
    engine: 'sqlite',
    db,
    run: (queries, priority) =>
      priority === 'quick'
        ? statistics.measure('read', async () => readSnapshot(queries), queries)
        : readers.run(queries, priority),
    counts: () => ({
      ...statistics.read(),
      pools: {},
      queues: { writer: writer.counts(), queries: readers.counts() },
    }),
    observe: statistics.observe,
    commit: writer.commit,
    async commitIdentity(statements, expected) {
      const results = await writer.commit([raiseIdentityVersion(db, expected), ...statements])
      identityVersion = identityVersionOf(results)
      return results.slice(1)
    },
    async commitServers(statements, scopeIds, serialized = []) {
      const commit = buildServersCommit(db, statements, scopeIds, serialized)
      serverVersions.advance(
        commit.versionFrom(await writer.commitServers(commit.statements)),
        scopeIds,
      )
    },
    async maintain(statements) {
      for (const sql of statements) await writer.commit([{ sql, parameters: [] }])
    },
    currentVersion: () => (writer.hasEnded() ? undefined : identityVersion),
    serversVersion: (scope) => (writer.hasEnded() ? undefined : serverVersions.of(scope)),
    noteServersCommitted: serverVersions.advance,
    share: () => ({ engine: 'sqlite', directory, port: writer.share() }),
    async ping() {
      connection.prepare('select 1').get()
      await writer.commit([writeHeader])
      requireSpace(directory)
    },
    // The lock of the directory admits one process only.
    readClock: () => undefined,
    keyFingerprints: () => prepare(keyFingerprintsSql).get()?.['value'] as string | undefined,
    async sizes() {
      const sizeOf = async (path: string) =>
        await stat(path).then(
          ({ size }) => size,
          () => 0,
        )
      return {
        database: await sizeOf(file),
        wal: await sizeOf(`${file}-wal`),
        available: freeBytes(directory),
      }
    },
    async close() {
      await readers.close()
      await writer.close()
      await db.destroy()
      directoryLock.close()
    },
  }
}
