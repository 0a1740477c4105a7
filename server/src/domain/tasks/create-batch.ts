import { hash } from 'node:crypto'
import {
  defaultMaxFailures,
  defaultParallel,
  maxUnfinishedBatches,
  type BatchDetails,
  type BatchPreview,
  type BatchRequest,
  type ServerAction,
  type TaskParameters,
  type ScopeParameter,
} from '@muster/contract'
import { createAuditEvent } from '../identity/create-audit-event.ts'
import type { Clock } from '../clock.ts'
import { badField, PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import type { ReauthorizeCaller } from '../identity/reauthorize-caller.ts'
import { changesOf } from '../inventory/history/told-changes.ts'
import { newId } from '../new-id.ts'
import { conflicted, retryOnConflict } from '../retry-on-conflict.ts'
import type { ScopeOrNone } from '../scope.ts'
import {
  acceptedEvent,
  authorOf,
  createTask,
  showTask,
  taskEvent,
  writeServer,
} from './accept-task.ts'
import { describeBatch, describeRefusals } from './describe-task.ts'
import type { Idempotency, RepeatableRequest } from './idempotency.ts'
import { requireConsistent } from './action-parameters.ts'
import { notPermitted, scopeOfAction } from './action-permissions.ts'
import { readParameters } from './prepare-action.ts'
import {
  createPrepareBatch,
  isSeen,
  previewBatch,
  scopeOfBatch,
  type PrepareDependencies,
  type SeenItem,
} from './prepare-batch.ts'
import { refusedError, refusedStage, type BatchRecord, type TaskRecord } from './task.ts'

interface Dependencies extends PrepareDependencies {
  readonly idempotency: Idempotency
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly taskTimeout: number
  readonly wake: (accountId: string) => void
  readonly validateParameters: (action: ServerAction, params: TaskParameters) => void
}

const hashOf = (action: ServerAction, ids: readonly string[]): string =>
  hash('sha256', JSON.stringify([action, ids.toSorted()]), 'base64url').slice(0, 22)

function requireSelection({ ids, q }: BatchRequest): void {
  if ((ids === undefined) === (q === undefined || q.trim() === '')) {
    throw badField('batch', 'needs exactly one of ids and q')
  }
}

function requireMatched({ action, matched }: BatchRequest, actual: string): void {
  if (matched === undefined && action === 'delete') {
    throw badField(
      'batch.matched',
      'is required for a batch of deletes. Send the same batch with dry_run=true first.',
      'MissingParameterError',
    )
  }
  if (matched !== undefined && matched !== actual) {
    throw new PlatformError(
      'ConflictError',
      'The set of servers has changed since the dry run. Run it again and check the result.',
    )
  }
}

function taskOf(caller: Caller, batch: BatchRecord, { stored, prepared }: SeenItem): TaskRecord {
  const { action, created_at: now } = batch
  const params = prepared.kind === 'task' ? prepared.params : batch.params
  const task = {
    ...createTask(action, params, stored, authorOf(caller), now),
    batch_id: batch.id,
  }
  if (prepared.kind === 'task') return task
  const ended = { ...task, isShown: false, started_at: now, finished_at: now }
  return prepared.kind === 'refused'
    ? { ...ended, status: 'failed', stage: refusedStage, ...refusedError(prepared.error) }
    : { ...ended, status: 'succeeded', stage: prepared.kind, progress: 100 }
}

const batchEvent = (caller: Caller, batch: BatchRecord, scope: ScopeOrNone, clock: Clock) =>
  createAuditEvent(
    caller,
    {
      action: 'create',
      targetType: 'batch',
      targetId: batch.id,
      targetName: batch.action,
      scope: scope.kind === 'none' ? { kind: 'system' } : scope,
      changes: {
        action: [null, batch.action],
        params: [null, batch.params],
        servers: [null, batch.total],
      },
    },
    clock,
  )

/** Acts on many servers: resolves the query once, and stores a task for each server. */
export function createBatchUseCases(dependencies: Dependencies) {
  const { tasks, idempotency, wake, clock } = dependencies
  const prepareItems = createPrepareBatch(dependencies)

  async function requireFewBatches(userId: string): Promise<void> {
    if ((await tasks.countOf(userId, 'unfinished batches')) < maxUnfinishedBatches) return
    throw new PlatformError(
      'TooManyRequests',
      `You have ${maxUnfinishedBatches} unfinished batches. Wait until one has ended, or cancel one.`,
      { retryAfter: 10, values: { limit: 'batches', most: maxUnfinishedBatches } },
    )
  }

  async function acceptOnce(
    caller: Caller,
    request: BatchRequest,
    params: TaskParameters,
    repeatable: RepeatableRequest,
    wantedScope: ScopeParameter | undefined,
  ): Promise<BatchRecord | BatchPreview | undefined> {
    const { action } = request
    const author = authorOf(caller)
    const first = await idempotency.findFirst(author.user_id, repeatable)
    const accepted = first && (await tasks.findBatch(first.batch_id))
    if (accepted) return accepted
    if (scopeOfAction(caller, action).kind === 'none') throw notPermitted(action)
    const items = await prepareItems(caller, request, params, wantedScope)
    const matched = hashOf(
      action,
      items.map(({ id }) => id),
    )
    if (request.dry_run === true) return previewBatch(action, matched, items)
    requireMatched(request, matched)
    if (items.length === 0) throw badField('batch.q', 'matches no servers')
    await requireFewBatches(author.user_id)
    const now = clock()
    const scope = scopeOfBatch(caller, wantedScope)
    const batch: BatchRecord = {
      id: newId(),
      action,
      params,
      status: 'running',
      total: items.length,
      matched,
      max_parallel: request.max_parallel ?? defaultParallel,
      max_failures: request.max_failures ?? defaultMaxFailures,
      project_id: scope.kind === 'project' ? scope.projectId : '',
      domain_id: scope.kind === 'project' || scope.kind === 'domain' ? scope.domainId : '',
      user_id: author.user_id,
      user: author.user,
      created_at: now,
      finished_at: null,
    }
    const made = items
      .filter(isSeen)
      .map((item) => ({ ...item, task: taskOf(caller, batch, item) }))
    const record = idempotency.recordOf(author.user_id, repeatable, {
      task_id: '',
      batch_id: batch.id,
    })
    const isAccepted = await tasks.accept({
      batch,
      tasks: made.map(({ task }) => task),
      refusedIds: items.filter((item) => !isSeen(item)).map(({ id }) => id),
      limit: { userId: author.user_id, kind: 'unfinished batches', most: maxUnfinishedBatches },
      writes: made.flatMap(({ stored, prepared, task }) => {
        if (prepared.kind === 'done') return [writeServer(stored, prepared.server, now)]
        if (prepared.kind !== 'task') return []
        return [{ ...showTask({ ...stored, server: prepared.server }, task), stored }]
      }),
      events: [
        batchEvent(caller, batch, scope, clock),
        ...made.flatMap(({ stored, prepared, task }) => {
          if (prepared.kind === 'task') return [acceptedEvent(task)]
          if (prepared.kind !== 'done') return []
          return [taskEvent(task, changesOf(stored, prepared.server), 'success', now)]
        }),
      ],
      unbinned: made
        .filter(({ prepared }) => prepared.kind === 'done' && prepared.leavesBin)
        .map(({ id }) => id),
      ...(record && { idempotency: record }),
    })
    if (!isAccepted) return undefined
    for (const accountId of new Set(made.map(({ task }) => task.account_id))) wake(accountId)
    return batch
  }

  return {
    /** Returns the preview for a dry run, otherwise the batch. */
    async createBatch(
      caller: Caller,
      request: BatchRequest,
      repeatable: RepeatableRequest,
      scope?: ScopeParameter,
    ): Promise<{ readonly preview: BatchPreview } | { readonly batch: BatchDetails }> {
      requireSelection(request)
      const given = request.params ?? {}
      dependencies.validateParameters(request.action, given)
      const params = readParameters(request.action, given)
      requireConsistent(request.action, params, { ...dependencies, path: 'batch.params' })
      const result = await retryOnConflict(
        async () =>
          acceptOnce(
            await dependencies.reauthorizeCaller(caller),
            request,
            params,
            repeatable,
            scope,
          ),
        { exhausted: () => conflicted('The set of servers') },
      )
      if ('items' in result) return { preview: result }
      const counts = (await tasks.countBatches([result.id])).get(result.id)
      const current = (await tasks.findBatch(result.id)) ?? result
      if (!counts) throw new Error('the batch has no counts')
      const refusals = describeRefusals(await tasks.refusedIds(result.id))
      return { batch: { ...describeBatch(current, counts), refusals } }
    },
  }
}
export type BatchUseCases = ReturnType<typeof createBatchUseCases>
