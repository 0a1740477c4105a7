import { PlatformError } from '../error.ts'
import { ActionError } from './action-port.ts'
import { limitText } from './limit-facts.ts'
import { SourceError } from './source-error.ts'

/** Describes an error for an operator. Bugs of Muster are only in the log. */
export function explainError(error: unknown): string {
  if (error instanceof PlatformError) return error.message
  // They may quote the source, so their length is limited.
  if (error instanceof SourceError || error instanceof ActionError) return limitText(error.message)
  return 'Muster itself failed. See its log.'
}
