import { join } from 'node:path'
import type { DatabaseReader, DatabaseWriter, Statements } from '../database.ts'
import { migrate } from '../migrations/migrate.ts'
import { createKysely } from '../sqlite/bridge.ts'
import { createPrepare, openFile } from '../sqlite/file.ts'
import { databaseFile } from '../sqlite/open.ts'
import { createRunStatement } from '../sqlite/run-statement.ts'
import type { Unit } from '../sqlite/writer-messages.ts'

export interface MomentFile extends DatabaseReader, DatabaseWriter {
  /** Closes the file, complete. */
  complete(): Promise<void>
}

const cacheKilobytes = 64 * 1024

/**
 * A file that only the calling thread uses, and that is removed if anything fails. So there is one transaction,
 * no journal, and no wait for the disk.
 */
export async function openMomentFile(directory: string): Promise<MomentFile> {
  const connection = openFile(join(directory, databaseFile))
  // Otherwise SQLite ignores that there is to be no journal.
  connection.enableDefensive(false)
  connection.exec('pragma journal_mode = off')
  connection.exec('pragma synchronous = off')
  connection.exec(`pragma cache_size = -${cacheKilobytes}`)
  const prepare = createPrepare(connection)
  const db = createKysely(connection, prepare)
  await migrate(db)
  connection.exec('begin')
  const run = createRunStatement(prepare)
  const commit = async (statements: Statements) => (statements as Unit).map(run)
  return {
    engine: 'sqlite',
    db,
    run: async (queries) =>
      queries.map(({ sql, parameters }) => prepare(sql).all(...(parameters as string[]))),
    commit,
    commitServers: async (statements) => void (await commit(statements)),
    async maintain(statements) {
      for (const statement of statements) connection.exec(statement)
    },
    async complete() {
      connection.exec('commit')
      await db.destroy()
    },
  }
}
