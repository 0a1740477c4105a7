import { createWriteStream, existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { sql, type Kysely } from 'kysely'
import { findKeyFingerprints } from '../key-fingerprint.ts'
import { engineOf } from '../migrations/engine.ts'
import { listMigrations } from '../migrations/migrate.ts'
import type { Tables } from '../tables.ts'
import {
  BackupError,
  explainFileError,
  formatVersion,
  writeLines,
  type RowChunk,
} from './format.ts'
import { savedTables } from './saved-tables.ts'
import { readRows } from './read-rows.ts'

interface SavedTable {
  readonly name: string
  readonly columns: readonly string[]
  readonly rows: number
}

/** Other schemas of PostgreSQL may have tables with the same names. */
async function currentSchema(db: Kysely<Tables>): Promise<string | undefined> {
  if (engineOf(db) === 'sqlite') return undefined
  const { rows } = await sql<{ name: string }>`select current_schema() as name`.execute(db)
  return rows[0]?.name
}

/** A database of an earlier version lacks some of the tables. */
async function listTables(db: Kysely<Tables>): Promise<SavedTable[]> {
  const schema = await currentSchema(db)
  const all = await db.introspection.getTables()
  const found = new Map(
    all.filter((table) => table.schema === schema).map((table) => [table.name, table]),
  )
  const tables: SavedTable[] = []
  for (const name of savedTables) {
    const table = found.get(name)
    if (!table) continue
    const { rows } = await sql<{ rows: number }>`
      select count(*) as rows from ${sql.table(name)}`.execute(db)
    tables.push({
      name,
      columns: table.columns.map((column) => column.name),
      rows: Number(rows[0]?.rows),
    })
  }
  return tables
}

export type OnProgress = (rows: number, total: number) => void

/** Writes a backup to a new file that only this user can read. Returns the number of rows. */
export async function writeBackup(
  snapshot: Kysely<Tables>,
  file: string,
  version: string,
  onProgress: OnProgress,
): Promise<number> {
  if (existsSync(file)) throw new BackupError('it exists already: choose another name')
  const fingerprint = await findKeyFingerprints(snapshot)
  const schema = (await listMigrations(snapshot)).executed.at(-1)
  if (fingerprint === undefined || schema === undefined) {
    throw new BackupError('the database is empty: start "muster serve" once')
  }
  const tables = await listTables(snapshot)
  const total = tables.reduce((sum, { rows }) => sum + rows, 0)
  let written = 0
  async function* readChunks(): AsyncGenerator<RowChunk> {
    for (const { name, columns } of tables) {
      for await (const rows of readRows(snapshot, name, columns)) {
        yield { table: name, columns, rows }
        written += rows.length
        onProgress(written, total)
      }
    }
  }
  const header = {
    muster_backup: formatVersion,
    version,
    schema,
    key_fingerprint: fingerprint,
    created_at: new Date().toISOString(),
    rows: total,
  }
  const draft = `${file}.partial`
  try {
    await pipeline(
      Readable.from(writeLines(header, readChunks())),
      createZstdCompress(),
      createWriteStream(draft, { mode: 0o600, flags: 'wx', flush: true }),
    )
    await rename(draft, file)
    await syncFolder(dirname(file))
  } catch (error) {
    if ((error as { code?: string }).code !== 'EEXIST') await rm(draft, { force: true })
    throw explainFileError(error)
  }
  return written
}

/** Makes the new name durable. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder)
  await handle.sync().finally(() => handle.close())
}
