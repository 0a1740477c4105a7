import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { PlatformError } from '../../domain/error.ts'
import {
  bumpVersion,
  versionOf,
  type Database,
  type Inspect,
  type Outcome,
  type Question,
  type Row,
  type Statements,
  type TellFleet,
} from '../database.ts'
import { migrate } from '../migrations/migrate.ts'
import type { Tables } from '../tables.ts'
import { Violation } from '../violation.ts'
import { fleetStatements, ownOutcomes } from '../fleet-versions.ts'
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

/** Connections for reads that may take long; there are few, so that everybody else's stay quick. */
function openPatientPool(connection: pg.ClientConfig): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    max: 4,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 30_000,
    query_timeout: 31_000,
  })
  keepAlive(pool)
  return pool
}

/** A connection that breaks, idle or in use, is replaced; without listeners it would end the process. */
function keepAlive(pool: pg.Pool): void {
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
}

/** Any number will do, as long as all processes take the same. */
const maintenanceLock = 8400

/** On a connection of its own, which nobody gets impatient with; its end gives the lock back. */
async function maintain(connection: pg.ClientConfig, work: readonly string[]): Promise<void> {
  if (work.length === 0) return
  const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('select pg_advisory_lock($1)', [maintenanceLock])
    for (const statement of work) await client.query(statement)
  } catch (error) {
    throw toError(error)
  } finally {
    await client.end().catch(() => {})
  }
}

/** Answers questions that belong together from one moment of the data. */
async function askTogether(pool: pg.Pool, questions: readonly Question[]): Promise<Row[][]> {
  const client = await takeClient(pool)
  const together = questions.length > 1
  try {
    const answers: Row[][] = []
    if (together) await client.query('begin isolation level repeatable read read only')
    for (const { sql, parameters } of questions) {
      answers.push((await client.query(sql, parameters)).rows)
    }
    return answers
  } finally {
    if (together && !client.isBroken()) await client.query('commit').catch(() => {})
    client.release()
  }
}

/** Muster's storage in a PostgreSQL that any number of processes share. */
export async function openPostgres(
  url: string,
  inspect: Inspect,
  tell: TellFleet = () => {},
): Promise<Database> {
  const connection = { connectionString: url, types, application_name: 'muster' }
  const pool = new pg.Pool({
    ...connection,
    max: 10,
    connectionTimeoutMillis: 2_000,
    statement_timeout: 5_000,
    query_timeout: 5_500,
  })
  keepAlive(pool)
  const patient = openPatientPool(connection)
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
    ask: (questions, pace) => askTogether(pace === 'quick' ? pool : patient, questions),
    async commitFleet(statements, scopes) {
      const outcomes = await commit(fleetStatements(read, statements, scopes))
      version.advanceFleet(versionOf(outcomes), scopes)
      tell(versionOf(outcomes), scopes)
      return ownOutcomes(outcomes, statements.length)
    },
    maintain: (work) => maintain(connection, work),
    fleetVersion: version.fleetVersion,
    extend: () => ({ engine: 'postgres', url }),
    noteFleet: version.advanceFleet,
    async ping() {
      await pool.query('select 1').catch((error: unknown) => {
        throw toError(error)
      })
    },
    async close() {
      await version.stop()
      await patient.end()
      await read.destroy()
    },
  }
}
