import { PlatformError } from '../error.ts'
import { boundText } from './bound-facts.ts'
import { SourceError } from './source-error.ts'

/** What went wrong, in words that an operator can do something with. What is our own fault only the log knows. */
export function explain(error: unknown): string {
  if (error instanceof PlatformError) return error.message
  // It may repeat what the source says, which may be anything.
  if (error instanceof SourceError) return boundText(error.message)
  return 'Muster itself failed: its log says more.'
}
