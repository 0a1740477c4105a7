import { setTimeout as pause } from 'node:timers/promises'
import type { StatementResult, Statements } from '../database.ts'
import { Violation } from '../violation.ts'
import { takeClient } from './client.ts'
import { isConflict, isTimeout } from './errors.ts'
import type { Pool } from './pool.ts'

type Client = Awaited<ReturnType<typeof takeClient>>

interface Limits {
  /** Milliseconds that one statement may take. */
  readonly statement: number
  /** Milliseconds that it may wait for a lock. */
  readonly lock: number
  /** How often a transaction that others made fail is tried in all. */
  readonly tries: number
  /** Whether one that took too long is tried again, too. */
  readonly retryTimeouts: boolean
}

/** A process that is stopped in the middle of a transaction gives its locks back after so long. */
const longestIdle = 30_000
const shortestPause = 20
const connectTries = 4
const longestPause = 1_000

/** Settings of the transaction, not of the session: a pooler between shares sessions among many. */
const beginWith = ({ statement, lock }: Limits) =>
  `begin; set local statement_timeout = ${statement}; set local lock_timeout = ${lock}; set local idle_in_transaction_session_timeout = ${longestIdle}`

async function attempt(
  client: Client,
  statements: Statements,
  limits: Limits,
): Promise<StatementResult[]> {
  const together = statements.length > 1
  try {
    const outcomes: StatementResult[] = []
    if (together) await client.query(beginWith(limits))
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

/** Each time longer and by chance, so that those who failed together get past each other. */
const backoffDelay = (tried: number) =>
  pause(Math.random() * Math.min(longestPause, shortestPause * 2 ** tried))

/**
 * Retried, since nothing has run yet: on a busy machine a new connection may come too late. Without
 * an answer to these few the database counts as away.
 */
async function connect(pool: Pool, tries: number): Promise<Client> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await takeClient(pool)
    } catch (error) {
      if (tried >= tries) throw error
      await backoffDelay(tried)
    }
  }
}

/**
 * Runs statements that happen together or not at all. A transaction that was rolled back because of
 * others is tried again; one whose end is not known, since the connection broke, is not.
 */
export async function runTransaction(
  pool: Pool,
  statements: Statements,
  limits: Limits,
): Promise<StatementResult[]> {
  for (let tried = 1; ; tried += 1) {
    try {
      const client = await connect(pool, limits.retryTimeouts ? connectTries : 1)
      return await attempt(client, statements, limits)
    } catch (error) {
      const isRetried = isConflict(error) || (limits.retryTimeouts && isTimeout(error))
      if (!isRetried || tried === limits.tries) throw error
      await backoffDelay(tried)
    }
  }
}
