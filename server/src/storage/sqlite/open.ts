import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Worker } from 'node:worker_threads'
import { bumpVersion, versionOf, type Database, type Inspect } from '../database.ts'
import { isUpToDate, migrate } from '../migrations/migrate.ts'
import { createKysely } from './bridge.ts'
import { createServerVersions, buildServersCommit } from '../server-versions.ts'
import { createSnapshotReader, openFile } from './file.ts'
import { defaultQueryTimeout } from '../slow-queries.ts'
import { createReaders } from './readers.ts'
import { startWriter } from './writer.ts'

/**
 * Holds the data directory for this process. The lock is one of the operating system's, so it goes
 * with the process however that ends.
 */
function lock(directory: string): DatabaseSync {
  const holder = new DatabaseSync(join(directory, 'muster.lock'), { timeout: 0 })
  try {
    holder.exec('begin exclusive')
  } catch (cause) {
    holder.close()
    throw new Error(`another Muster process is using the data directory ${directory}`, { cause })
  }
  return holder
}

const readOnlyDatabase = 8

/** Looks at the data through a connection that cannot touch it; where there is none yet, at nothing. */
async function inspectFile(file: string, inspect: Inspect): Promise<void> {
  if (!existsSync(file)) return await inspectThrough(new DatabaseSync(':memory:'), inspect)
  try {
    await inspectThrough(new DatabaseSync(file, { readOnly: true }), inspect)
  } catch (error) {
    // A first start that was cut off in its first moments left something to be undone, by a writer.
    const { errcode = 0 } = error as { errcode?: number }
    if ((errcode & 0xff) !== readOnlyDatabase) throw error
    await inspectThrough(new DatabaseSync(file), inspect)
  }
}

async function inspectThrough(database: DatabaseSync, inspect: Inspect): Promise<void> {
  const db = createKysely(database)
  await inspect(db).finally(() => db.destroy())
}

/**
 * Brings data of an earlier version up to date in a thread, since SQLite would hold this one: what
 * listens on the port has to go on answering. A new file is so quickly made that it is not worth one.
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

/** The connection that reads, the data brought up to date. */
async function openReader(file: string) {
  const reader = openFile(file)
  const db = createKysely(reader)
  try {
    await migrate(db)
    reader.exec('pragma query_only = on')
    const { version } = await db
      .selectFrom('identity_version')
      .select('version')
      .executeTakeFirstOrThrow()
    return { reader, db, version }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

/** Muster's storage in one directory, for one process. */
export async function openSqlite(
  directory: string,
  inspect: Inspect,
  queryTimeout = defaultQueryTimeout,
  onLocked: () => Promise<void> = async () => {},
): Promise<Database> {
  const holder = lock(directory)
  const file = join(directory, 'muster.db')
  const { reader, db, version } = await onLocked()
    .then(() => inspectFile(file, inspect))
    .then(() => migrateFile(file))
    .then(() => openReader(file))
    .catch((error: unknown) => {
      holder.close()
      throw error
    })
  const writer = startWriter(file)
  const readers = createReaders(file, queryTimeout)
  const readNow = createSnapshotReader(reader)
  const fleet = createServerVersions()
  let known = version

  return {
    engine: 'sqlite',
    db,
    commit: writer.commit,
    async commitIdentity(statements, expected) {
      const outcomes = await writer.commit([bumpVersion(db, expected), ...statements])
      known = versionOf(outcomes)
      return outcomes.slice(1)
    },
    currentVersion: () => (writer.isBroken() ? undefined : known),
    run: async (queries, priority) =>
      priority === 'quick' ? readNow(queries) : await readers.run(queries, priority),
    async commitServers(statements, scopes, inTurn = []) {
      const commit = buildServersCommit(db, statements, scopes, inTurn)
      fleet.advance(commit.versionOf(await writer.commit(commit.statements)), scopes)
    },
    async maintain(work) {
      for (const sql of work) await writer.commit([{ sql, parameters: [] }])
    },
    serversVersion: (scope) => (writer.isBroken() ? undefined : fleet.of(scope)),
    extend: () => ({ engine: 'sqlite', directory, line: writer.share() }),
    noteServersCommitted: fleet.advance,
    async ping() {
      reader.prepare('select 1').get()
      // The writer's thread must be alive too: an empty commit goes there and back.
      await writer.commit([])
    },
    async close() {
      await readers.close()
      await writer.close()
      await db.destroy()
      holder.close()
    },
  }
}
