import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
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
import { fleetCommit } from '../fleet-versions.ts'
import { createSlowQueries, usualQueryTimeout } from '../slow-queries.ts'
import { takeClient } from './client.ts'
import { toError } from './errors.ts'
import { followVersion } from './follow-version.ts'
import { createSlowReader } from './slow-reader.ts'
import { runTransaction } from './transaction.ts'

/** Times and counters are well inside what a number holds exactly. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** How many connections a process may have, and how long its statements may take, by what they are for. */
export interface PostgresLimits {
  /** For requests: quick reads, and writes of a few rows. */
  readonly connections: number
  readonly timeout: number
  /** For reads that may take long; there are few, so that everybody else's stay quick. */
  readonly slowConnections: number
  readonly slowTimeout: number
  /** For writing servers. */
  readonly syncConnections: number
  readonly syncTimeout: number
}

const second = 1_000

export const usualLimits: PostgresLimits = {
  connections: 10,
  timeout: 5 * second,
  slowConnections: 4,
  slowTimeout: usualQueryTimeout,
  syncConnections: 4,
  syncTimeout: 60 * second,
}

/** The pool as Kysely uses it. Kysely ends only what it has used, so it is ended by whoever opened it. */
const createBridge = (pool: pg.Pool): PostgresPool => ({
  options: pool.options,
  connect: async () => (await takeClient(pool)) as unknown as PostgresPoolClient,
  end: async () => {},
})

const createKysely = (pool: pg.Pool) =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createBridge(pool) }) })

/** A migration takes as long as it takes, and so does waiting for another process's. */
async function bringUpToDate(connection: pg.ClientConfig, inspect: Inspect): Promise<void> {
  const pool = openPool(connection, { max: 2, timeout: forever, wait: forever })
  const read = createKysely(pool)
  try {
    await inspect(read)
    await migrate(read)
  } finally {
    await pool.end()
  }
}

/** Everything between the first connection and the first use; where it fails nothing is left open. */
async function prepare(connection: pg.ClientConfig, inspect: Inspect) {
  await bringUpToDate(connection, inspect)
  const version = followVersion(connection)
  try {
    await version.firstAnswer
    return version
  } catch (error) {
    await version.stop()
    throw error
  }
}

const longestConnect = 2 * second
const forever = 0

/** A server that does not take a connection at once is not there, however long one may wait for a free one. */
class PromptClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super({ ...config, connectionTimeoutMillis: longestConnect })
  }
}

/** `timeout` is for a statement, `wait` for a connection to be free. */
function openPool(
  connection: pg.ClientConfig,
  { max, timeout, wait }: { readonly max: number; readonly timeout: number; readonly wait: number },
): pg.Pool {
  const pool = new pg.Pool({
    ...connection,
    max,
    Client: PromptClient,
    connectionTimeoutMillis: wait,
    query_timeout: timeout,
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

/**
 * On connections of its own, without a limit of time. One holds the lock, in a transaction, since a
 * pooler between would give a session's lock to somebody else; the other does the work, statement by
 * statement, so that each index is there for others as soon as it is made.
 */
async function maintain(connection: pg.ClientConfig, work: readonly string[]): Promise<void> {
  if (work.length === 0) return
  const pool = openPool(connection, { max: 2, timeout: forever, wait: forever })
  try {
    const lock = await takeClient(pool)
    try {
      await lock.query('begin; set local idle_in_transaction_session_timeout = 0')
      await lock.query('select pg_advisory_xact_lock($1)', [maintenanceLock])
      const worker = await takeClient(pool)
      try {
        for (const statement of work) await worker.query(statement)
      } finally {
        worker.release()
      }
    } finally {
      if (!lock.isBroken()) await lock.query('rollback').catch(() => {})
      lock.release()
    }
  } finally {
    await pool.end()
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
  limits: PostgresLimits = usualLimits,
): Promise<Database> {
  const connection = { connectionString: url, types, application_name: 'muster' }
  const version = await prepare(connection, inspect)
  const { timeout, slowTimeout, syncTimeout } = limits
  const pool = openPool(connection, { max: limits.connections, timeout, wait: longestConnect })
  const patient = openPool(connection, {
    max: limits.slowConnections,
    timeout: slowTimeout + 2 * second,
    wait: longestConnect,
  })
  // Who writes servers waits for a free connection as long as it takes: more at once would not be
  // written sooner, only hold more locks. The server's own limit ends a statement first.
  const writers = openPool(connection, {
    max: limits.syncConnections,
    timeout: syncTimeout + 2 * second,
    wait: forever,
  })
  const askSlowly = createSlowQueries(
    { slots: limits.slowConnections, timeout: slowTimeout },
    createSlowReader({
      take: () => takeClient(patient),
      cancel: (backend) => pool.query('select pg_cancel_backend($1)', [backend]),
      timeout: slowTimeout,
    }),
  )
  const read = createKysely(pool)

  const commit = (statements: Statements): Promise<Outcome[]> =>
    runTransaction(pool, statements, {
      statement: timeout,
      lock: timeout,
      tries: 4,
      retryTimeouts: false,
    })

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
    ask: async (questions, pace) =>
      pace === 'quick' ? await askTogether(pool, questions) : await askSlowly(questions, pace),
    async commitFleet(statements, scopes, inTurn = []) {
      const work = fleetCommit(read, statements, scopes, inTurn)
      const outcomes = await runTransaction(writers, work.statements, {
        statement: syncTimeout,
        lock: Math.min(longestLockWait, syncTimeout),
        tries: 8,
        retryTimeouts: true,
      })
      version.advanceFleet(work.versionOf(outcomes), scopes)
      tell(work.versionOf(outcomes), scopes)
    },
    maintain: (work) => maintain(connection, work),
    fleetVersion: version.fleetVersion,
    extend: () => ({ engine: 'postgres', url, limits }),
    noteFleet: version.advanceFleet,
    async ping() {
      await pool.query('select 1').catch((error: unknown) => {
        throw toError(error)
      })
    },
    async close() {
      await version.stop()
      await Promise.all([pool.end(), patient.end(), writers.end()])
    },
  }
}

/** Longer than any commit takes: who holds a lock for so long has to be got past. */
const longestLockWait = 10 * second
