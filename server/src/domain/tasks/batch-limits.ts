import type { TaskStore } from './ports.ts'
import type { TaskRecord } from './task.ts'

/** Limits how many tasks of a batch run at once. Counts those that this process runs, over all accounts. */
export function createBatchLimits(tasks: Pick<TaskStore, 'findBatch' | 'countBatches'>) {
  const activeOfBatches = new Map<string, number>()
  const maxParallel = new Map<string, number>()

  function countActive({ batch_id }: TaskRecord, change: 1 | -1): void {
    if (batch_id === '') return
    const count = (activeOfBatches.get(batch_id) ?? 0) + change
    if (count === 0) {
      activeOfBatches.delete(batch_id)
      maxParallel.delete(batch_id)
    } else activeOfBatches.set(batch_id, count)
  }

  /** How many tasks of a batch may run in this process. Other processes may run some, too. */
  async function findParallelLimit(batchId: string): Promise<number> {
    const max = maxParallel.get(batchId) ?? (await tasks.findBatch(batchId))?.max_parallel ?? 1
    maxParallel.set(batchId, max)
    const counts = await tasks.countBatches([batchId])
    const here = activeOfBatches.get(batchId) ?? 0
    const elsewhere = Math.max(0, (counts.get(batchId)?.running ?? 0) - here)
    return max - elsewhere
  }

  return {
    addActive: (task: TaskRecord) => countActive(task, 1),
    removeActive: (task: TaskRecord) => countActive(task, -1),

    /** Returns whether a task may start. The limit of each batch is read once. */
    openRound() {
      const limitOf = new Map<string, number>()
      return async function mayStart({ batch_id }: TaskRecord): Promise<boolean> {
        if (batch_id === '') return true
        const limit = limitOf.get(batch_id) ?? (await findParallelLimit(batch_id))
        limitOf.set(batch_id, limit)
        return (activeOfBatches.get(batch_id) ?? 0) < limit
      }
    },
  }
}
