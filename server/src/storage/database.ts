import type { MessagePort } from 'node:worker_threads'
import type { Kysely } from 'kysely'
import type { Requester } from '../domain/inventory/ports.ts'
import type { PostgresLimits } from './postgres/limits.ts'
import type { Tables } from './tables.ts'

/** What one statement of a commit did. */
export interface StatementResult {
  readonly rows: readonly Record<string, unknown>[]
  readonly changes: number
}

export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /**
   * Where it touches no row, nothing of the commit happens: the ground it stood on is gone. The
   * text is what the violation then gives as its reason.
   */
  readonly required?: string
}

export type Row = Readonly<Record<string, unknown>>

/** A read: its text and what is bound to it. */
export interface Query {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/**
 * A parameter that stands for the servers whose numbers a query lists, with commas between them, in a
 * column `list`. Only SQLite takes it, as a blob: the byte at a number is 1 for each server listed.
 */
export interface ServerSet {
  readonly listedBy: Query
}

/** Quick reads run at once; those that may take long wait for their requester's turn. */
export type QueryPriority = 'quick' | Requester

/** How another thread gets at the storage that this process has open. */
export type Extension =
  | { readonly engine: 'sqlite'; readonly directory: string; readonly line: MessagePort }
  | { readonly engine: 'postgres'; readonly url: string; readonly limits: PostgresLimits }

/** Told of each commit that changed servers, before whoever asked for it is. */
export type OnServersCommitted = (version: number, scopes: ReadonlySet<string>) => void

/** Statements that happen together or not at all. */
export type Statements = readonly Statement[]

/** Makes a commit depend on a statement: that it changes, or finds, at least one row. */
export const required = ({ sql, parameters }: Statement, reason: string): Statement => ({
  sql,
  parameters,
  required: reason,
})

/**
 * A storage engine as the stores see it: one query language to read with, one way to write.
 * Nothing else of an engine is known above this line.
 */
export interface Database {
  readonly engine: 'sqlite' | 'postgres'
  /** Quick indexed reads. They see every commit that was acknowledged before them. */
  readonly db: Kysely<Tables>
  /** Durable when it resolves. */
  commit(statements: Statements): Promise<StatementResult[]>
  /**
   * A commit that changes who may do what: from here on nobody trusts what was remembered before.
   * Such commits come one after another. With a version it happens only if that is still the
   * present one.
   */
  commitIdentity(statements: Statements, version?: number): Promise<StatementResult[]>
  /** The version of the identity data, as far as this process knows it. */
  currentVersion(): number | undefined
  /**
   * Reads that belong together: all see the same moment. With a requester they may take long: they run
   * out of the way of everybody else's, have a deadline, and stop when the requester's signal aborts.
   */
  run(queries: readonly Query[], priority: QueryPriority): Promise<readonly Row[][]>
  /**
   * A commit that changes servers of these projects and domains: pages of them are stale from here on.
   * `inTurn` are statements that rely on what other such commits wrote: they run one commit at a time.
   */
  commitServers(
    statements: Statements,
    scopes: ReadonlySet<string>,
    inTurn?: Statements,
  ): Promise<void>
  /** Work on the storage itself, such as making an index: it takes as long as it takes, one process at a time. */
  maintain(work: readonly string[]): Promise<void>
  /**
   * The version of a project's, a domain's or (without a scope) all servers, as far as this process
   * knows it; undefined where it may be more than a second behind.
   */
  serversVersion(scope?: string): number | undefined
  /** What another thread of this process needs to use the same storage. */
  extend(): Extension
  /** Servers of these projects and domains were written by another thread of this process. */
  noteServersCommitted(version: number, scopes: ReadonlySet<string>): void
  /** Rejects when the engine does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Looks at a database before anything in it is touched, and throws to keep it so. */
export type Inspect = (db: Kysely<Tables>) => Promise<void>

/**
 * The statement that makes a commit news. It comes first: until the commit ends nobody else gets
 * past it, so what follows sees all that came before. It returns the new version.
 */
export function bumpVersion(db: Kysely<Tables>, expected: number | undefined): Statement {
  const bump = db
    .updateTable('identity_version')
    .set((row) => ({ version: row('version', '+', 1) }))
    .returning('version')
  return expected === undefined
    ? bump.compile()
    : required(bump.where('version', '=', expected).compile(), 'version')
}

/** The version of the identity data that a commit has made, from what its first statement returned. */
export const versionOf = ([first]: readonly StatementResult[]): number =>
  Number(first?.rows[0]?.['version'])
