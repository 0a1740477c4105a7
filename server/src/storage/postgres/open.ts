import {
  Kysely,
  PostgresDialect,
  sql,
  type Logger,
  type PostgresPool,
  type PostgresPoolClient,
} from 'kysely'
import pg from 'pg'
import { background } from '../../domain/inventory/ports.ts'
import {
  identityVersionOf,
  raiseIdentityVersion,
  type Database,
  type Inspect,
  type StatementResult,
  type Query,
  type Row,
  type Statements,
  type OnServersCommitted,
} from '../database.ts'
import { createDatabaseStatistics } from '../database-statistics.ts'
import { migrate } from '../migrations/migrate.ts'
import type { Tables } from '../tables.ts'
import { buildServersCommit } from '../server-versions.ts'
import { createSlowQueries, defaultQueryTimeout } from '../slow-queries.ts'
import { takeClient } from './client.ts'
import { requireVersion } from './explain-failure.ts'
import { pollVersions } from './poll-versions.ts'
import { createHosts, type Hosts } from './hosts.ts'
import type { PostgresLimits } from './limits.ts'
import { openPool, processIdOf, type Pool } from './pool.ts'
import { createSilenceGuard, endIfLost } from './silence.ts'
import { createSlowReader } from './slow-reader.ts'
import { runTransaction } from './transaction.ts'

/** Timestamps and counters fit into a JavaScript number exactly. */
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

const second = 1_000

export const defaultLimits: PostgresLimits = {
  connections: 10,
  wait: second / 2,
  timeout: 5 * second,
  slowConnections: 4,
  slowTimeout: defaultQueryTimeout,
  syncConnections: 4,
  syncTimeout: 60 * second,
  retryTime: 5 * second,
}

/** Kysely ends only pools that it has used, so the pool is ended by whoever opened it. */
const createBridge = (pool: Pool): PostgresPool => ({
  options: pool.options,
  connect: async () => (await takeClient(pool)) as unknown as PostgresPoolClient,
  end: async () => {},
})

const createKysely = (pool: Pool, log?: Logger) =>
  new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: createBridge(pool) }),
    ...(log && { log }),
  })

const openHosts = (url: string) => createHosts(url, { types, application_name: 'muster' })

/** Without a time limit: a migration, or waiting for that of another process, can take long. */
async function withoutLimit(
  hosts: Hosts,
  work: (db: Kysely<Tables>) => Promise<void>,
): Promise<void> {
  const pool = openPool(hosts, { max: 2, timeout: unlimited, wait: unlimited })
  const db = createKysely(pool)
  try {
    await requireVersion(async (text) => (await sql.raw<object>(text).execute(db)).rows)
    await work(db)
  } finally {
    await pool.end()
  }
}

/** Works on the data on connections of its own. */
export const inspectPostgres = (url: string, inspect: Inspect): Promise<void> =>
  withoutLimit(openHosts(url), inspect)

/** Resolves once the versions are known; leaves no connection open when it fails. */
async function startPolling(hosts: Hosts) {
  const versions = pollVersions(hosts)
  try {
    await versions.firstPoll
    return versions
  } catch (error) {
    await versions.stop()
    throw error
  }
}

/** Longer than any commit takes. A commit that waits longer for a lock is retried. */
const maxLockWait = 10 * second
const unlimited = 0

/** An arbitrary number that all processes share. */
const maintenanceLock = 8400

/**
 * Uses two connections without a time limit. One holds the lock in a transaction, because a pooler
 * would hand a session lock to another client. The other runs each statement in its own transaction,
 * so that others see an index as soon as it is there.
 */
