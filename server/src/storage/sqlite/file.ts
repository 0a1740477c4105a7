import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { createCache, createCacheMemory, type CacheMemory } from '../../domain/cache.ts'
import type { Query, Row, ServerSet } from '../database.ts'
import { serverSet } from './server-set.ts'

/** The most that SQLite is compiled to map. */
const mappedBytes = 2 ** 31

/**
 * Opens a file with a write-ahead log, durable commits and enforced foreign keys. Slow queries call
 * `check_stop` now and then; `checkStop` throws to stop one, as there is no other way to interrupt it.
 */
export function openFile(file: string, checkStop: () => void = () => {}): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5_000, enableForeignKeyConstraints: true })
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = full')
  // Reads the operating system's page cache directly instead of copying pages.
  database.exec(`pragma mmap_size = ${mappedBytes}`)
  database.function('check_stop', () => {
    checkStop()
    return 1
  })
  return database
}

/** Estimated bytes of a prepared statement. */
const statementSize = 8_000

export type Prepare = (text: string) => StatementSync

/** Prepares each statement once. In threads without other caches the statements have their own memory. */
export function createPrepare(
  database: DatabaseSync,
  memory: CacheMemory = createCacheMemory(500 * statementSize),
): Prepare {
  // The text is all that a statement depends on, so there is only one version.
  const statements = createCache<string, true, StatementSync>(
    memory,
    'statements',
    () => statementSize,
  )
  return (text) => {
    let statement = statements.get(text, true)
    if (!statement) {
      statement = database.prepare(text)
      statements.set(text, true, statement)
    }
    return statement
  }
}

const isServerSet = (value: unknown): value is ServerSet =>
  typeof value === 'object' && value !== null && 'listedBy' in value

type Cell = string | number | null | Uint8Array

/** Runs queries on one snapshot of the data. */
export function createSnapshotReader(
  database: DatabaseSync,
  prepare: Prepare,
  checkStop: () => void = () => {},
) {
  function runQuery({ sql, parameters }: Query): Row[] {
    checkStop()
    // A statement may have the same set in several places.
    const sets = new Map<ServerSet, Uint8Array>()
    for (const value of parameters) {
      if (isServerSet(value) && !sets.has(value)) sets.set(value, readSet(value))
    }
    const bind = (value: unknown) => (sets.get(value as ServerSet) ?? value) as Cell
    return prepare(sql).all(...(sets.size === 0 ? (parameters as Cell[]) : parameters.map(bind)))
  }
  const readSet = ({ listedBy }: ServerSet) =>
    serverSet((runQuery(listedBy)[0]?.['list'] as string | null) ?? '')
  return function read(queries: readonly Query[]): Row[][] {
    // A single statement is its own snapshot, unless a parameter needs another query.
    const isSingle = queries.length === 1 && !queries[0]?.parameters.some(isServerSet)
    if (isSingle) return queries.map(runQuery)
    database.exec('begin')
    try {
      return queries.map(runQuery)
    } finally {
      // A fault may have rolled it back already.
      if (database.isTransaction) database.exec('commit')
    }
  }
}
