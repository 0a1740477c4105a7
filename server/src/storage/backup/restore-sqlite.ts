import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import { requireIntactReferences } from '../migrations/engine.ts'
import { createKysely } from '../sqlite/bridge.ts'
import { lockDirectory } from '../sqlite/lock.ts'
import type { RowChunk } from './format.ts'
import { restoreRows } from './restore-rows.ts'
import type { OnProgress } from './write-backup.ts'

/** Files that SQLite keeps beside a database. */
const companions = ['-wal', '-shm', '-journal'] as const

const removeFile = (file: string) => {
  for (const suffix of ['', ...companions]) rmSync(file + suffix, { force: true })
}

/**
 * Restores into a new file, which takes the place of the database only when it is complete. Returns
 * the name of the file that has the data from before, if there was one.
 */
export async function restoreSqlite(
  directory: string,
  backup: string,
  onProgress: OnProgress,
): Promise<string | undefined> {
  const lock = lockDirectory(directory)
  const file = join(directory, 'muster.db')
  const draft = join(directory, 'muster.db.restoring')
  try {
    // Left over from an interrupted restore.
    removeFile(draft)
    await fillFile(draft, backup, onProgress)
    const replaced = linkAside(file)
    renameSync(draft, file)
    syncPath(directory)
    return replaced
  } finally {
    removeFile(draft)
    lock.close()
  }
}

async function fillFile(file: string, backup: string, onProgress: OnProgress): Promise<void> {
  const connection = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  const db = createKysely(connection)
  try {
    // An incomplete file is deleted, so it needs no journal.
    connection.exec('pragma journal_mode = off; pragma synchronous = off')
    await restoreRows(db, backup, createInsert(connection), onProgress)
    await requireIntactReferences(db as Kysely<unknown>)
  } finally {
    await db.destroy()
  }
  syncPath(file)
}

/** Makes a file, or the names in a folder, durable. */
function syncPath(path: string): void {
  const descriptor = openSync(path, 'r')
  fsyncSync(descriptor)
  closeSync(descriptor)
}

function createInsert(connection: DatabaseSync) {
  return async ({ table, columns, rows }: RowChunk): Promise<void> => {
    const names = columns.map((column) => `"${column}"`).join()
    const statement = connection.prepare(
      `insert into "${table}" (${names}) values (${columns.map(() => '?').join()})`,
    )
    connection.exec('begin')
    for (const row of rows) statement.run(...row)
    connection.exec('commit')
  }
}

/**
 * Gives the database a second name. A rename would leave a moment without a database, in which a
 * crash would make the next start create an empty one.
 */
function linkAside(file: string): string | undefined {
  if (!existsSync(file)) return undefined
  tryCheckpoint(file)
  const time = new Date().toISOString().replaceAll(/[^0-9]/g, '')
  const name = `${file}.replaced-${time.slice(0, 14)}`
  linkSync(file, name)
  // SQLite would treat leftover files as parts of the new file.
  for (const suffix of companions) {
    if (existsSync(file + suffix)) renameSync(file + suffix, name + suffix)
  }
  return name
}

/** Writes commits to the file that are only in its write-ahead log. A damaged file is left as it is. */
function tryCheckpoint(file: string): void {
  const connection = new DatabaseSync(file)
  try {
    connection.exec('pragma wal_checkpoint(truncate)')
  } catch {
    // The log is kept beside the file.
  } finally {
    connection.close()
  }
}
