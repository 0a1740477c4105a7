import type { Batch, BatchDetails, Task } from '@muster/contract'
import { timestamp, timestampOrNull } from '../timestamp.ts'
import type { BatchRecord, TaskRecord } from './task.ts'

const withoutName = (params: TaskRecord['params']): TaskRecord['params'] =>
  Object.fromEntries(Object.entries(params).filter(([key]) => key !== 'name'))

/** The same text for servers that do not exist and for those of others. */
export const notVisible = 'Server not found, or you do not have access to it.'

export const describeRefusals = (ids: readonly string[]): BatchDetails['refusals'] =>
  ids.map((server_id) => ({ server_id, reason: notVisible }))

/** A task in the shape of the API. Where the name of the server is hidden, so is that of a rename. */
export const describeTask = (task: TaskRecord): Task => ({
  id: task.id,
  action: task.action,
  params: task.server === '' ? withoutName(task.params) : task.params,
  server_id: task.server_id,
  server: task.server,
  account_id: task.account_id,
  project_id: task.project_id,
  user_id: task.user_id,
  user: task.user,
  status: task.status,
  stage: task.stage,
  progress: task.progress,
  error: task.error,
  error_class: task.error_class,
  error_values: task.error_values,
  batch_id: task.batch_id,
  created_at: timestamp(task.created_at),
  started_at: timestampOrNull(task.started_at),
  finished_at: timestampOrNull(task.finished_at),
  request_id: task.request_id,
})

type Counts = Pick<
  Batch,
  'queued' | 'running' | 'succeeded' | 'failed' | 'refused' | 'cancelled' | 'unknown'
>

/** A batch in the shape of the API. */
export const describeBatch = (batch: BatchRecord, counts: Counts): Batch => ({
  id: batch.id,
  action: batch.action,
  params: batch.params,
  status: batch.status,
  total: batch.total,
  ...counts,
  matched: batch.matched,
  user_id: batch.user_id,
  user: batch.user,
  created_at: timestamp(batch.created_at),
  finished_at: timestampOrNull(batch.finished_at),
})
