import type { Position } from '../query/marker.ts'
import type { FoundPage, ServerFinder, ServerParts } from './ports.ts'
import type { Order } from './server-query.ts'

/**
 * Where the page after this one begins; undefined after the last. A server that has changed since it
 * was found is no longer where it was: to go on from where it is now would leave others out.
 */
export async function nextPosition(
  finder: ServerFinder,
  order: readonly Order[],
  { found, hasMore }: FoundPage,
  parts: readonly ServerParts[],
): Promise<Position | 'changed' | undefined> {
  const [last, lastParts] = [found.at(-1), parts.at(-1)]
  if (!hasMore || !last || !lastParts) return undefined
  if (last.keys) return { keys: last.keys, id: lastParts.id }
  return (await finder.position(last, order)) ?? 'changed'
}
