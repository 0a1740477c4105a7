import type { Batch, Task } from '@muster/contract'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'
import { queryClient } from '../query-client.ts'
import {
  changedItems,
  isUnfinished,
  track,
  unfinishedIds,
  withoutLost,
  type Tracked,
} from '../tracked-tasks.ts'
import { sessionQuery } from './session.ts'
import { taskInterval } from './tasks.ts'

const afterFailure = 10_000
/** The most ids in a request. */
const most = 100

interface TrackedTasks {
  /** False until the unfinished tasks of the user are known. */
  readonly isComplete: boolean
  readonly items: readonly Tracked[]
}

const nothing: TrackedTasks = { isComplete: false, items: [] }
const ofTask = (task: Task): Tracked => ({ kind: 'task', id: task.id, task })
const ofBatch = (batch: Batch): Tracked => ({ kind: 'batch', id: batch.id, batch })

const current = (): TrackedTasks => queryClient.getQueryData(trackedTasksQuery.queryKey) ?? nothing

/** The user's unfinished tasks and batches, from any browser. */
async function findUnfinished(signal: AbortSignal): Promise<readonly Tracked[]> {
  const user_id = queryClient.getQueryData(sessionQuery.queryKey)?.user.id
  const mine = { user_id, limit: most }
  const [{ tasks }, { batches }] = await Promise.all([
    api.listTasks({
      // Tasks of a batch are shown as the batch.
      query: { ...mine, status: ['queued', 'running'], filter: 'batch_id.isempty()' },
      signal,
    }),
    api.listBatches({ query: { ...mine, filter: 'finished_at.isnull()' }, signal }),
  ])
  return [...batches.map(ofBatch), ...tasks.map(ofTask)]
}

async function readUnfinished(
  items: readonly Tracked[],
  signal: AbortSignal,
): Promise<readonly Tracked[]> {
  const taskIds = unfinishedIds(items, 'task').slice(0, most)
  const batchIds = unfinishedIds(items, 'batch').slice(0, most)
  const [tasks, batches] = await Promise.all([
    taskIds.length === 0
      ? []
      : api.listTasks({ query: { id: taskIds, limit: most }, signal }).then((page) => page.tasks),
    batchIds.length === 0
      ? []
      : api
          .listBatches({ query: { id: batchIds, limit: most }, signal })
          .then((page) => page.batches),
  ])
  const found = [...batches.map(ofBatch), ...tasks.map(ofTask)]
  const asked = [...taskIds, ...batchIds]
  // Items may have been added or dismissed during the requests.
  return track(withoutLost(current().items, asked, found), found.filter(isTracked))
}

/** A large batch goes on every second. */
const refreshEvery = 5_000
let refreshedAt = 0

const isTracked = ({ id }: Tracked): boolean => current().items.some((item) => item.id === id)

/** Servers whose task has progressed are read again. */
function refreshServers(changed: readonly Tracked[]): void {
  if (changed.length === 0) return
  const isOver = changed.some((item) => !isUnfinished(item))
  if (!isOver && Date.now() - refreshedAt < refreshEvery) return
  refreshedAt = Date.now()
  void queryClient.invalidateQueries({ queryKey: ['servers'] })
  void queryClient.invalidateQueries({
    predicate: ({ queryKey }) => queryKey[0] === 'tasks' && queryKey[1] !== 'tracked',
  })
}

/** The tasks and batches in the drawer. Polled while one of them is unfinished, otherwise not at all. */
export const trackedTasksQuery = queryOptions({
  queryKey: ['tasks', 'tracked'],
  queryFn: async ({ signal }): Promise<TrackedTasks> => {
    const { isComplete, items: before } = current()
    const items = isComplete
      ? await readUnfinished(before, signal)
      : track(current().items, await findUnfinished(signal))
    refreshServers(changedItems(current().items, items))
    return { isComplete: true, items }
  },
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnReconnect: false,
  refetchInterval: ({ state }) => {
    if (state.error) return afterFailure
    const isWaiting = state.data?.isComplete === false || state.data?.items.some(isUnfinished)
    return isWaiting ? taskInterval : false
  },
})

function setItems(change: (items: readonly Tracked[]) => readonly Tracked[]): void {
  const { isComplete, items } = current()
  queryClient.setQueryData(trackedTasksQuery.queryKey, { isComplete, items: change(items) })
}

/** Shows a task or batch that was started just now. */
export function followTask(id: string): void {
  setItems((items) => track(items, [{ kind: 'task', id }]))
  void queryClient.invalidateQueries({ queryKey: trackedTasksQuery.queryKey })
}

export function followBatch(batch: Batch): void {
  setItems((items) => track(items, [ofBatch(batch)]))
  void queryClient.invalidateQueries({ queryKey: trackedTasksQuery.queryKey })
}

/** Removes ended items from the drawer. */
export const dismissTasks = (ids: readonly string[]): void =>
  setItems((items) => items.filter(({ id }) => !ids.includes(id)))
