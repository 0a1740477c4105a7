import { Type } from 'typebox'
import { platformDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import {
  completeListQuery,
  listBody,
  narrowingScope,
  scopeOfOne,
  scopeParameter,
  selected,
} from '../resources/list-operations.ts'
import { exactObject } from '../scalars.ts'
import { maxIdempotencyKeyLength } from '../servers/actions.ts'
import {
  Batch,
  BatchDetails,
  batches,
  BatchPreview,
  BatchRequest,
  maxUnfinishedBatches,
} from './batch.ts'
import { batchDetailsExample, batchExample, previewExample, taskExample } from './examples.ts'
import { Task, tasks } from './task.ts'

const common = { ...platformDefaults, tag: 'Tasks' } as const

/** Who can see the servers of a project can see its tasks. */
const permission = <const Action extends 'list' | 'get'>(action: Action) =>
  ({
    service: 'compute',
    resource: 'servers',
    action,
    at: ['system', 'domain', 'project'],
  }) as const

const Link = 'The next page, if there is one: `rel="next"`'

const page = {
  200: {
    description: 'A page of tasks',
    body: listBody('tasks', selected(Task)),
    headers: { Link },
    example: { tasks: [taskExample], limit: 20, offset: 0, total: 1 },
  },
} as const

const oneTask = {
  200: {
    description: 'The task',
    body: exactObject({ task: Task }),
    example: { task: taskExample },
  },
} as const

const oneBatch = {
  description: 'The batch',
  body: exactObject({ batch: BatchDetails }),
  example: { batch: batchDetailsExample },
} as const

const batchScope = scopeParameter(
  'Where servers are looked for. Default: `q` in the scope of your token, `ids` in everything you can access.',
)

const scopeQuery = exactObject({ scope: scopeOfOne })

const RecycleBin = exactObject({
  retention: Type.Integer({
    description:
      'How long a deleted server stays in it, in seconds. 0: there is no recycle bin, and servers are deleted at once.',
  }),
})

/** The operations on tasks and batches, and the recycle bin. */
export const taskOperations = [
  {
    id: 'getRecycleBin',
    method: 'GET',
    path: '/recycle-bin',
    ...common,
    tag: 'Actions',
    summary: 'Get how long deleted servers can be restored',
    description:
      'The same for all servers. `auto_delete_at` of a server in the recycle bin tells when Muster deletes it at its source.',
    responses: {
      200: {
        description: 'The recycle bin',
        body: exactObject({ recycle_bin: RecycleBin }),
        example: { recycle_bin: { retention: 604_800 } },
      },
    },
  },
  {
    id: 'listTasks',
    method: 'GET',
    path: '/tasks',
    ...common,
    permission: permission('list'),
    summary: 'List tasks',
    description:
      'Actions on servers, newest first by default. You see the tasks of servers that were in your project or domain when the task was accepted.',
    query: completeListQuery(tasks, narrowingScope),
    responses: page,
  },
  {
    id: 'getTask',
    method: 'GET',
    path: '/tasks/{id}',
    ...common,
    permission: permission('get'),
    summary: 'Get a task',
    query: scopeQuery,
    responses: oneTask,
  },
  {
    id: 'listServerTasks',
    method: 'GET',
    path: '/servers/{id}/tasks',
    ...common,
    permission: permission('get'),
    summary: 'List the tasks of a server',
    query: completeListQuery(tasks, narrowingScope),
    responses: page,
  },
  {
    id: 'cancelTask',
    method: 'POST',
    path: '/tasks/{id}/cancel',
    ...common,
    permission: permission('get'),
    summary: 'Cancel a task',
    description:
      'A task that was not sent to the source yet is cancelled. Otherwise 409: what was sent cannot be taken back. Needs the permission of the action.',
    responses: oneTask,
  },
  {
    id: 'createBatch',
    method: 'POST',
    path: '/servers/batch',
    ...common,
    permission: permission('list'),
    summary: 'Act on many servers',
    description: `One action on at most 1000 servers, each with a task of its own. Name exactly one of \`ids\` and \`q\`. Needs the permission of the action. A batch of deletes must carry \`matched\` from a dry run. At most ${maxUnfinishedBatches} unfinished batches per user.`,
    query: exactObject({ scope: batchScope }),
    headers: Type.Object({
      'idempotency-key': Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: maxIdempotencyKeyLength,
          description: 'A repeated request with the same key returns the batch of the first one.',
        }),
      ),
    }),
    body: exactObject({ batch: BatchRequest }),
    example: { batch: { action: 'stop', q: 'tag:env=dev', params: {}, dry_run: true } },
    responses: {
      200: {
        description: 'With `dry_run`: what would be done with each server',
        body: exactObject({ batch: BatchPreview }),
        example: { batch: previewExample },
      },
      202: oneBatch,
    },
  },
  {
    id: 'listBatches',
    method: 'GET',
    path: '/batches',
    ...common,
    permission: permission('list'),
    summary: 'List batches',
    description: 'Newest first by default. You see batches that were accepted in your scope.',
    query: completeListQuery(batches, narrowingScope),
    responses: {
      200: {
        description: 'A page of batches',
        body: listBody('batches', selected(Batch)),
        headers: { Link },
        example: { batches: [batchExample], limit: 20, offset: 0, total: 1 },
      },
    },
  },
  {
    id: 'getBatch',
    method: 'GET',
    path: '/batches/{id}',
    ...common,
    permission: permission('get'),
    summary: 'Get a batch',
    description: 'Its tasks: `GET /tasks?batch_id=`.',
    query: scopeQuery,
    responses: { 200: oneBatch },
  },
  {
    id: 'cancelBatch',
    method: 'POST',
    path: '/batches/{id}/cancel',
    ...common,
    permission: permission('get'),
    summary: 'Cancel a batch',
    description: 'Cancels the tasks that were not sent. Those that were sent still end.',
    responses: { 200: oneBatch },
  },
] as const satisfies readonly Operation[]