async function maintain(hosts: Hosts, statements: readonly string[]): Promise<void> {
  if (statements.length === 0) return
  const pool = openPool(hosts, { max: 2, timeout: unlimited, wait: unlimited })
  try {
    const lock = await takeClient(pool)
    try {
      await lock.query('begin; set local idle_in_transaction_session_timeout = 0')
      await lock.query('select pg_advisory_xact_lock($1)', [maintenanceLock])
      const worker = await takeClient(pool)
      try {
        for (const statement of statements) await worker.query(statement)
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

const measureSize = { sql: 'select pg_database_size(current_database()) as size', parameters: [] }

/** Writes a row again that no other transaction locks. */
const touch = "update settings set value = value where key = 'secret_key_fingerprint'"

/** Runs queries on one snapshot of the data. */
async function readSnapshot(pool: Pool, queries: readonly Query[]): Promise<Row[][]> {
  const client = await takeClient(pool)
  const together = queries.length > 1
  try {
    const answers: Row[][] = []
    if (together) await client.query('begin isolation level repeatable read read only')
    for (const query of queries) {
      answers.push((await client.query(query.sql, query.parameters, query)).rows)
    }
    return answers
  } finally {
    if (together && !client.isBroken()) await client.query('commit').catch(() => {})
    client.release()
  }
}

/** Whether PostgreSQL waits for a statement on a connection. False if it does not know it. */
async function isIdle(pool: Pool, client: pg.ClientBase): Promise<boolean> {
  const query = `select 1 from pg_stat_activity where pid = $1 and state like 'idle%'`
  const [rows] = await readSnapshot(pool, [{ sql: query, parameters: [processIdOf(client)] }])
  return rows?.length === 1
}

/** The database in PostgreSQL, which any number of processes share. */
export async function openPostgres(
  url: string,
  inspect: Inspect,
  limits?: PostgresLimits,
): Promise<Database> {
  const hosts = openHosts(url)
  await withoutLimit(hosts, async (db) => {
    await inspect(db)
    await migrate(db)
  })
  return await joinPostgres(url, () => {}, limits, hosts)
}

/** The database that this process has opened, for another thread. Fails if PostgreSQL does not answer. */
export async function joinPostgres(
  url: string,
  onServersCommitted: OnServersCommitted,
  limits: PostgresLimits = defaultLimits,
  hosts = openHosts(url),
): Promise<Database> {
  const versions = await startPolling(hosts)
  const { wait, timeout, slowTimeout, syncTimeout, retryTime } = limits
  const guard = createSilenceGuard(versions.answeredAt, timeout)
  const pool = openPool(hosts, { max: limits.connections, timeout, wait, guard })
  const slowPool = openPool(hosts, {
    max: limits.slowConnections,
    timeout: slowTimeout + 2 * second,
    wait,
    guard,
  })
  // A commit of servers waits for a free connection without a limit: more commits at once would only
  // hold more locks. PostgreSQL's own statement timeout ends a statement first.
  const syncPool = openPool(hosts, {
    max: limits.syncConnections,
    timeout: syncTimeout + 2 * second,
    wait: unlimited,
    guard,
    watch: (client, work) => endIfLost(work, () => isIdle(pool, client), timeout),
  })
  const statistics = createDatabaseStatistics()
  const commit = (statements: Statements): Promise<StatementResult[]> =>
    statistics.measure('commit', () =>
      runTransaction(pool, statements, {
        statement: timeout,
        lock: timeout,
        maxAttempts: 4,
        retryTimeouts: false,
        retryTime,
      }),
    )

  const readSlowly = createSlowReader({
    take: () => takeClient(slowPool),
    cancel: (backend) => commit([{ sql: 'select pg_cancel_backend($1)', parameters: [backend] }]),
    timeout: slowTimeout,
  })
  const slowQueries = createSlowQueries(
    { slots: limits.slowConnections, timeout: slowTimeout },
    (queries) => {
      const { rows, stop } = readSlowly(queries)
      return { rows: statistics.measure('query', () => rows, queries), stop }
    },
  )
  const db = createKysely(pool, statistics.noteQuery)

  return {
    engine: 'postgres',
    db,
    run: (queries, priority) =>
      priority === 'quick'
        ? statistics.measure('read', () => readSnapshot(pool, queries), queries)
        : slowQueries.run(queries, priority),
    counts: () => ({
      ...statistics.read(),
      pools: { requests: pool.counts(), queries: slowPool.counts(), sync: syncPool.counts() },
      queues: { queries: slowQueries.counts() },
    }),
    observe: statistics.observe,
    commit,
    async commitIdentity(statements, expected) {
      const results = await commit([raiseIdentityVersion(db, expected), ...statements])
      versions.advanceIdentity(identityVersionOf(results))
      return results.slice(1)
    },
    async commitServers(statements, scopeIds, serialized = []) {
      const work = buildServersCommit(db, statements, scopeIds, serialized)
      const results = await statistics.measure('servers', () =>
        runTransaction(syncPool, work.statements, {
          statement: syncTimeout,
          lock: Math.min(maxLockWait, syncTimeout, retryTime),
          maxAttempts: 8,
          retryTimeouts: true,
          retryTime,
        }),
      )
      const version = work.versionFrom(results)
      versions.advanceServers(version, scopeIds)
      onServersCommitted(version, scopeIds)
    },
    maintain: (statements) => maintain(hosts, statements),
    currentVersion: versions.identityVersion,
    serversVersion: versions.serversVersion,
    noteServersCommitted: versions.advanceServers,
    // No request waits for a scan, so only the number of attempts limits it.
    share: () => ({ engine: 'postgres', url, limits: { ...limits, retryTime: Infinity } }),
    async ping() {
      const client = await takeClient(pool)
      try {
        await client.query(touch)
      } finally {
        client.release()
      }
    },
    readClock: versions.clock,
    keyFingerprints: versions.keyFingerprints,
    async sizes() {
      const [rows] = await slowQueries.run([measureSize], background)
      return { database: Number(rows?.[0]?.['size']) }
    },
    async close() {
      await versions.stop()
      await Promise.all([pool.end(), slowPool.end(), syncPool.end()])
    },
  }
}
