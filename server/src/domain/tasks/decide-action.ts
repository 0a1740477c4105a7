import type { Server, ServerAction, TaskParameters } from '@muster/contract'
import { PlatformError } from '../error.ts'
import { isProtectedBy, settledStatus } from '../inventory/own-fields.ts'
import { tagsOf } from '../inventory/metadata.ts'
import { isDegraded, type AttachedAccount } from '../sources/account.ts'
import type { ActionSupport, SourceAction } from '../sources/action-port.ts'
import { isSettledStatus, nameOfStatus } from './shown-status.ts'
import type { TaskRecord } from './task.ts'

/** Everything that a decision about an action depends on, except the caller's permission. */
export interface Situation {
  readonly server: Server
  /** The account that holds the server; undefined if it is gone. */
  readonly attached: AttachedAccount | undefined
  /** What its source can do; undefined if it can only be read. */
  readonly support: ActionSupport | undefined
  /** The unfinished task of the server. */
  readonly task: Pick<TaskRecord, 'id' | 'action'> | undefined
  /** Whether the last complete scan of the account did not find the server. */
  readonly isMissing: boolean
}

export type Decision =
  | { readonly kind: 'act' }
  /** Nothing to do. */
  | { readonly kind: 'already'; readonly reason: string }
  | { readonly kind: 'refused'; readonly error: PlatformError }

const act: Decision = { kind: 'act' }
const already = (reason: string): Decision => ({ kind: 'already', reason })
const refuse = (...error: ConstructorParameters<typeof PlatformError>): Decision => ({
  kind: 'refused',
  error: new PlatformError(...error),
})

/** From which states an action works, and in which state it has nothing to do. */
const states: Partial<
  Record<ServerAction, { readonly from: readonly string[]; readonly done?: string }>
> = {
  start: { from: ['ready'], done: 'running' },
  stop: { from: ['running', 'unknown'], done: 'ready' },
  restart: { from: ['running'] },
  reset: { from: ['running'] },
  suspend: { from: ['running'], done: 'suspend' },
  resume: { from: ['suspend'], done: 'running' },
}

const notAnswering = (name: string): Decision =>
  refuse(
    'ServiceUnavailable',
    `The source of the cloud account "${name}" does not answer. The account shows the reason.`,
    { retryAfter: 30, values: { name } },
  )

/** A server that Muster set to `unknown`, because its region does not answer. */
const isInSilentRegion = ({ server, attached }: Situation, status: string): boolean =>
  status === 'unknown' &&
  server.host_service_status === 'offline' &&
  attached !== undefined &&
  isDegraded(attached.sync)

const wait = (status: string, action: ServerAction): Decision =>
  refuse(
    'InvalidStatusError',
    `The server is ${nameOfStatus(status)}. Wait until its source has finished.`,
    { values: { status, action } },
  )

function decideAccount(
  { attached, support }: Situation,
  action: ServerAction,
): Decision | undefined {
  if (!attached || attached.account.isBeingDeleted) {
    return refuse('InvalidStatusError', 'The cloud account of the server is deleted.', {
      values: { account: 'deleted' },
    })
  }
  const { name, access, enabled } = attached.account
  if (!enabled) {
    return refuse(
      'InvalidStatusError',
      `The cloud account "${name}" is disabled. Enable it first.`,
      { values: { account: 'disabled', name } },
    )
  }
  if (access !== 'manage') {
    return refuse(
      'AccountReadOnlyError',
      `The cloud account "${name}" is attached to observe only. A system administrator can allow actions by setting its access to "manage".`,
      { values: { name } },
    )
  }
  if (!support?.actions.includes(action as SourceAction)) {
    return refuse(
      'NotSupportedError',
      `The source of the cloud account "${name}" does not support "${action}".`,
      { values: { name, action } },
    )
  }
  return attached.sync.is_unreachable ? notAnswering(name) : undefined
}

function decideState(status: string, action: ServerAction): Decision {
  const { from, done } = states[action] ?? { from: [] }
  if (status === done) return already(`The server is already ${nameOfStatus(status)}.`)
  if (from.includes(status)) return act
  const allowed = from.filter((one) => one !== 'unknown').map(nameOfStatus)
  return refuse(
    'InvalidStatusError',
    `The server is ${nameOfStatus(status)}. "${action}" works from: ${allowed.join(', ')}.`,
    { values: { status, action, from: from.filter((one) => one !== 'unknown') } },
  )
}

/** A server that would not survive, or that something else would replace. */
function decideStop(
  { server }: Situation,
  params: TaskParameters,
  verb: string,
): Decision | undefined {
  const reason = tagsOf(server.metadata, 'notes')['lost_on_stop']
  if (reason !== undefined) {
    return refuse(
      'NotSupportedError',
      `A stop would destroy the server: ${reason} To delete it, use override_pending_delete=true.`,
      { values: { lost_on_stop: reason } },
    )
  }
  return decideScaling(server, params, verb)
}

function decideScaling(server: Server, params: TaskParameters, verb: string): Decision | undefined {
  if (server.scaling_group_id === '' || params['is_force'] === true) return undefined
  return refuse(
    'NotSupportedError',
    `The server belongs to the scaling group ${server.scaling_group_id}, which will replace it. To ${verb} it anyway, use is_force=true.`,
    { values: { scaling_group_id: server.scaling_group_id } },
  )
}

