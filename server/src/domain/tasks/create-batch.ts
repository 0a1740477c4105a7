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
import { chooseScope } from '../identity/choose-scope.ts'
import { changesOf } from '../inventory/describe-server-events.ts'
import { createFindMatches } from '../inventory/find-matches.ts'
import type { ServerFinder, ServerWriter, StoredServer } from '../inventory/ports.ts'
import { newId } from '../new-id.ts'
import { conflicted, retryOnConflict } from '../retry-on-conflict.ts'
import { covers, type ScopeOrNone } from '../scope.ts'
import {
  acceptedEvent,
  authorOf,
  createTask,
  showTask,
  taskEvent,
  writeServer,
} from './accept-task.ts'
import { describeBatch, describeRefusals, notVisible } from './describe-task.ts'
import type { Idempotency, RepeatableRequest } from './idempotency.ts'
import {
  deleteParameters,
  notPermitted,
  requireConsistent,
  scopeOfAction,
} from './perform-action.ts'
import type { TaskStore } from './ports.ts'
import { prepareAction, readParameters, type Prepared } from './prepare-action.ts'
import type { RequireAnswer } from './require-answer.ts'
import type { LoadSituations } from './situations.ts'
import { refusedError, refusedStage, type BatchRecord, type TaskRecord } from './task.ts'

interface Dependencies {
  readonly finder: ServerFinder
  readonly serverWriter: Pick<ServerWriter, 'findStored'>
  readonly loadSituations: LoadSituations
  readonly tasks: TaskStore
  readonly idempotency: Idempotency
  readonly requireAnswer: RequireAnswer
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly taskTimeout: number
  readonly recycleFor: number
  readonly wake: (accountId: string) => void
  readonly validateParameters: (action: ServerAction, params: TaskParameters) => void
  readonly clock: Clock
}

/** One server of a batch. Without a stored server the caller cannot see it. */
interface Item {
  readonly id: string
  readonly stored: StoredServer | undefined
  readonly prepared: Prepared
}
type SeenItem = Item & { readonly stored: StoredServer }

const isSeen = (item: Item): item is SeenItem => item.stored !== undefined

const notFound = new PlatformError('ResourceNotFoundError', notVisible)

const hashOf = (action: ServerAction, ids: readonly string[]): string =>
  hash('sha256', JSON.stringify([action, ids.toSorted()]), 'base64url').slice(0, 22)

function requireSelection({ ids, q }: BatchRequest): void {
  if ((ids === undefined) === (q === undefined || q.trim() === '')) {
    throw badField('batch', 'needs exactly one of ids and q')
  }
}

/** Acts on many servers: resolves the query once, and stores a task for each server. */
export function createBatchUseCases(dependencies: Dependencies) {
  const { serverWriter, loadSituations, tasks, idempotency, wake, clock } = dependencies
  const findMatches = createFindMatches(dependencies.finder)

  /** The requested scope; without a request, that of the token. */
  const scopeOf = ({ principal, authorizedScope }: Caller, wanted?: ScopeParameter): ScopeOrNone =>
    chooseScope(principal, authorizedScope.scope, wanted)

  async function prepareItem(
    caller: Caller,
    action: ServerAction,
    params: TaskParameters,
    stored: StoredServer,
    situations: Awaited<ReturnType<LoadSituations>>,
  ): Promise<Prepared> {
    const { project_id: projectId, domain_id: domainId } = stored.server
    if (!covers(scopeOfAction(caller, action), { projectId, domainId })) {
      return { kind: 'refused', error: notPermitted(action) }
    }
    const situation = situations.get(stored.id)
    if (!situation) return { kind: 'refused', error: notFound }
    const wanted =
      action === 'delete' ? await deleteParameters(params, stored, dependencies) : params
    return prepareAction(action, wanted, situation, clock())
  }

  async function prepareItems(
    caller: Caller,
    { action, ids, q }: BatchRequest,
    params: TaskParameters,
    scope?: ScopeParameter,
  ): Promise<Item[]> {
    const wanted = [
      ...new Set(ids ?? (await findMatches(caller, { q: q ?? '', path: 'batch', scope }))),
    ]
    const stored = await serverWriter.findStored(wanted)
    const visible = scopeOf(caller, scope ?? 'max')
    const seesDeleted = scopeOfAction(caller, 'delete')
    const seen = [...stored.values()].filter(({ server }) => {
      const owner = { projectId: server.project_id, domainId: server.domain_id }
      return covers(visible, owner) && (!server.deleted || covers(seesDeleted, owner))
    })
    const situations = await loadSituations(seen)
    const byId = new Map(seen.map((one) => [one.id, one]))
    const items: Item[] = []
    for (const id of wanted) {
      const one = byId.get(id)
      // Gives the same result for servers that do not exist and for those of others.
      const prepared: Prepared = one
        ? await prepareItem(caller, action, params, one, situations)
        : { kind: 'refused', error: notFound }
      items.push({ id, stored: one, prepared })
    }
    return await refuseSilent(items, situations)
  }

  /** Refuses the servers of sources and regions that do not answer. Each is contacted once. */
  async function refuseSilent(
    items: readonly Item[],
    situations: Awaited<ReturnType<LoadSituations>>,
  ): Promise<Item[]> {
    async function contact(item: Item): Promise<Item> {
      const situation = situations.get(item.id)
      if (item.prepared.kind !== 'task' || !situation?.attached) return item
      try {
        await dependencies.requireAnswer(situation.attached, situation.server)
        return item
      } catch (error) {
        if (!(error instanceof PlatformError)) throw error
        return { ...item, prepared: { kind: 'refused', error } }
      }
    }
    return await Promise.all(items.map(contact))
  }

  const preview = (
    action: ServerAction,
    matched: string,
    items: readonly Item[],
  ): BatchPreview => ({
    action,
    matched,
    total: items.length,
    items: items.map(({ id, stored, prepared }) => ({
      server_id: id,
      server: stored?.server.name ?? '',
      outcome:
        prepared.kind === 'refused' ? 'refused' : prepared.kind === 'already' ? 'already' : 'act',
      reason:
        prepared.kind === 'refused'
          ? prepared.error.message
          : prepared.kind === 'already'
            ? prepared.reason
            : '',
      ...(prepared.kind === 'refused' && {
        class: prepared.error.class,
        ...(prepared.error.values && { values: prepared.error.values }),
      }),
    })),
  })

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

  async function requireFewBatches(userId: string): Promise<void> {
    if ((await tasks.countOf(userId, 'unfinished batches')) < maxUnfinishedBatches) return
    throw new PlatformError(
      'TooManyRequests',
      `You have ${maxUnfinishedBatches} unfinished batches. Wait until one has ended, or cancel one.`,
      { retryAfter: 10, values: { limit: 'batches', most: maxUnfinishedBatches } },
    )
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
    if (request.dry_run === true) return preview(action, matched, items)
    requireMatched(request, matched)
    if (items.length === 0) throw badField('batch.q', 'matches no servers')
    await requireFewBatches(author.user_id)
    const now = clock()
    const scope = scopeOf(caller, wantedScope)
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
        batchEvent(caller, batch, scope),
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

  const batchEvent = (caller: Caller, batch: BatchRecord, scope: ScopeOrNone) =>
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
