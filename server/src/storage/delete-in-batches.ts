import type { DatabaseWriter, Statement } from './database.ts'

/** How many rows one commit deletes, so that a login waits for one batch and not for the whole purge. */
export const purgeBatchSize = 1_000

/**
 * Repeats a limited delete statement until it deletes nothing. A batch can count fewer rows than its
 * limit before the end, because rows deleted by a foreign key are not counted.
 */
export async function deleteInBatches(
  database: Pick<DatabaseWriter, 'commit'>,
  batch: Statement,
): Promise<void> {
  let deleted: number
  do deleted = (await database.commit([batch]))[0]?.changes ?? 0
  while (deleted > 0)
}
