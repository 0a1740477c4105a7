import type { CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** What one statement of a commit did. */
export interface Outcome {
  readonly rows: readonly Record<string, unknown>[]
  readonly changes: number
}

export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** Where it touches no row, nothing of the commit happens: the ground it stood on is gone. */
  readonly required?: true
}

/** Statements that happen together or not at all. */
export type Statements = readonly Statement[]

/** Makes a commit depend on a statement: that it changes, or finds, at least one row. */
export const required = ({ sql, parameters }: Statement): Statement => ({
  sql,
  parameters,
  required: true,
})

/**
 * A storage engine as the stores see it: one query language to read with, one way to write.
 * Nothing else of an engine is known above this line.
 */
export interface Database {
  readonly engine: 'sqlite' | 'postgres'
  /** Quick indexed reads. They see every commit that was acknowledged before them. */
  readonly read: Kysely<Tables>
  /** Durable when it resolves. */
  commit(statements: Statements): Promise<Outcome[]>
  /** A commit that changes who may do what: from here on nobody trusts what was remembered before. */
  commitNews(statements: Statements): Promise<Outcome[]>
  /** The version of the identity data, as far as this process knows it. */
  currentVersion(): number | undefined
  /** Rejects when the engine does not answer. */
  ping(): Promise<void>
  close(): Promise<void>
}

/** Looks at a database before anything in it is touched, and throws to keep it so. */
export type Inspect = (read: Kysely<Tables>) => Promise<void>

/** The statement that makes a commit news; it comes last, and returns the new version. */
export const bumpVersion = (read: Kysely<Tables>): CompiledQuery =>
  read
    .updateTable('identity_version')
    .set((row) => ({ version: row('version', '+', 1) }))
    .returning('version')
    .compile()
