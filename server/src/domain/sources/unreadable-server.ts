import { SourceError } from './source-error.ts'
import type { ServerKey, UnreadableServer } from './source.ts'

/** A server that exists, with the reason why it could not be read. */
export function unreadableServer(key: ServerKey, name: string, error: unknown): UnreadableServer {
  const reason =
    error instanceof SourceError
      ? error.message
      : `Muster cannot interpret what its source says about it: ${(error as Error).message}`
  return { key, name, reason }
}
