import { PlatformError } from '../../domain/error.ts'
import { Violation } from '../violation.ts'
import { preconditionFailed, type Failure } from './writer-messages.ts'

/** SQLite's extended result codes for the violations that stores handle. */
const violations: Readonly<Record<number, Violation['kind']>> = {
  [preconditionFailed]: 'precondition',
  787: 'foreign-key',
  1555: 'unique',
  2067: 'unique',
}

/** SQLite's result codes after which a later attempt may succeed, with what an operator needs to know. */
const transient: Readonly<Record<number, string>> = {
  5: 'The database is busy.',
  6: 'The database is busy.',
  7: 'The database cannot write: out of memory.',
  8: 'The database cannot write: its file system is read-only.',
  10: 'The database cannot write: its disk reports an error.',
  13: 'The database cannot write: the disk is full.',
  14: 'The database cannot write: its file cannot be opened.',
}

export function toError({ message, code }: Failure): Error {
  const error = new Error(message)
  const kind = violations[code]
  if (kind === 'precondition') return new Violation(kind, { reason: message })
  if (kind) return new Violation(kind, { cause: error })
  const reason = transient[code & 0xff]
  return reason === undefined ? error : unavailable(reason, error)
}

export const unavailable = (reason: string, cause: Error) =>
  new PlatformError('ServiceUnavailable', reason, { cause, retryAfter: 1 })
