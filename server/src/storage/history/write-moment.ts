import { backup, DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { sql } from 'kysely'
import { chunk, defaultChunkSize } from '../../domain/chunk.ts'
import { referencedKinds } from '../../domain/inventory/kinds.ts'
import { background, type ServerWrite } from '../../domain/inventory/ports.ts'
import { endOf } from '../../domain/inventory/record-servers.ts'
import { renderServer } from '../../domain/inventory/render-server.ts'
import type { Database, DatabaseReader, Row } from '../database.ts'
import { ensureServerIndexes } from '../servers/ensure-indexes.ts'
import { serverTables } from '../servers/server-writer.ts'
import { createWriteStatements } from '../servers/write-statements.ts'
import { databaseFile } from '../sqlite/open.ts'
import { openMomentFile, type MomentFile } from './moment-file.ts'
import { createReadVersions } from './read-versions.ts'
import { restoreResources } from './restore-resources.ts'

interface Wanted {
  /** The last commit that the moment has. */
  readonly commit: number
  readonly directory: string
  readonly onProgress: (progress: number) => void
}

/** Copies the database file while it is in use. */
async function copyFile(dataDir: string, directory: string): Promise<void> {
  const database = new DatabaseSync(join(dataDir, databaseFile), { readOnly: true })
  try {
    // All pages in one step: otherwise the copy starts again after each commit.
    await backup(database, join(directory, databaseFile), { rate: 2 ** 31 - 1 })
  } finally {
    database.close()
  }
}

/** Copies the resources that servers refer to. */
async function copyResources(source: DatabaseReader, moment: MomentFile): Promise<void> {
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
async function listNumbers({ db, run }: DatabaseReader, commit: number, isWhole: boolean) {
  const changed = sql`select server from server_changes
    where revision in (select revision from change_commits where position > ${commit})`
  const wanted = isWhole ? sql`${changed} union select server from server_documents` : changed
  const list = sql`select distinct server from (${wanted}) as wanted order by server desc`
  const [rows = []] = await run([list.compile(db)], background)
  return rows.map(({ server }) => Number(server))
}

/**
 * Writes servers as they were after a commit. From `source`, which is the moment itself if that is a copy: then
 * only servers that changed are written, and those that did not exist are removed.
 */
async function writeVersions(
  source: DatabaseReader,
  moment: MomentFile,
  { commit, onProgress }: Wanted,
): Promise<void> {
  const { db } = moment
  const isCopy = source === moment
  const writeStatements = createWriteStatements(moment, { isCopy: true })
  const readVersions = createReadVersions(source)

  async function commitAll(writes: readonly ServerWrite[]): Promise<void> {
    if (writes.length === 0) return
    const { statements } = await writeStatements(writes, new Map(), Date.now)
    await moment.commit(statements)
  }

  const numbers = await listNumbers(source, commit, !isCopy)
  for (const [at, piece] of [...chunk(numbers)].entries()) {
    onProgress((at * defaultChunkSize) / numbers.length)
    const versions = piece.map((seq) => ({ seq, commit }))
    const { current, versionAt } = await readVersions(versions, background)
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
    if (removed.length > 0) await moment.commit(remove)
    await commitAll(writes)
  }
}

/** Copies the file of a data directory, and undoes changes in the copy. */
export async function writeMomentOfSqlite(dataDir: string, wanted: Wanted): Promise<void> {
  await copyFile(dataDir, wanted.directory)
  const moment = await openMomentFile(wanted.directory)
  await writeVersions(moment, moment, wanted)
  await restoreResources(moment, moment, wanted.commit)
  await moment.complete()
}

/** Writes all servers into a new file. */
export async function writeMomentOfPostgres(source: Database, wanted: Wanted): Promise<void> {
  const moment = await openMomentFile(wanted.directory)
  await copyResources(source, moment)
  await writeVersions(source, moment, wanted)
  await restoreResources(source, moment, wanted.commit)
  await ensureServerIndexes(moment)
  await moment.complete()
}
