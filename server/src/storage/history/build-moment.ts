import { backup, DatabaseSync } from 'node:sqlite'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { chunk } from '../../domain/chunk.ts'
import { PlatformError } from '../../domain/error.ts'
import { nextTurn } from '../../domain/next-turn.ts'
import type { CacheMemory } from '../../domain/cache.ts'
import { referencedKinds } from '../../domain/inventory/kinds.ts'
import { background, type ServerWrite } from '../../domain/inventory/ports.ts'
import { endOf } from '../../domain/inventory/record-servers.ts'
import { renderServer } from '../../domain/inventory/render-server.ts'
import type { Database, Row } from '../database.ts'
import { ensureServerIndexes } from '../servers/ensure-indexes.ts'
import { serverTables } from '../servers/server-writer.ts'
import { createWriteStatements } from '../servers/write-statements.ts'
import { freeBytes } from '../sqlite/explain-opening.ts'
import { databaseFile, openSqlite } from '../sqlite/open.ts'
import { createReadVersions } from './read-versions.ts'
import { restoreResources } from './restore-resources.ts'

interface Wanted {
  /** The last commit that the moment has. */
  readonly commit: number
  readonly dataDir: string
  readonly directory: string
  readonly memory: CacheMemory
  readonly queryTimeout: number
  readonly signal: AbortSignal
  readonly onProgress: (progress: number) => void
}

/** Few, because other requests wait while these are rebuilt and rendered. */
const batchSize = 64

const megabyte = 2 ** 20

/** The copy must leave room for what is written meanwhile. */
async function requireSpace(source: Database, directory: string): Promise<void> {
  const { database, wal = 0 } = await source.sizes()
  const needed = 1.5 * (database + wal) + 64 * megabyte
  const free = freeBytes(directory)
  if (free >= needed) return
  throw new PlatformError(
    'ServiceUnavailable',
    `A moment of the past needs ${Math.ceil(needed / megabyte)} MB of disk in the data directory. ${Math.floor(free / megabyte)} MB are free.`,
    { retryAfter: 60 },
  )
}

function makeFolder(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
  } catch (cause) {
    throw new PlatformError(
      'ServiceUnavailable',
      'A moment of the past needs a data directory that can be written.',
      { cause, retryAfter: 60 },
    )
  }
}

/** Copies the database file while it is in use. */
async function copyFile(source: string, directory: string): Promise<void> {
  const database = new DatabaseSync(source, { readOnly: true })
  try {
    // All pages in one step: otherwise the copy starts again after each commit.
    await backup(database, join(directory, databaseFile), { rate: 2 ** 31 - 1 })
  } finally {
    database.close()
  }
}

/** Copies the resources that servers refer to. */
async function copyResources(source: Database, moment: Database): Promise<void> {
  for (const kind of referencedKinds) {
    const { rows } = await sql<Row>`select * from ${sql.table(kind)}`.execute(source.db)
    for (const piece of chunk(rows, 100)) {
      await moment.commit([
        moment.db
          .insertInto(kind)
          .values(piece as never)
          .compile(),
      ])
    }
  }
}

/**
 * The numbers of the servers that changed after a commit, or of all that are stored or changed. The newest come
 * first: a server that was purged and came back has another number with the same id, which must be free before.
 */
async function listNumbers({ db }: Database, commit: number, isWhole: boolean): Promise<number[]> {
  const changed = sql`select server from server_changes
    where revision in (select revision from change_commits where position > ${commit})`
  const wanted = isWhole ? sql`${changed} union select server from server_documents` : changed
  const { rows } = await sql<{
    server: number
  }>`select distinct server from (${wanted}) as wanted order by server desc`.execute(db)
  return rows.map(({ server }) => server)
}

/**
 * Writes servers as they were after a commit. From `source`, which is the moment itself if that is a copy: then
 * only servers that changed are written, and those that did not exist are removed.
 */
async function writeVersions(source: Database, moment: Database, wanted: Wanted): Promise<void> {
  const { commit, signal } = wanted
  const { db } = moment
  const isCopy = source === moment
  const writeStatements = createWriteStatements(moment, { isCopy: true })
  const readVersions = createReadVersions(source)

  async function commitAll(writes: readonly ServerWrite[]): Promise<void> {
    if (writes.length === 0) return
    const { statements } = await writeStatements(writes, new Map(), Date.now)
    await moment.commitServers(
      statements,
      new Set(writes.flatMap(({ server }) => [server.project_id, server.domain_id])),
    )
  }

  const numbers = await listNumbers(source, commit, !isCopy)
  for (const [at, piece] of [...chunk(numbers, batchSize)].entries()) {
    signal.throwIfAborted()
    wanted.onProgress((at * batchSize) / numbers.length)
    await nextTurn()
    const wantedVersions = piece.map((seq) => ({ seq, commit }))
    const { current, versionAt } = await readVersions(wantedVersions, background)
    const writes: ServerWrite[] = []
    const removals: ServerWrite[] = []
    const removed: number[] = []
    for (const seq of piece) {
      const now = current.get(seq)
      const stored = isCopy ? now : undefined
      const server = versionAt({ seq, commit })
      if (server) writes.push({ stored, server, factsDigest: '', rendered: renderServer(server) })
      else if (stored) {
        removed.push(seq)
        // Counts and indexes no longer have it, before its rows are removed.
        removals.push(endOf(stored, stored.server.updated_at ?? ''))
      }
    }
    await commitAll(removals)
    const remove = [...serverTables, 'servers' as const].map((table) =>
      db
        .deleteFrom(table)
        .where(sql.ref(table === 'servers' ? 'seq' : 'server'), 'in', removed)
        .compile(),
    )
    if (removed.length > 0) await moment.commitServers(remove, new Set())
    await commitAll(writes)
  }
}

/**
 * Builds a database with the servers as they were after a commit. It is a SQLite file on both engines. A copy of
 * a SQLite file is the shortest way there; from PostgreSQL, all servers are written.
 */
export async function buildMoment(source: Database, wanted: Wanted): Promise<Database> {
  const { dataDir, directory, queryTimeout, memory, signal } = wanted
  signal.throwIfAborted()
  makeFolder(directory)
  await requireSpace(source, directory)
  const isSqlite = source.engine === 'sqlite'
  if (isSqlite) await copyFile(join(dataDir, databaseFile), directory)
  const moment = await openSqlite(directory, async () => {}, queryTimeout, undefined, memory)
  try {
    if (!isSqlite) {
      await ensureServerIndexes(moment)
      await copyResources(source, moment)
    }
    await writeVersions(isSqlite ? moment : source, moment, wanted)
    await restoreResources(isSqlite ? moment : source, moment, wanted.commit)
    return moment
  } catch (error) {
    await moment.close()
    throw error
  }
}
