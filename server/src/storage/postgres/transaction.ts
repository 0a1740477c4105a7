import { retryOnConflict } from '../../domain/retry-on-conflict.ts'
import type { StatementResult, Statements } from '../database.ts'
import { Violation } from '../violation.ts'
import { takeClient } from './client.ts'
import { isConflict, isTimeout, isUnanswered, unconfirmed } from './errors.ts'
import type { Pool } from './pool.ts'

type Client = Awaited<ReturnType<typeof takeClient>>

interface Limits {
  /** Milliseconds that one statement may take. */
  readonly statement: number
  /** Milliseconds that a statement may wait for a lock. */
  readonly lock: number
  /** Attempts in all, where other transactions make it fail. */
  readonly maxAttempts: number
  /** Whether a transaction that timed out is retried too. */
  readonly retryTimeouts: boolean
  /** Milliseconds after which nothing is retried. */
  readonly retryTime: number
}

/** Milliseconds after which a process that stops in the middle of a transaction loses its locks. */
const maxIdle = 30_000
const connectAttempts = 4
const delays = { minDelay: 20, maxDelay: 1_000 }

/** Set for the transaction, not the session: a connection pooler shares sessions among clients. */
const beginWith = ({ statement, lock }: Limits) =>
  `begin; set local statement_timeout = ${statement}; set local lock_timeout = ${lock}; set local idle_in_transaction_session_timeout = ${maxIdle}`

async function attempt(
  client: Client,
  statements: Statements,
  limits: Limits,
): Promise<StatementResult[]> {
  const together = statements.length > 1
  let isCommitting = !together
  try {
    const results: StatementResult[] = []
    if (together) await client.query(beginWith(limits))
    for (const statement of statements) {
      const { sql, parameters, required } = statement
      const { rows, rowCount } = await client.query(sql, parameters, statement)
      if (required !== undefined && rowCount === 0) {
        throw new Violation('precondition', { reason: required })
      }
      results.push({ rows, changes: rowCount ?? 0 })
    }
    isCommitting = true
    if (together) await client.query('commit')
    return results
  } catch (error) {
    if (isCommitting && isUnanswered(error)) throw unconfirmed(error)
    // PostgreSQL rolls back by itself when the connection breaks.
    if (together && !client.isBroken()) await client.query('rollback').catch(() => {})
    throw error
  } finally {
    client.release()
  }
}

/** Retries what fails with an error of this kind; the last one is thrown. */
async function retryOnError<Result>(
  work: () => Promise<Result>,
  isRetried: (error: unknown) => boolean,
  maxAttempts: number,
): Promise<Result> {
  let failure: unknown
  const { result } = await retryOnConflict(
    async () => {
      try {
        return { result: await work() }
      } catch (error) {
        if (!isRetried(error)) throw error
        failure = error
        return undefined
      }
    },
    { maxAttempts, ...delays, exhausted: () => failure },
  )
  return result
}

/**
 * Runs statements in one transaction. A transaction that was rolled back because of others is
 * retried; one whose outcome is unknown, because the connection broke, is not.
 */
export function runTransaction(
  pool: Pool,
  statements: Statements,
  limits: Limits,
): Promise<StatementResult[]> {
  const since = performance.now()
  const isInTime = () => performance.now() - since < limits.retryTime
  /** A new connection may be late on a busy machine. Nothing has run yet, so trying again is safe. */
  const connect = () =>
    retryOnError(
      () => takeClient(pool, since),
      isInTime,
      limits.retryTimeouts ? connectAttempts : 1,
    )
  return retryOnError(
    async () => await attempt(await connect(), statements, limits),
    (error) => isInTime() && (isConflict(error) || (limits.retryTimeouts && isTimeout(error))),
    limits.maxAttempts,
  )
}
