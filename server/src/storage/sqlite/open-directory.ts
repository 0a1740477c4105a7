import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import type { DatabaseReader } from '../database.ts'
import { createKysely } from './bridge.ts'
import { createPrepare, createSnapshotReader } from './file.ts'
import { databaseFile } from './open.ts'

/** Opens the database of a data directory to read it in another thread than the one that has opened it to write. */
export function openDirectory(dataDir: string) {
  const connection = new DatabaseSync(join(dataDir, databaseFile), { readOnly: true })
  const prepare = createPrepare(connection)
  const readSnapshot = createSnapshotReader(connection, prepare)
  const db = createKysely(connection, prepare)
  const reader: DatabaseReader = {
    engine: 'sqlite',
    db,
    run: async (queries) => readSnapshot(queries),
  }
  return { ...reader, dataDir, close: () => db.destroy() }
}