function decideResize(situation: Situation, params: TaskParameters, status: string): Decision {
  const { server, support } = situation
  const wanted = (['vcpu_count', 'vmem_size', 'instance_type'] as const).filter(
    (name) => params[name] !== undefined,
  )
  const fields = support?.resize?.fields ?? []
  const other = wanted.find((name) => !fields.includes(name))
  if (other !== undefined) {
    return refuse(
      'NotSupportedError',
      `The source cannot change "${other}". It can change: ${fields.join(', ')}.`,
      { values: { field: other, fields: [...fields] } },
    )
  }
  const isSame = wanted.length > 0 && wanted.every((name) => server[name] === params[name])
  if (status === support?.resize?.confirmedStatus)
    return isSame ? act : wait(status, 'change-config')
  if (isSame) return already('The server already has this size.')
  if (status === 'ready') return act
  if (status === 'running') {
    if (support?.resize?.isLive && params['force_stop'] !== true) return act
    if (params['force_stop'] !== true) {
      return refuse(
        'InvalidStatusError',
        'The server is running. "change-config" works from: stopped; or use force_stop=true.',
        { values: { status, action: 'change-config', from: ['ready'] } },
      )
    }
    return decideStop(situation, { ...params, is_force: true }, 'resize') ?? act
  }
  return refuse(
    'InvalidStatusError',
    `The server is ${nameOfStatus(status)}. "change-config" works from: stopped, running.`,
    { values: { status, action: 'change-config', from: ['ready', 'running'] } },
  )
}

function decideDelete(situation: Situation, params: TaskParameters, status: string): Decision {
  const { server, support } = situation
  const isAtOnce = params['override_pending_delete'] === true
  if (server.pending_deleted && !isAtOnce) return already('The server is in the recycle bin.')
  if (server.disable_delete) {
    const isAtSource = isProtectedBy(server, 'source')
    return refuse(
      'InvalidStatusError',
      `The server is protected against deletion ${isAtSource ? 'at its source' : 'in Muster'}. Set disable_delete to false first.`,
      { values: { protected_by: isAtSource ? 'source' : 'muster' } },
    )
  }
  for (const name of ['disks', 'snapshots'] as const) {
    if (params[`delete_${name}`] === true && support?.deletes?.[name] !== true) {
      return refuse('NotSupportedError', `The source cannot delete ${name} with a server.`, {
        values: { field: `delete_${name}` },
      })
    }
  }
  const blocked =
    isAtOnce || status === 'ready'
      ? decideScaling(server, params, 'delete')
      : decideStop(situation, params, 'delete')
  return blocked ?? act
}

function decideUpdate(situation: Situation, params: TaskParameters): Decision {
  const { server, support } = situation
  const fields = Object.keys(params)
  const other = fields.find((name) => !support?.updates?.some((known) => known === name))
  if (other !== undefined) {
    return refuse('NotSupportedError', `The source cannot change "${other}".`, {
      values: { field: other },
    })
  }
  const isSame = fields.every((name) => server[name as keyof Server] === params[name])
  return isSame && fields.length > 0 ? already('Nothing changes.') : act
}

/** Whether the account is gone, or its last complete scan did not find the server. */
function decidePurge({ attached, isMissing }: Situation): Decision {
  if (!attached || attached.account.isBeingDeleted || isMissing) return act
  return refuse(
    'InvalidStatusError',
    `The cloud account "${attached.account.name}" still reports the server. "purge" works if the account is gone, or if its last complete scan did not find the server.`,
    { values: { account: 'reports', name: attached.account.name } },
  )
}

const decideTask = ({ task }: Situation): Decision | undefined =>
  task &&
  refuse(
    'ConflictError',
    `The server has an unfinished task: "${task.action}", ${task.id}. Wait for it, or cancel it.`,
    { values: { task_id: task.id, task_action: task.action } },
  )

/**
 * Decides whether an action may begin. The list of actions, the action itself, a dry run and the start of
 * a task use it. Parameters of `update` are only those that the source must change.
 */
export function decideAction(
  action: ServerAction,
  params: TaskParameters,
  situation: Situation,
): Decision {
  const { server } = situation
  if (server.deleted)
    return refuse('InvalidStatusError', 'The server is deleted.', { values: { status: 'deleted' } })
  const busy = decideTask(situation)
  if (action === 'purge') return busy ?? decidePurge(situation)
  if (action === 'cancel-delete') {
    if (busy) return busy
    if (server.pending_deleted) return act
    return refuse('InvalidStatusError', 'The server is not in the recycle bin.', {
      values: { pending_deleted: false },
    })
  }
  const blocked = decideAccount(situation, action) ?? busy
  if (blocked) return blocked
  if (server.pending_deleted && action !== 'delete') {
    return refuse(
      'InvalidStatusError',
      'The server is in the recycle bin. Restore it with "cancel-delete" first.',
      { values: { pending_deleted: true } },
    )
  }
  const status = settledStatus(server)
  const { confirmedStatus } = situation.support?.resize ?? {}
  const isResized = action === 'change-config' && status === confirmedStatus
  if (!isSettledStatus(status) && !isResized) return wait(status, action)
  // For the others the source is contacted first.
  const needsStatus = action === 'change-config' || states[action]?.from.includes(status) === false
  if (needsStatus && isInSilentRegion(situation, status)) {
    return notAnswering(situation.attached?.account.name ?? '')
  }
  switch (action) {
    case 'change-config':
      return decideResize(situation, params, status)
    case 'update':
      return decideUpdate(situation, params)
    case 'delete':
      return decideDelete(situation, params, status)
    case 'start':
    case 'stop':
    case 'restart':
    case 'reset':
    case 'suspend':
    case 'resume': {
      const decision = decideState(status, action)
      const stops = action === 'stop' || action === 'restart'
      if (decision.kind !== 'act' || !stops) return decision
      return decideStop(situation, params, action) ?? decision
    }
  }
}
