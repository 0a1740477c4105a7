import type { MessagePort } from 'node:worker_threads'
import type { Kysely } from 'kysely'
import type { ClockReading } from '../domain/health.ts'
import type { Requester } from '../domain/requester.ts'
import type { DatabaseCounts, StatementListener } from './database-statistics.ts'
import type { PostgresLimits } from './postgres/limits.ts'
import type { Tables } from './tables.ts'

/** What one statement of a commit did. */
export interface StatementResult {
  readonly rows: readonly Record<string, unknown>[]
  readonly changes: number
}

export interface Query {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** For statements that are built once: PostgreSQL prepares them by this name. */
  readonly name?: string
}

export interface Statement extends Query {
  /** If the statement touches no row, the whole commit fails with a violation that has this reason. */
  readonly required?: string
  /** PostgreSQL only: the rows of a `copy … from stdin`. */
  readonly copied?: Uint8Array
  /** SQLite only: the statement runs once for each of these, instead of with the parameters. */
  readonly rows?: readonly (readonly unknown[])[]
}

export type Row = Readonly<Record<string, unknown>>

/**
 * A parameter for the set of servers whose numbers a query returns, comma-separated, in a column
 * `list`. SQLite only: it is bound as a blob with a 1 at the byte of each number.
 */
export interface ServerSet {
  readonly listedBy: Query
}

/** Quick queries run at once. Slow ones wait in a queue in which users take turns. */
export type QueryPriority = 'quick' | Requester

/** Called after each commit of servers, before the commit resolves. */
export type OnServersCommitted = (version: number, scopeIds: ReadonlySet<string>) => void

/** Statements of one transaction. */
export type Statements = readonly Statement[]

/** Makes a commit fail unless this statement changes, or finds, at least one row. */
export const required = ({ sql, parameters }: Statement, reason: string): Statement => ({
  sql,
  parameters,
  required: reason,
})

/**
 * Quick indexed reads, and queries that may be slow. The database is split into parts, and a store
 * declares those that it needs: the sync thread on SQLite can neither commit identity data nor see
 * versions, so such calls must not compile there.
 */
export interface DatabaseReader {
  readonly engine: 'sqlite' | 'postgres'
  /** For quick, indexed reads. They see every commit that was acknowledged before them. */
  readonly db: Kysely<Tables>
  /**
   * Runs queries on one snapshot of the data. With a requester they may be slow: then users take
   * turns, each query has a deadline, and it stops when the requester's signal aborts.
   */
  run(queries: readonly Query[], priority: QueryPriority): Promise<readonly Row[][]>
}

export interface DatabaseWriter {
  /** Commits statements in one transaction. Durable when it resolves. */
  commit(statements: Statements): Promise<StatementResult[]>
  /**
   * Commits changes of servers that belong to these projects and domains, and raises the version of
   * each. `serialized` statements depend on what other such commits wrote: they run one commit at a
   * time.
   */
  commitServers(
    statements: Statements,
    scopeIds: ReadonlySet<string>,
    serialized?: Statements,
  ): Promise<void>
  /** Maintains the schema, for example by creating indexes: without a time limit, in one process at a time. */
  maintain(statements: readonly string[]): Promise<void>
}

/** Commits that change permissions, users or anything else that decides about access. */
export interface IdentityWriter {
  /**
   * Commits in one transaction and raises the version of the identity data, which invalidates what
   * is cached of it. Such commits run one after another. With a version, the commit only succeeds
   * if that is still the current one.
   */
  commitIdentity(statements: Statements, version?: number): Promise<StatementResult[]>
}

/** The versions that caches compare. They are those that this process knows. */
export interface DatabaseVersions {
  /** Undefined while this process may have missed a change of the identity data. */
  currentVersion(): number | undefined
  /**
   * The version of the servers of a project or a domain, or (without a scope) of all servers.
   * Undefined while it may be more than a second old.
   */
  serversVersion(scope?: string): number | undefined
  /** Another thread of this process has committed servers of these projects and domains. */
  noteServersCommitted(version: number, scopeIds: ReadonlySet<string>): void
}

/** What every thread can do with the database. */
export interface ThreadDatabase extends DatabaseReader, DatabaseWriter {
  /** What this thread has run since it opened the database. */
  counts(): DatabaseCounts
  /** Calls the listener after each statement of this thread. */
  observe(listener: StatementListener): void
  /** As `findKeyFingerprints`, at most a poll old. Undefined until the first process has stored it. */
  keyFingerprints(): string | undefined
  close(): Promise<void>
}

/** The database as the process opens it; other threads join it. */
export interface Database extends ThreadDatabase, IdentityWriter, DatabaseVersions {
  /** What another thread of this process needs to join. */
  share(): SharedDatabase
  /** Writes something that changes nothing. Rejects, with the reason, if that is not possible. */
  ping(): Promise<void>
  /** The clock that all processes of this database share; undefined where there is only one process. */
  readClock(): ClockReading | undefined
  sizes(): Promise<DatabaseSizes>
}

/** In bytes. */
export interface DatabaseSizes {
  readonly database: number
  /** The write-ahead log, and the free space of its disk; SQLite only. */
  readonly wal?: number
  readonly available?: number
}

/** The open database of this process, as it is passed to another thread. */
export type SharedDatabase =
  | { readonly engine: 'sqlite'; readonly directory: string; readonly port: MessagePort }
  | { readonly engine: 'postgres'; readonly url: string; readonly limits: PostgresLimits }

/** Inspects a database before anything in it is changed, and throws to leave it unchanged. */
export type Inspect = (db: Kysely<Tables>) => Promise<void>

/**
 * Raises the version of the identity data and returns it. It is the first statement of a commit: it
 * locks the row, so the statements after it see every earlier commit.
 */
export function raiseIdentityVersion(db: Kysely<Tables>, expected: number | undefined): Statement {
  const bump = db
    .updateTable('identity_version')
    .set((row) => ({ version: row('version', '+', 1) }))
    .returning('version')
  return expected === undefined
    ? bump.compile()
    : required(bump.where('version', '=', expected).compile(), 'version')
}

/** The version that `raiseIdentityVersion`, as the first statement of a commit, returned. */
export const identityVersionOf = ([first]: readonly StatementResult[]): number =>
  Number(first?.rows[0]?.['version'])
