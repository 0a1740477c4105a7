import { PlatformError } from '../error.ts'
import { limitText } from './limit-facts.ts'
import { SourceError } from './source-error.ts'

/** Describes an error for an operator. Bugs of Muster are only in the log. */
export function explainError(error: unknown): string {
  if (error instanceof PlatformError) return error.message
  // It may quote the source, so its length is limited.
  if (error instanceof SourceError) return limitText(error.message)
  return 'Muster itself failed: its log says more.'
}
