import type { Database, Statement } from './database.ts'

/** How many rows one commit of a purge takes away: a login that comes meanwhile waits for one, not for all. */
export const purgedAtOnce = 1_000

/**
 * Repeats a bounded deletion until nothing is left for it. Rows that went with others by reference
 * are not counted, so only an empty batch is the last.
 */
export async function deleteInBatches(database: Database, batch: Statement): Promise<void> {
  let deleted: number
  do deleted = (await database.commit([batch]))[0]?.changes ?? 0
  while (deleted > 0)
}
