import type { Batch, Task } from '@muster/contract'

/** A task or batch in the drawer. Without a value, it was started just now. */
export type Tracked =
  | { readonly kind: 'task'; readonly id: string; readonly task?: Task }
  | { readonly kind: 'batch'; readonly id: string; readonly batch?: Batch }

export const isUnfinishedTask = ({ status }: Pick<Task, 'status'>): boolean =>
  status === 'queued' || status === 'running'

/** A cancelled or stopped batch still waits for the tasks that were sent. */
export const isUnfinishedBatch = ({ finished_at }: Pick<Batch, 'finished_at'>): boolean =>
  finished_at === null

export function isUnfinished(item: Tracked): boolean {
  if (item.kind === 'task') return !item.task || isUnfinishedTask(item.task)
  return !item.batch || isUnfinishedBatch(item.batch)
}

const sameAs = (one: Tracked) => (other: Tracked) => one.id === other.id

/** Adds items, the newest first, and replaces those that are known already. */
export function track(items: readonly Tracked[], found: readonly Tracked[]): readonly Tracked[] {
  const fresh = found.filter((item) => !items.some(sameAs(item)))
  return [...fresh, ...items.map((item) => found.find(sameAs(item)) ?? item)]
}

/** The unfinished items of a kind, to ask for. */
export const unfinishedIds = (
  items: readonly Tracked[],
  kind: Tracked['kind'],
): readonly string[] =>
  items.filter((item) => item.kind === kind && isUnfinished(item)).map(({ id }) => id)

/** Items that the API no longer returns, such as tasks of another project, are removed. */
export const withoutLost = (
  items: readonly Tracked[],
  asked: readonly string[],
  found: readonly Tracked[],
): readonly Tracked[] =>
  items.filter((item) => !asked.includes(item.id) || found.some(sameAs(item)))

const stateOf = (item: Tracked | undefined): string => {
  if (item?.kind === 'batch') {
    const { succeeded, failed, finished_at } = item.batch ?? {}
    return JSON.stringify([succeeded, failed, finished_at])
  }
  return item?.task?.status ?? ''
}

/** Items that started, went on or ended: their servers have changed. */
export const changedItems = (
  before: readonly Tracked[],
  after: readonly Tracked[],
): readonly Tracked[] =>
  after.filter((item) => stateOf(item) !== stateOf(before.find(sameAs(item))))

/** Items that have ended since. */
export const endedItems = (
  before: readonly Tracked[],
  after: readonly Tracked[],
): readonly Tracked[] =>
  after.filter((item) => {
    const old = before.find(sameAs(item))
    return old !== undefined && isUnfinished(old) && !isUnfinished(item)
  })

/** Percent of the work that has ended. */
export function progressOf(item: Tracked): number {
  if (item.kind === 'task') return item.task?.progress ?? 0
  if (!item.batch) return 0
  const { total, queued, running } = item.batch
  return total === 0 ? 100 : Math.round(((total - queued - running) / total) * 100)
}
