import { PlatformError } from '../error.ts'
import { limitText } from './limit-facts.ts'
import { SourceError } from './source-error.ts'

/** What went wrong, in words that an operator can do something with. What is our own fault only the log knows. */
export function explainError(error: unknown): string {
  if (error instanceof PlatformError) return error.message
  // It may repeat what the source says, which may be anything.
  if (error instanceof SourceError) return limitText(error.message)
  return 'Muster itself failed: its log says more.'
}
