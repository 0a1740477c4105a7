import { ActionError, type ActionErrorKind } from '../../domain/sources/action-port.ts'
import { SourceError, type SourceErrorKind } from '../../domain/sources/source-error.ts'
import { LostResponse } from './lost-response.ts'

/** Without a `LostResponse`, errors of these kinds come before a request is sent, or mean a failed login. */
const unsent: ReadonlySet<SourceErrorKind> = new Set([
  'not-allowed',
  'unreachable',
  'timeout',
  'tls',
  'credentials',
])
/** The source has refused the request. */
const refused: Partial<Record<SourceErrorKind, ActionErrorKind>> = {
  forbidden: 'denied',
  throttled: 'failed',
}

/**
 * Converts the error of a request that changes something. If nothing was sent, it stays a `SourceError`. Without a
 * response that can be interpreted, the request may have been carried out.
 */
export function toActionError(error: unknown, target: string): Error {
  if (error instanceof ActionError) return error
  const known = error instanceof SourceError && !(error instanceof LostResponse) ? error : undefined
  if (known && unsent.has(known.kind)) return known
  const kind = known && refused[known.kind]
  if (known && kind) return new ActionError(kind, known.message, { cause: error })
  const reason =
    error instanceof SourceError ? error.message : `${target} sent an invalid response.`
  return new ActionError('outcome-unknown', `${reason} The request may have been carried out.`, {
    cause: error,
  })
}
