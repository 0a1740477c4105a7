import type { BatchRecord, TaskRecord } from '../../domain/tasks/task.ts'
import { toInteger } from '../boolean.ts'
import type { Tables } from '../tables.ts'

export function toTaskRow(task: Partial<TaskRecord>): Partial<Tables['tasks']> {
  const { params, server, user, caller_scope, error_values, plan, isShown, ...unchanged } = task
  return {
    ...unchanged,
    ...(params !== undefined && { params: JSON.stringify(params) }),
    ...(server !== undefined && { server_name: server }),
    ...(user !== undefined && { user_name: user }),
    ...(caller_scope !== undefined && { caller_scope: JSON.stringify(caller_scope) }),
    ...(error_values !== undefined && { error_values: JSON.stringify(error_values) }),
    ...(plan !== undefined && { plan: JSON.stringify(plan) }),
    ...(isShown !== undefined && { is_shown: toInteger(isShown) }),
  }
}

export const toTask = (row: Tables['tasks']): TaskRecord => {
  const {
    params,
    server_name,
    user_name,
    caller_scope,
    error_values,
    plan,
    is_shown,
    ...unchanged
  } = row
  return {
    ...unchanged,
    action: row.action as TaskRecord['action'],
    status: row.status as TaskRecord['status'],
    params: JSON.parse(params) as TaskRecord['params'],
    server: server_name,
    user: user_name,
    caller_scope: JSON.parse(caller_scope) as TaskRecord['caller_scope'],
    error_class: row.error_class as TaskRecord['error_class'],
    error_values:
      error_values === '' ? {} : (JSON.parse(error_values) as TaskRecord['error_values']),
    plan: plan === '' ? [] : (JSON.parse(plan) as TaskRecord['plan']),
    isShown: is_shown === 1,
  }
}

export const toBatchRow = ({ params, user, ...batch }: BatchRecord): Tables['batches'] => ({
  ...batch,
  params: JSON.stringify(params),
  user_name: user,
  failures_in_row: 0,
})

export const toBatch = (row: Tables['batches']): BatchRecord => {
  const { params, user_name, failures_in_row: _, ...unchanged } = row
  return {
    ...unchanged,
    action: row.action as BatchRecord['action'],
    status: row.status as BatchRecord['status'],
    params: JSON.parse(params) as BatchRecord['params'],
    user: user_name,
  }
}
