import type { Batch, Task } from '@muster/contract'

export type ShownStatus = Task['status'] | Batch['status'] | 'refused' | 'partly'

/** A task that never began is refused, as its batch counts it. A batch does not tell in its status what failed. */
export function statusOf(of: Task | Batch): ShownStatus {
  if ('stage' in of) return of.stage === 'refused' ? 'refused' : of.status
  return of.status === 'finished' && of.failed + of.unknown > 0 ? 'partly' : of.status
}
