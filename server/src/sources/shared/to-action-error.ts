import { ActionError } from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { LostResponse } from './lost-response.ts'

/**
 * Converts the error of a request that changes something. If nothing was sent, it stays a `SourceError`. Without a
 * response that can be interpreted, the request may have been carried out.
 */
export function toActionError(error: unknown, target: string): unknown {
  if (error instanceof ActionError) return error
  const isUncertain =
    error instanceof LostResponse ||
    (error instanceof SourceError && error.kind === 'invalid-response')
  if (error instanceof SourceError && !isUncertain) return error
  const reason =
    error instanceof SourceError ? error.message : `${target} sent an invalid response.`
  return new ActionError('outcome-unknown', `${reason} The request may have been carried out.`, {
    cause: error,
  })
}
