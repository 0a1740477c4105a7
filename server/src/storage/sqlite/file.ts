import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { LRUCache } from 'lru-cache'
import type { Query, Row } from '../database.ts'
import { isServerSet, serverSet } from './server-set.ts'

/** As much as SQLite is made for. */
const mappedBytes = 2 ** 31

/**
 * Opens a file as Muster wants it: WAL, durable commits, references enforced. `checkStop` is called
 * every so often by queries that may take long, and throws to stop one: there is no other way to
 * interrupt a statement.
 */
export function openFile(file: string, checkStop: () => void = () => {}): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5_000, enableForeignKeyConstraints: true })
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = full')
  // Pages are read where the operating system keeps them, not from copies of our own.
  database.exec(`pragma mmap_size = ${mappedBytes}`)
  database.function('check_stop', () => {
    checkStop()
    return 1
  })
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

type Cell = string | number | null | Uint8Array

/** Answers queries that belong together from one moment of the data. */
export function createSnapshotReader(database: DatabaseSync, checkStop: () => void = () => {}) {
  const prepare = createStatementCache(database)
  const run = ({ sql, parameters }: Query): Row[] => {
    checkStop()
    return prepare(sql).all(...parameters.map(bind))
  }
  const bind = (value: unknown): Cell =>
    isServerSet(value)
      ? serverSet((run(value.listedBy)[0]?.['list'] as string | null) ?? '')
      : (value as Cell)
  return function read(queries: readonly Query[]): Row[][] {
    // One statement has a moment of its own, unless it needs others.
    const isAlone = queries.length === 1 && !queries[0]?.parameters.some(isServerSet)
    if (isAlone) return queries.map(run)
    database.exec('begin')
    try {
      return queries.map(run)
    } finally {
      // A fault may have ended it already.
      if (database.isTransaction) database.exec('commit')
    }
  }
}
