import type { ServerAction, TaskParameters } from '@muster/contract'
import { createAuditEvent } from '../identity/create-audit-event.ts'
import type { Clock } from '../clock.ts'
import { PlatformError } from '../error.ts'
import type { Caller } from '../identity/caller.ts'
import type { ReauthorizeCaller } from '../identity/reauthorize-caller.ts'
import { changesOf } from '../inventory/history/told-changes.ts'
import type { StoredServer } from '../inventory/ports.ts'
import { conflicted, retryOnConflict } from '../retry-on-conflict.ts'
import { covers } from '../scope.ts'
import { acceptedEvent, authorOf, createTask, showTask, writeServer } from './accept-task.ts'
import { deleteParameters, requireConsistent } from './action-parameters.ts'
import { notPermitted } from './action-permissions.ts'
import { createFindTarget, type TargetDependencies } from './find-target.ts'
import type { Idempotency, RepeatableRequest } from './idempotency.ts'
import type { TaskStore } from './ports.ts'
import { prepareAction, readParameters, type Prepared } from './prepare-action.ts'
import type { RequireAnswer } from './require-answer.ts'

interface Dependencies extends TargetDependencies {
  readonly tasks: TaskStore
  readonly idempotency: Idempotency
  readonly requireAnswer: RequireAnswer
  readonly reauthorizeCaller: ReauthorizeCaller
  /** The time limit of a task in milliseconds. */
  readonly taskTimeout: number
  /** How long servers stay in the recycle bin; 0 if there is none. */
  readonly recycleFor: number
  /** Tells the runner of the account that there is a task. */
  readonly wake: (accountId: string) => void
  readonly clock: Clock
}

export interface ActionRequest extends RepeatableRequest {
  readonly ifMatch: string | undefined
}

export interface Performed {
  readonly serverId: string
  /** Absent if there was nothing to do, or if it was done at once. */
  readonly taskId?: string
}

/** Queued tasks of a user, besides those of batches. */
const maxQueued = 100

function requireVersion({ server }: StoredServer, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch === `"v${server.update_version}"`) return
  throw new PlatformError(
    'PreconditionFailedError',
    `The server has changed: its version is "v${server.update_version}", not ${ifMatch}. Read it again.`,
  )
}

/** Starts, stops, changes and deletes servers: decides, and stores a task that carries it out. */
export function createPerformAction(dependencies: Dependencies) {
  const { tasks, idempotency, wake, clock } = dependencies
  const findTarget = createFindTarget(dependencies)

  async function requireFreeQueue(userId: string): Promise<void> {
    if ((await tasks.countOf(userId, 'queued tasks')) < maxQueued) return
    throw new PlatformError(
      'TooManyRequests',
      `You have ${maxQueued} queued tasks. Wait until some have ended, or use a batch.`,
      { retryAfter: 10, values: { limit: 'tasks', most: maxQueued } },
    )
  }

  /** Undefined if another request was first. */
  async function carryOut(
    caller: Caller,
    action: ServerAction,
    stored: StoredServer,
    prepared: Extract<Prepared, { kind: 'task' | 'done' }>,
    request: ActionRequest,
  ): Promise<Performed | undefined> {
    const now = clock()
    const serverId = stored.id
    if (prepared.kind === 'done') {
      const write = writeServer(stored, prepared.server, now)
      const { project_id: projectId, domain_id: domainId, name: targetName } = stored.server
      const event = createAuditEvent(
        caller,
        {
          action,
          targetType: 'server',
          targetId: serverId,
          targetName,
          scope: { kind: 'project', projectId, domainId },
          changes: changesOf(stored, prepared.server),
        },
        clock,
      )
      const unbinned = prepared.leavesBin && { unbinned: [serverId] }
      const isWritten = await tasks.write({ writes: [write], events: [event], ...unbinned })
      return isWritten ? { serverId } : undefined
    }
    const author = authorOf(caller)
    await requireFreeQueue(author.user_id)
    const changed = { ...stored, server: prepared.server }
    const task = createTask(action, prepared.params, changed, author, now)
    const record = idempotency.recordOf(author.user_id, request, { task_id: task.id, batch_id: '' })
    const isAccepted = await tasks.accept({
      tasks: [task],
      limit: { userId: author.user_id, kind: 'queued tasks', most: maxQueued },
      writes: [{ ...showTask(changed, task), stored }],
      events: [acceptedEvent(task)],
      ...(record && { idempotency: record }),
    })
    if (!isAccepted) return undefined
    wake(task.account_id)
    return { serverId, taskId: task.id }
  }

  /** The task of an earlier request with the same key. */
  async function findRepeated(
    caller: Caller,
    request: ActionRequest,
  ): Promise<Performed | undefined> {
    const first = await idempotency.findFirst(caller.principal.userStatus.user.id, request)
    const task = first && (await tasks.find(first.task_id))
    return task && { serverId: task.server_id, taskId: task.id }
  }

  async function performOnce(
    caller: Caller,
    idOrName: string,
    action: ServerAction,
    params: TaskParameters,
    request: ActionRequest,
  ): Promise<Performed | undefined> {
    const repeated = await findRepeated(caller, request)
    if (repeated) return repeated
    const { stored, situation } = await findTarget(caller, idOrName)
    const { project_id: projectId, domain_id: domainId } = stored.server
    if (!covers(caller.authorizedScope.scope, { projectId, domainId })) throw notPermitted(action)
    requireVersion(stored, request.ifMatch)
    const wanted =
      action === 'delete' ? await deleteParameters(params, stored, dependencies) : params
    const prepared = prepareAction(action, wanted, situation, clock())
    if (prepared.kind === 'refused') {
      // The same request may have been accepted a moment ago.
      const accepted = await findRepeated(caller, request)
      if (accepted) return accepted
      throw prepared.error
    }
    if (prepared.kind === 'already') return { serverId: stored.id }
    if (prepared.kind === 'task' && situation.attached) {
      await dependencies.requireAnswer(situation.attached, stored.server)
    }
    return await carryOut(caller, action, stored, prepared, request)
  }

  return function performAction(
    caller: Caller,
    idOrName: string,
    action: ServerAction,
    given: object,
    request: ActionRequest,
  ): Promise<Performed> {
    const params = readParameters(action, given)
    requireConsistent(action, params, { ...dependencies, path: 'server' })
    return retryOnConflict(
      async () =>
        performOnce(
          await dependencies.reauthorizeCaller(caller),
          idOrName,
          action,
          params,
          request,
        ),
      { exhausted: () => conflicted('The server') },
    )
  }
}
export type PerformAction = ReturnType<typeof createPerformAction>
