import type { Row } from './row.ts'

/** The last action of a server if it did not succeed. Muster stores the id of its task and its name. */
export const failedAction = ({ metadata, deleted }: Row): string | undefined =>
  deleted ? undefined : metadata?.['sys:failed_task']?.split(' ')[1]
