import {
  permissionOfAction,
  performedActions,
  serverActions,
  type PerformedAction,
  type PolicyAction,
  type ServerAction,
  type ServerActions,
  type TaskParameters,
  type ScopeParameter,
} from '@muster/contract'
import { createAuditEvent } from '../identity/create-audit-event.ts'
import type { Clock } from '../clock.ts'
import { badField, PlatformError } from '../error.ts'
import { findAuthorizedScope } from '../identity/authorized-scope.ts'
import type { Caller } from '../identity/caller.ts'
import type { ReauthorizeCaller } from '../identity/reauthorize-caller.ts'
import { changesOf } from '../inventory/describe-server-events.ts'
import type { FindServer } from '../inventory/get-server.ts'
import type { ServerWriter, StoredServer } from '../inventory/ports.ts'
import { withReadScope } from '../inventory/with-read-scope.ts'
import { conflicted, retryOnConflict } from '../retry-on-conflict.ts'
import { covers, type ScopeOrNone } from '../scope.ts'
import { acceptedEvent, authorOf, createTask, showTask, writeServer } from './accept-task.ts'
import type { Situation } from './decide-action.ts'
import type { Idempotency, RepeatableRequest } from './idempotency.ts'
import type { TaskStore } from './ports.ts'
import { prepareAction, readParameters, type Prepared } from './prepare-action.ts'
import type { RequireAnswer } from './require-answer.ts'
import type { LoadSituations } from './situations.ts'

interface Dependencies {
  readonly findServer: FindServer
  readonly serverWriter: Pick<ServerWriter, 'findStored'>
  readonly loadSituations: LoadSituations
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

/** Parameters that allow an action in more situations, such as a delete from the recycle bin. */
const permissiveParameters: Partial<Record<ServerAction, TaskParameters>> = {
  stop: { is_force: true },
  restart: { is_force: true },
  'change-config': { force_stop: true },
  delete: { is_force: true, override_pending_delete: true },
}

const isPerformed = (action: ServerAction): action is Exclude<PerformedAction, 'syncstatus'> =>
  performedActions.some((name) => name === action)

/** The permission that an action needs. */
export function permissionFor(action: ServerAction) {
  const policyAction: PolicyAction = isPerformed(action)
    ? `perform.${action}`
    : action === 'update'
      ? 'update'
      : 'delete'
  return permissionOfAction(policyAction)
}

export const notPermitted = (action: ServerAction) => {
  const need = permissionFor(action)
  return new PlatformError(
    'ForbiddenError',
    `You need the permission "${need.action}" on "compute.servers" in this scope.`,
    { values: { permission: need.action, resource: 'servers' } },
  )
}

const notAllowed = ({ message, class: errorClass, values }: PlatformError) => ({
  allowed: false,
  reason: message,
  class: errorClass,
  ...(values && { values }),
})

/** In which scope the caller may perform an action. */
export const scopeOfAction = ({ principal }: Caller, action: ServerAction): ScopeOrNone =>
  findAuthorizedScope(principal, permissionFor(action)).scope

function requireVersion({ server }: StoredServer, ifMatch: string | undefined): void {
  if (ifMatch === undefined || ifMatch === '*' || ifMatch === `"v${server.update_version}"`) return
  throw new PlatformError(
    'PreconditionFailedError',
    `The server has changed: its version is "v${server.update_version}", not ${ifMatch}. Read it again.`,
  )
}

const sizeFields = ['vcpu_count', 'vmem_size', 'instance_type'] as const

/** Checks parameters that depend on each other, or on settings. */
export function requireConsistent(
  action: ServerAction,
  params: TaskParameters,
  { taskTimeout, path }: { readonly taskTimeout: number; readonly path: string },
): void {
  if (action === 'change-config' && sizeFields.every((name) => params[name] === undefined)) {
    throw badField(path, `needs one of ${sizeFields.join(', ')}`, 'MissingParameterError')
  }
  requireTimeout(params, taskTimeout, path)
}

/** A guest cannot have more time than the whole task. */
function requireTimeout({ timeout_secs }: TaskParameters, limit: number, path: string): void {
  const most = Math.floor(limit / 1_000)
  if (Number(timeout_secs ?? 0) <= most) return
  throw badField(`${path}.timeout_secs`, `must be at most ${most}, the time limit of a task`)
}

/**
 * Without a recycle bin, every deletion is at once. For a server that is already in the bin, the earlier
 * choice about its disks and snapshots applies.
 */
export async function deleteParameters(
  params: TaskParameters,
  { id, server }: StoredServer,
  { tasks, recycleFor }: Pick<Dependencies, 'tasks' | 'recycleFor'>,
): Promise<TaskParameters> {
  const remembered = server.pending_deleted ? await tasks.binEntry(id) : undefined
  return {
    ...(remembered && {
      delete_disks: remembered.delete_disks,
      delete_snapshots: remembered.delete_snapshots,
    }),
    ...params,
    ...(recycleFor === 0 && { override_pending_delete: true }),
  }
}

/** Starts, stops, changes and deletes servers: decides, and stores a task that carries it out. */
export function createPerformAction(dependencies: Dependencies) {
  const { findServer, serverWriter, loadSituations, tasks, idempotency, wake, clock } = dependencies

  async function findTarget(caller: Caller, idOrName: string, scope?: ScopeParameter) {
    const { parts } = await findServer(withReadScope(caller), idOrName, scope)
    const stored = (await serverWriter.findStored([parts.id])).get(parts.id)
    if (!stored) throw new PlatformError('ResourceNotFoundError', 'Server not found.')
    const situation = (await loadSituations([stored])).get(stored.id)
    return { stored, situation: situation as Situation }
  }

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

  /** Whether an action can be performed, and why not. */
  function allowedWith(action: ServerAction, params: TaskParameters, situation: Situation) {
    const prepared = prepareAction(action, params, situation, clock())
    if (prepared.kind === 'refused') return notAllowed(prepared.error)
    const reason = prepared.kind === 'already' ? prepared.reason : ''
    return { allowed: reason === '', reason }
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

  return {
    performAction: (
      caller: Caller,
      idOrName: string,
      action: ServerAction,
      given: object,
      request: ActionRequest,
    ): Promise<Performed> => {
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
    },

    /** What the caller can do with a server now, with some parameters, by the decision of the action. */
    async getServerActions(
      caller: Caller,
      idOrName: string,
      scope?: ScopeParameter,
    ): Promise<ServerActions['actions']> {
      const { stored, situation } = await findTarget(caller, idOrName, scope)
      const { project_id: projectId, domain_id: domainId } = stored.server
      const decide = (action: ServerAction) => {
        if (!covers(scopeOfAction(caller, action), { projectId, domainId })) {
          return notAllowed(notPermitted(action))
        }
        // Nothing to change yet: a description can always be changed.
        if (action === 'update' && !stored.server.deleted) return { allowed: true, reason: '' }
        const more = permissiveParameters[action]
        const permissive = more && allowedWith(action, more, situation)
        return permissive?.allowed ? permissive : allowedWith(action, {}, situation)
      }
      const entries = serverActions.map((action) => [action, decide(action)] as const)
      return Object.fromEntries(entries) as ServerActions['actions']
    },
  }
}
export type PerformActionUseCases = ReturnType<typeof createPerformAction>
