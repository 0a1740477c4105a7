import type { Client } from './client.ts'
import type { Input, Item } from './operations.ts'

type Query = NonNullable<Input<'getServerChanges'>['query']>

interface FollowOptions {
  /** `now`, `start` for the oldest stored change, or the `position` where you stopped. Default: `now`. */
  readonly after?: string
  /** Which changes, for example `{ kind: 'status' }`. */
  readonly query?: Omit<Query, 'after' | 'wait' | 'since' | 'until' | 'marker' | 'order' | 'format'>
  readonly signal?: AbortSignal
}

/** In seconds. */
const wait = 30

/**
 * Iterates over changes of servers as they happen, each once, and never ends. Store `position` after each step, to
 * go on from there after a restart.
 */
export async function* followChanges(
  client: Pick<Client, 'getServerChanges'>,
  { after = 'now', query, signal }: FollowOptions = {},
): AsyncGenerator<{ changes: readonly Item<'getServerChanges'>[]; position: string }, void, void> {
  let position = after
  while (true) {
    const answer = await client.getServerChanges({
      query: { ...query, after: position, wait },
      signal,
    })
    position = answer.position ?? position
    if (answer.changes.length > 0) yield { changes: answer.changes, position }
  }
}
