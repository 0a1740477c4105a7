import type { ServerAction, TaskParameters } from '@muster/contract'
import { createEvent } from '../audit/create-event.ts'
import type { Changes, EventRecord } from '../audit/event.ts'
import type { Caller } from '../identity/caller.ts'
import { toTokenScope } from '../identity/token-scope.ts'
import type { ServerWrite, StoredServer } from '../inventory/ports.ts'
import { settledStatus, withOwnNotes } from '../inventory/own-fields.ts'
import { renderServer } from '../inventory/render-server.ts'
import { newId } from '../new-id.ts'
import { timestamp } from '../timestamp.ts'
import { acceptedStatus } from './shown-status.ts'
import type { TaskRecord } from './task.ts'

/** Who asked for a task: a caller, or Muster itself. */
export type Author = Pick<
  TaskRecord,
  'user_id' | 'user' | 'caller_scope' | 'access_key_id' | 'request_id' | 'ip' | 'through'
>

export const authorOf = ({ principal, origin }: Caller): Author => ({
  user_id: principal.userStatus.user.id,
  user: principal.userStatus.user.name,
  caller_scope: toTokenScope(principal.scope),
  access_key_id: principal.token.accessKey?.id ?? '',
  request_id: origin.requestId,
  ip: origin.ip,
  through: origin.through ?? '',
})

export const musterItself: Author = {
  user_id: '',
  user: 'Muster',
  caller_scope: { kind: 'none' },
  access_key_id: '',
  request_id: '',
  ip: '',
  through: '',
}

export function createTask(
  action: ServerAction,
  params: TaskParameters,
  { server }: Pick<StoredServer, 'server'>,
  author: Author,
  now: number,
): TaskRecord {
  return {
    id: newId(),
    action,
    params,
    server_id: server.id,
    server: server.name,
    account_id: server.account_id,
    project_id: server.project_id,
    domain_id: server.domain_id,
    ...author,
    status: 'queued',
    stage: '',
    progress: 0,
    error: '',
    error_class: '',
    error_values: {},
    batch_id: '',
    created_at: now,
    started_at: null,
    finished_at: null,
    status_before: settledStatus(server),
    step: 0,
    sends: 0,
    sent_at: null,
    plan: [],
    isShown: true,
  }
}

/** A stored server with changes that no source reported. */
export function writeServer(
  stored: StoredServer,
  changed: StoredServer['server'],
  now: number,
  factsDigest = stored.factsDigest,
): ServerWrite {
  const server = {
    ...changed,
    update_version: stored.server.update_version + 1,
    updated_at: timestamp(now),
  }
  return { stored, server, factsDigest, rendered: renderServer(server) }
}

/** The server as it shows an accepted task. */
export const showTask = (stored: StoredServer, task: TaskRecord): ServerWrite =>
  writeServer(
    stored,
    {
      ...withOwnNotes(stored.server, { task_id: task.id, settled_status: task.status_before }),
      status: acceptedStatus(task.action),
    },
    task.created_at,
  )

/** The audit event of a task: accepted, or ended. */
export function taskEvent(
  task: TaskRecord,
  changes: Changes,
  result: EventRecord['result'],
  time: number,
): EventRecord {
  return createEvent({
    user: { id: task.user_id, name: task.user },
    origin: {
      ip: task.ip,
      requestId: task.request_id,
      isConfidential: true,
      ...(task.through !== '' && { through: task.through }),
    },
    action: {
      action: task.action,
      targetType: 'server',
      targetId: task.server_id,
      targetName: task.server,
      scope: { kind: 'project', projectId: task.project_id, domainId: task.domain_id },
      changes: {
        task_id: [null, task.id],
        ...Object.fromEntries(
          Object.entries(task.params).map(([name, value]) => [`params.${name}`, [null, value]]),
        ),
        ...changes,
      },
    },
    result,
    time,
  })
}

export const acceptedEvent = (task: TaskRecord): EventRecord =>
  taskEvent(
    task,
    { status: [task.status_before, acceptedStatus(task.action)] },
    'success',
    task.created_at,
  )
