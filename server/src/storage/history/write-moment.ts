import { backup, DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { sql } from 'kysely'
import { chunk, defaultChunkSize } from '../../domain/chunk.ts'
import { toBits } from '../../domain/inventory/history/change-kinds.ts'
import { background, type ServerWrite } from '../../domain/inventory/ports.ts'
import { endOf } from '../../domain/inventory/record-servers.ts'
import { renderServer } from '../../domain/inventory/render-server.ts'
import type { Database, DatabaseReader } from '../database.ts'
import { ensureServerIndexes } from '../servers/ensure-indexes.ts'
import { serverTables } from '../servers/server-writer.ts'
import { createWriteStatements } from '../servers/write-statements.ts'
import { databaseFile } from '../sqlite/open.ts'
import { copyServers, indexCopies, removeCopies } from './copy-servers.ts'
import { openMomentFile, type MomentFile } from './moment-file.ts'
import { createReadVersions } from './read-versions.ts'
import { restoreResources } from './restore-resources.ts'

interface Wanted {
  /** The last commit that the moment has. */
  readonly commit: number
  readonly directory: string
  readonly onProgress: (progress: number) => void
}

/** The part of the progress that copying the servers from PostgreSQL is. */
const copyShare = 0.3
/** The kind of changes that undo nothing. */
const isCheck = toBits(['check'])

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

/**
 * The numbers of the servers that changed after a commit. The newest come first: a server that was purged and
 * came back has another number with the same id, which must be free before.
 */
async function listChanged({ db, run }: DatabaseReader, commit: number): Promise<number[]> {
  const changed = sql`select distinct server from server_changes
    where kinds <> ${isCheck} and revision in (select revision from change_commits where position > ${commit})
    order by server desc`
  const [rows = []] = await run([changed.compile(db)], background)
  return rows.map(({ server }) => Number(server))
}

async function listAll({ db, run }: DatabaseReader): Promise<number[]> {
  const [rows = []] = await run([sql`select server from server_documents`.compile(db)], background)
  return rows.map(({ server }) => Number(server))
}

/**
 * Writes servers as they were after a commit. From `source`, which is the moment itself if that has them as they
 * are now: then those that did not exist are removed.
 */
async function writeVersions(
  source: DatabaseReader,
  moment: MomentFile,
  numbers: readonly number[],
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
  await writeVersions(moment, moment, await listChanged(moment, wanted.commit), wanted)
  await restoreResources(moment, moment, wanted.commit)
  await moment.complete()
}

/** Copies the servers that have not changed into a new file, and writes the others as they were. */
export async function writeMomentOfPostgres(source: Database, wanted: Wanted): Promise<void> {
  const { commit, onProgress } = wanted
  const moment = await openMomentFile(wanted.directory)
  const before = new Set(await listChanged(source, commit))
  const unchanged = (await listAll(source)).filter((seq) => !before.has(seq))
  await copyServers(source, moment, unchanged, (part) => onProgress(part * copyShare))
  // More have changed meanwhile.
  const changed = await listChanged(source, commit)
  await removeCopies(
    moment,
    changed.filter((seq) => !before.has(seq)),
  )
  await indexCopies(moment)
  await writeVersions(source, moment, changed, {
    ...wanted,
    onProgress: (part) => onProgress(copyShare + part * (1 - copyShare)),
  })
  await restoreResources(source, moment, commit)
  await ensureServerIndexes(moment)
  await moment.complete()
}
