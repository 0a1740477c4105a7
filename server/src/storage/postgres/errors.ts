import pg from 'pg'
import { PlatformError } from '../../domain/error.ts'
import { Violation } from '../violation.ts'

/** PostgreSQL's codes for what the stores want to tell apart. */
const violations: Readonly<Record<string, Violation['kind']>> = {
  '23503': 'foreign-key',
  '23505': 'unique',
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError ? (error.code ?? '') : undefined

/** A fault that another try may not meet: no answer, restarting, too busy, a lock not free in time. */
function isPassing(error: unknown): boolean {
  const code = codeOf(error)
  return code === undefined || /^(08|25006|25P03|40|53|55P03|57|58)/.test(code)
}

/** After these the connection is of no use: it is gone, or leads to a server that takes no writes. */
export function isConnectionLost(error: unknown): boolean {
  const code = codeOf(error)
  return code === undefined || /^(08|25006|25P03|57P|58)/.test(code)
}

/** The transaction was rolled back because of others: a serialization failure, a deadlock, or a lock not free in time. */
export const isConflict = (error: unknown): boolean =>
  /^(40001|40P01|55P03)$/.test(codeOf(causeOf(error)) ?? '')

/** A statement that took longer than it was given. */
export const isTimeout = (error: unknown): boolean => codeOf(causeOf(error)) === '57014'

const causeOf = (error: unknown): unknown => (error instanceof PlatformError ? error.cause : error)

export const unavailable = (cause: unknown) =>
  new PlatformError('ServiceUnavailable', 'The database does not respond.', {
    cause,
    retryAfter: 1,
  })

/** The error as the rest of Muster understands it. */
export function toError(error: unknown): unknown {
  if (isPassing(error)) return unavailable(error)
  const kind = violations[codeOf(error) ?? '']
  return kind ? new Violation(kind, { cause: error }) : error
}
