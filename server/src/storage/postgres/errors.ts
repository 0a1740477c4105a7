import pg from 'pg'
import { PlatformError } from '../../domain/error.ts'
import { Violation } from '../violation.ts'
import { NoHost } from './hosts.ts'

/** PostgreSQL's error codes for the violations that stores handle. */
const violations: Readonly<Record<string, Violation['kind']>> = {
  '23503': 'foreign-key',
  '23505': 'unique',
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? (error.code ?? '') : undefined

/** A later attempt may succeed: no answer, restarting, too busy, or a lock timeout. */
function isTransient(error: unknown): boolean {
  const code = codeOf(error)
  return code === undefined || /^(08|25006|25P03|40|53|55P03|57|58)/.test(code)
}

/** The connection is useless: it is gone, or its server accepts no writes. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  return code === undefined || /^(08|25006|25P03|57P|58)/.test(code)
}

/** Another transaction caused the rollback: a serialization failure, a deadlock or a lock timeout. */
export const isConflict = (error: unknown): boolean =>
  /^(40001|40P01|55P03)$/.test(codeOf(causeOf(error)) ?? '')

/** A statement exceeded its timeout. */
export const isTimeout = (error: unknown): boolean => codeOf(causeOf(error)) === '57014'

/** The outcome of the statement is unknown. */
export const isUnanswered = (error: unknown): boolean =>
  error instanceof PlatformError && /^(?:08|57P|$)/.test(codeOf(error.cause) ?? '')

const noResponse = 'The database does not respond.'

const causeOf = (error: unknown): unknown => (error instanceof PlatformError ? error.cause : error)

/** Explains errors that do not mean that the database is unreachable, for an operator. */
const reasons: Readonly<Record<string, string>> = {
  '53100': 'The database cannot write: its disk is full.',
  '53300': 'The database has no free connection.',
  '25006': 'The database cannot write: it is read-only.',
  '55P03': 'Another change holds the same data. Try again shortly.',
}

/** Of several hosts, the first one with such a reason. */
const reasonOf = (cause: unknown): string | undefined =>
  cause instanceof NoHost
    ? cause.failures.map(({ error }) => reasonOf(error)).find((reason) => reason !== undefined)
    : reasons[codeOf(cause) ?? '']

export const unavailable = (cause: unknown) =>
  new PlatformError('ServiceUnavailable', reasonOf(cause) ?? noResponse, { cause, retryAfter: 1 })

/**
 * The connection broke, or was silent, while the transaction was committed. Without `Retry-After`: a
 * client that follows it might make the change twice.
 */
export const unconfirmed = (cause: unknown) =>
  new PlatformError(
    'ServiceUnavailable',
    'The database did not confirm the change. It may have been made: check before you repeat the request.',
    { cause },
  )

/** Translates an error of PostgreSQL into one of Muster's. */
export function toError(error: unknown): unknown {
  if (isTransient(error)) return unavailable(error)
  const kind = violations[codeOf(error) ?? '']
  return kind ? new Violation(kind, { cause: error }) : error
}
