import { Kysely, PostgresDialect, sql, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import {
  bumpVersion,
  versionOf,
  type Database,
  type Inspect,
  type StatementResult,
  type Query,
  type Row,
  type Statements,
  type OnServersCommitted,
} from '../database.ts'
import { migrate } from '../migrations/migrate.ts'
import type { Tables } from '../tables.ts'
import { buildServersCommit } from '../server-versions.ts'
import { createSlowQueries, defaultQueryTimeout } from '../slow-queries.ts'
import { takeClient } from './client.ts'
import { requireVersion } from './explain-failure.ts'
import { followVersion } from './follow-version.ts'
import { createHosts, type Hosts } from './hosts.ts'
import type { PostgresLimits } from './limits.ts'
import { openPool, type Pool } from './pool.ts'
import { createSlowReader } from './slow-reader.ts'
import { runTransaction } from './transaction.ts'

/** Times and counters are well inside what a number holds exactly. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

const second = 1_000

export const defaultLimits: PostgresLimits = {
  connections: 10,
  timeout: 5 * second,
  slowConnections: 4,
  slowTimeout: defaultQueryTimeout,
  syncConnections: 4,
  syncTimeout: 60 * second,
}

/** The pool as Kysely uses it. Kysely ends only what it has used, so it is ended by whoever opened it. */
const createBridge = (pool: Pool): PostgresPool => ({
  options: pool.options,
  connect: async () => (await takeClient(pool)) as unknown as PostgresPoolClient,
  end: async () => {},
})

const createKysely = (pool: Pool) =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool: createBridge(pool) }) })

/** A migration takes as long as it takes, and so does waiting for another process's. */
async function bringUpToDate(hosts: Hosts, inspect: Inspect): Promise<void> {
  const pool = openPool(hosts, { max: 2, timeout: forever, wait: forever })
  const db = createKysely(pool)
  try {
    await requireVersion(async (text) => (await sql.raw<object>(text).execute(db)).rows)
    await inspect(db)
    await migrate(db)
  } finally {
    await pool.end()
  }
}

/** Everything between the first connection and the first use; where it fails nothing is left open. */
async function prepare(hosts: Hosts, inspect: Inspect) {
  await bringUpToDate(hosts, inspect)
  const version = followVersion(hosts)
  try {
    await version.firstAnswer
    return version
  } catch (error) {
    await version.stop()
    throw error
  }
}

const longestWait = 2 * second
/** Longer than any commit takes. A commit that waits longer for a lock is tried again. */
const longestLockWait = 10 * second
const forever = 0

/** Any number will do, as long as all processes take the same. */
const maintenanceLock = 8400

/**
 * On connections of its own, without a limit of time. One holds the lock, in a transaction, since a
 * pooler between would give a session's lock to somebody else; the other does the work, statement by
 * statement, so that each index is there for others as soon as it is made.
 */
async function maintain(hosts: Hosts, work: readonly string[]): Promise<void> {
  if (work.length === 0) return
  const pool = openPool(hosts, { max: 2, timeout: forever, wait: forever })
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

/** Answers queries that belong together from one moment of the data. */
async function runTogether(pool: Pool, queries: readonly Query[]): Promise<Row[][]> {
  const client = await takeClient(pool)
  const together = queries.length > 1
  try {
    const answers: Row[][] = []
    if (together) await client.query('begin isolation level repeatable read read only')
    for (const { sql, parameters } of queries) {
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
  tell: OnServersCommitted = () => {},
  limits: PostgresLimits = defaultLimits,
): Promise<Database> {
  const hosts = createHosts(url, { types, application_name: 'muster' })
  const version = await prepare(hosts, inspect)
  const { timeout, slowTimeout, syncTimeout } = limits
  const pool = openPool(hosts, { max: limits.connections, timeout, wait: longestWait })
  const patient = openPool(hosts, {
    max: limits.slowConnections,
    timeout: slowTimeout + 2 * second,
    wait: longestWait,
  })
  // Who writes servers waits for a free connection as long as it takes: more at once would not be
  // written sooner, only hold more locks. The server's own limit ends a statement first.
  const writers = openPool(hosts, {
    max: limits.syncConnections,
    timeout: syncTimeout + 2 * second,
    wait: forever,
  })
  const commit = (statements: Statements): Promise<StatementResult[]> =>
    runTransaction(pool, statements, {
      statement: timeout,
      lock: timeout,
      maxAttempts: 4,
      retryTimeouts: false,
    })

  const runSlowly = createSlowQueries(
    { slots: limits.slowConnections, timeout: slowTimeout },
    createSlowReader({
      take: () => takeClient(patient),
      cancel: (backend) => commit([{ sql: 'select pg_cancel_backend($1)', parameters: [backend] }]),
      timeout: slowTimeout,
    }),
  )
  const db = createKysely(pool)

  return {
    engine: 'postgres',
    db,
    commit,
    async commitIdentity(statements, expected) {
      const outcomes = await commit([bumpVersion(db, expected), ...statements])
      version.advance(versionOf(outcomes))
      return outcomes.slice(1)
    },
    currentVersion: version.current,
    run: async (queries, priority) =>
      priority === 'quick' ? await runTogether(pool, queries) : await runSlowly(queries, priority),
    async commitServers(statements, scopes, inTurn = []) {
      const work = buildServersCommit(db, statements, scopes, inTurn)
      const outcomes = await runTransaction(writers, work.statements, {
        statement: syncTimeout,
        lock: Math.min(longestLockWait, syncTimeout),
        maxAttempts: 8,
        retryTimeouts: true,
      })
      version.advanceServers(work.versionOf(outcomes), scopes)
      tell(work.versionOf(outcomes), scopes)
    },
    maintain: (work) => maintain(hosts, work),
    serversVersion: version.serversVersion,
    extend: () => ({ engine: 'postgres', url, limits }),
    noteServersCommitted: version.advanceServers,
    async ping() {
      await commit([{ sql: 'select 1', parameters: [] }])
    },
    async close() {
      await version.stop()
      await Promise.all([pool.end(), patient.end(), writers.end()])
    },
  }
}
