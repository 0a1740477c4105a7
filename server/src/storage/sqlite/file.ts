import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'

/** Opens a file as Muster wants it: WAL, durable commits, references enforced. */
export function openFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5_000, enableForeignKeyConstraints: true })
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = full')
  return database
}

const keptStatements = 500

/** Prepares each text once, and forgets those that have not been used for longest. */
export function createStatementCache(database: DatabaseSync): (text: string) => StatementSync {
  const statements = new LRUCache<string, StatementSync>({ max: keptStatements })
  return (text) => {
    let statement = statements.get(text)
    if (!statement) {
      statement = database.prepare(text)
      statements.set(text, statement)
    }
    return statement
  }
}
