import type { Batch, ServerAction, Task } from '@muster/contract'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../client.ts'
import { statisticsInterval } from './statistics.ts'
import { nextMarker } from '../marker-of.ts'
import { isUnfinishedBatch, isUnfinishedTask } from '../tracked-tasks.ts'
import { taskQuery, type TaskFilters } from './task-query.ts'

const pageSize = 50
/** While something is unfinished. Otherwise lists of tasks are not polled. */
export const taskInterval = 1_000

/** What can be done with a server. `state` changes whenever the answer may. */
export const serverActionsQuery = (id: string, state: string) =>
  queryOptions({
    queryKey: ['servers', 'actions', id, state],
    queryFn: async ({ signal }) =>
      (await api.getServerActions({ parameters: { id }, signal })).actions,
    placeholderData: keepPreviousData,
  })

interface ListPage<Row> {
  readonly rows: readonly Row[]
  readonly total: number
  readonly next: string | undefined
}

interface ListQuery<Row> {
  readonly queryKey: readonly unknown[]
  readonly load: (
    page: { readonly limit: number; readonly marker: string | undefined },
    signal: AbortSignal,
  ) => Promise<ListPage<Row>>
  readonly isUnfinished: (row: Row) => boolean
}

/** A list, newest first, page by page. Polled while one of its rows is unfinished. */
const list = <Row>({ queryKey, load, isUnfinished }: ListQuery<Row>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam: marker, signal }) => load({ limit: pageSize, marker }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ rows }) => rows.some(isUnfinished)) ? taskInterval : false,
    refetchOnMount: 'always',
  })

export const tasksQuery = (filters: TaskFilters) =>
  list<Task>({
    queryKey: ['tasks', 'list', filters],
    isUnfinished: isUnfinishedTask,
    async load(page, signal) {
      const query = { ...taskQuery(filters, Date.now()), ...page }
      const { body, headers } = await api.request('listTasks', { query, signal })
      return { rows: body.tasks, total: body.total, next: nextMarker(headers) }
    },
  })

export const serverTasksQuery = (id: string) =>
  list<Task>({
    queryKey: ['tasks', 'server', id],
    isUnfinished: isUnfinishedTask,
    async load(query, signal) {
      const answer = await api.request('listServerTasks', { parameters: { id }, query, signal })
      const { body, headers } = answer
      return { rows: body.tasks, total: body.total, next: nextMarker(headers) }
    },
  })

/** The task that Muster carries out on a server. Its id is in the metadata of the server while it lasts. */
export const openTaskQuery = (id: string) =>
  queryOptions({
    queryKey: ['tasks', 'one', id],
    queryFn: async ({ signal }) => (await api.getTask({ parameters: { id }, signal })).task,
    refetchInterval: ({ state }) =>
      state.data && !isUnfinishedTask(state.data) ? false : taskInterval,
  })

/** How many tasks have failed since a time. */
export const failedTasksQuery = (since: string) =>
  queryOptions({
    queryKey: ['tasks', 'failed', since],
    queryFn: async ({ signal }) => {
      const query = { ...taskQuery({ status: 'failed', since }, Date.now()), limit: 1 }
      return (await api.listTasks({ query, signal })).total
    },
    refetchInterval: statisticsInterval,
  })

/** The servers of a batch that have no task. They are known when it is accepted. */
export const batchRefusalsQuery = (id: string) =>
  queryOptions({
    queryKey: ['tasks', 'refusals', id],
    queryFn: async ({ signal }) =>
      (await api.getBatch({ parameters: { id }, signal })).batch.refusals,
    staleTime: Number.POSITIVE_INFINITY,
  })

export const batchesQuery = (filters: TaskFilters) =>
  list<Batch>({
    queryKey: ['tasks', 'batches', filters],
    isUnfinished: isUnfinishedBatch,
    async load(page, signal) {
      const query = {
        status: filters.status as Batch['status'] | undefined,
        action: filters.action as ServerAction | undefined,
        user_id: filters.user_id,
        id: filters.batch_id,
        ...page,
      }
      const { body, headers } = await api.request('listBatches', { query, signal })
      return { rows: body.batches, total: body.total, next: nextMarker(headers) }
    },
  })
