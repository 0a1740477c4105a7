import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { PlatformError } from '../../domain/error.ts'
import {
  bumpVersion,
  versionOf,
  type Database,
  type Inspect,
  type Outcome,
  type Statements,
} from '../database.ts'
import { migrate } from '../migrations/migrate.ts'
import type { Tables } from '../tables.ts'
import { Violation } from '../violation.ts'
import { followVersion } from './follow-version.ts'

/** Times and counters are well inside what a number holds exactly. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** PostgreSQL's codes for what the stores want to tell apart. */
const violations: Readonly<Record<string, Violation['kind']>> = {
  '23503': 'foreign-key',
  '23505': 'unique',
}

/** A fault that another try may not meet: no answer, restarting, too busy. All else has a state of its own. */
const isPassing = (error: unknown): boolean =>
  !(error instanceof pg.DatabaseError) || /^(08|25006|40|53|57|58)/.test(error.code ?? '')

const unavailable = (cause: unknown) =>
  new PlatformError('ServiceUnavailable', 'The storage does not answer now.', {
    cause,
    retryAfter: 1,
  })

function toError(error: unknown): unknown {
  if (isPassing(error)) return unavailable(error)
  const kind = error instanceof pg.DatabaseError ? violations[error.code ?? ''] : undefined
  return kind ? new Violation(kind, { cause: error }) : error
}

/**
 * A connection from the pool, whose errors are those that the rest of Muster understands. One that
 * broke, or did not answer in time, is not given to anyone again.
 */
async function takeClient(pool: pg.Pool) {
  const client = await pool.connect().catch((error: unknown) => {
    throw unavailable(error)
  })
  let isBroken = false
  return {
    isBroken: () => isBroken,
    async query(text: string, parameters: readonly unknown[] = []): Promise<pg.QueryResult> {
      try {
        return await client.query(text, [...parameters])
      } catch (error) {
        isBroken ||= isPassing(error)
        throw toError(error)
      }
    },
    release: () => client.release(isBroken),
  }
}

/** The pool as Kysely uses it. */
const createBridge = (pool: pg.Pool): PostgresPool => ({
  options: pool.options,
  connect: async () => (await takeClient(pool)) as unknown as PostgresPoolClient,
  end: () => pool.end(),
})

/** Everything between the first connection and the first use; where it fails nothing is left open. */
async function prepare(read: Kysely<Tables>, inspect: Inspect, connection: pg.ClientConfig) {
  let version: ReturnType<typeof followVersion> | undefined
  try {
    await inspect(read)
    await migrate(read)
    version = followVersion(connection)
    await version.firstAnswer
    return version
  } catch (error) {
    await version?.stop()
    await read.destroy()
    throw error
  }
}

/** Muster's storage in a PostgreSQL that any number of processes share. */
export async function openPostgres(url: string, inspect: Inspect): Promise<Database> {
  const connection = { connectionString: url, types, application_name: 'muster' }
  const pool = new pg.Pool({
    ...connection,
    max: 10,
    connectionTimeoutMillis: 2_000,
    statement_timeout: 5_000,
    query_timeout: 5_500,
  })
  // A connection that breaks, idle or in use, is replaced; without listeners it would end the process.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  const read = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createBridge(pool) }) })
  const version = await prepare(read, inspect, connection)

  async function commit(statements: Statements): Promise<Outcome[]> {
    const client = await takeClient(pool)
    const together = statements.length > 1
    try {
      const outcomes: Outcome[] = []
      if (together) await client.query('begin')
      for (const { sql, parameters, required } of statements) {
        const { rows, rowCount } = await client.query(sql, parameters)
        if (required !== undefined && rowCount === 0) {
          throw new Violation('unmet', { reason: required })
        }
        outcomes.push({ rows, changes: rowCount ?? 0 })
      }
      if (together) await client.query('commit')
      return outcomes
    } catch (error) {
      // The server rolls back a broken connection by itself.
      if (together && !client.isBroken()) await client.query('rollback').catch(() => {})
      throw error
    } finally {
      client.release()
    }
  }

  return {
    engine: 'postgres',
    read,
    commit,
    async commitNews(statements, expected) {
      const outcomes = await commit([bumpVersion(read, expected), ...statements])
      version.advance(versionOf(outcomes))
      return outcomes.slice(1)
    },
    currentVersion: version.current,
    async ping() {
      await pool.query('select 1').catch((error: unknown) => {
        throw toError(error)
      })
    },
    async close() {
      await version.stop()
      await read.destroy()
    },
  }
}
