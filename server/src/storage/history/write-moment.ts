import { backup, DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { sql } from 'kysely'
import { chunk, defaultChunkSize } from '../../domain/chunk.ts'
import { toBits } from '../../domain/inventory/history/change-kinds.ts'
import { background, type ServerWrite, type StoredServer } from '../../domain/inventory/ports.ts'
import { endOf } from '../../domain/inventory/record-servers.ts'
import { renderServer } from '../../domain/inventory/render-server.ts'
import type { DatabaseReader } from '../database.ts'
import { ensureServerIndexes } from '../servers/ensure-indexes.ts'
import { serverTables, storedColumns, toStored } from '../servers/server-writer.ts'
import { createWriteStatements } from '../servers/write-statements.ts'
import { databaseFile } from '../sqlite/open.ts'
import { copyServers, indexCopies } from './copy-servers.ts'
import { openMomentFile, type MomentFile } from './moment-file.ts'
import { createReadVersions } from './read-versions.ts'
import { restoreResources } from './restore-resources.ts'

/** The folder of a complete moment. */
export interface MomentFolder {
  readonly commit: number
  readonly directory: string
}

interface Wanted extends MomentFolder {
  /** The moment to copy; undefined to copy the servers as they are now. */
  readonly base: MomentFolder | undefined
  readonly onProgress: (progress: number) => void
}

/** Commits, of which the changes are to be undone or done again: after the first one, until the last one. */
export interface CommitRange {
  readonly after: number
  readonly until: number
}

/** Servers can change while they are copied, so all later changes count, unless a moment is copied. */
const rangeOf = ({ commit, base }: Wanted): CommitRange => ({
  after: Math.min(base?.commit ?? commit, commit),
  until: base ? Math.max(base.commit, commit) : Number.MAX_SAFE_INTEGER,
})

/** The part of the progress that copying the servers from PostgreSQL is. */
const copyShare = 0.8
/** The kind of changes that undo nothing. */
const isCheck = toBits(['check'])

/** Copies the database file while it is in use. */
async function copyFile(from: string, to: string): Promise<void> {
  const database = new DatabaseSync(join(from, databaseFile), { readOnly: true })
  try {
    // All pages in one step: otherwise the copy starts again after each commit.
    await backup(database, join(to, databaseFile), { rate: 2 ** 31 - 1 })
  } finally {
    database.close()
  }
}

/**
 * The numbers of the servers that changed. The newest come first: a server that was purged and came back has
 * another number with the same id, which must be free before.
 */
async function listChanged(
  { db, run }: DatabaseReader,
  { after, until }: CommitRange,
): Promise<number[]> {
  const changed = sql`select distinct server from server_changes
    where kinds <> ${isCheck} and revision in (select revision from change_commits
      where position > ${after} and position <= ${until})
    order by server desc`
  const [rows = []] = await run([changed.compile(db)], background)
  return rows.map(({ server }) => Number(server))
}

async function listAll({ db, run }: DatabaseReader): Promise<number[]> {
  const [rows = []] = await run([sql`select server from server_documents`.compile(db)], background)
  return rows.map(({ server }) => Number(server))
}

/** Servers of a copied moment that were purged since. */
async function listPurged(source: DatabaseReader, moment: DatabaseReader): Promise<number[]> {
  const present = new Set(await listAll(source))
  return (await listAll(moment)).filter((seq) => !present.has(seq))
}

async function readStored({ db }: MomentFile, seqs: readonly number[]) {
  const rows = await db
    .selectFrom('server_documents')
    .select(storedColumns)
    .where('server', 'in', seqs)
    .execute()
  return new Map<number, StoredServer>(toStored(rows).map((stored) => [stored.seq, stored]))
}

/** Writes servers as they were after a commit, and removes those that did not exist. */
async function writeVersions(
  source: DatabaseReader,
  moment: MomentFile,
  numbers: readonly number[],
  { commit, onProgress }: Wanted,
): Promise<void> {
  const { db } = moment
  const seqOf = new Map<string, number>()
  const writeStatements = createWriteStatements(moment, { seqOf: (id) => seqOf.get(id) })
  const readVersions = createReadVersions(source)

  async function commitAll(writes: readonly ServerWrite[]): Promise<void> {
    if (writes.length === 0) return
    const { statements } = await writeStatements(writes, new Map(), Date.now)
    await moment.commit(statements)
  }

  async function remove(removed: readonly StoredServer[]): Promise<void> {
    if (removed.length === 0) return
    // Counts and indexes no longer have them, before their rows are removed.
    await commitAll(removed.map((stored) => endOf(stored, stored.server.updated_at ?? '')))
    const seqs = removed.map(({ seq }) => seq)
    await moment.commit(
      [...serverTables, 'servers' as const].map((table) =>
        db
          .deleteFrom(table)
          .where(sql.ref(table === 'servers' ? 'seq' : 'server'), 'in', seqs)
          .compile(),
      ),
    )
  }

  for (const [at, piece] of [...chunk(numbers)].entries()) {
    onProgress((at * defaultChunkSize) / numbers.length)
    const { versionAt } = await readVersions(
      piece.map((seq) => ({ seq, commit })),
      background,
    )
    const stored = await readStored(moment, piece)
    const writes: ServerWrite[] = []
    seqOf.clear()
    for (const seq of piece) {
      const server = versionAt({ seq, commit })
      if (!server) continue
      seqOf.set(server.id, seq)
      writes.push({
        stored: stored.get(seq),
        server,
        factsDigest: '',
        rendered: renderServer(server),
      })
      stored.delete(seq)
    }
    await remove([...stored.values()])
    await commitAll(writes)
  }
}

/** Writes the file of a moment, from the servers as they are now and their changes. */
export async function writeMoment(
  source: DatabaseReader & { readonly dataDir?: string },
  wanted: Wanted,
): Promise<void> {
  const { directory, base, onProgress } = wanted
  const fileToCopy = base?.directory ?? source.dataDir
  if (fileToCopy !== undefined) await copyFile(fileToCopy, directory)
  const moment = await openMomentFile(directory)
  if (fileToCopy === undefined) {
    await copyServers(source, moment, await listAll(source), (part) => onProgress(part * copyShare))
    await indexCopies(moment)
  }
  const range = rangeOf(wanted)
  // Before others: their ids may have been used again.
  const purged = base ? await listPurged(source, moment) : []
  const changed = await listChanged(source, range)
  const start = fileToCopy === undefined ? copyShare : 0
  await writeVersions(source, moment, [...new Set([...purged, ...changed])], {
    ...wanted,
    onProgress: (part) => onProgress(start + part * (1 - start)),
  })
  await restoreResources(source, moment, wanted.commit, range)
  await ensureServerIndexes(moment)
  await moment.complete()
}
