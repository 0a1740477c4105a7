import {
  ActionError,
  type ServerSize,
  type SourceCall,
  type SourceRequest,
} from '../../domain/sources/action-port.ts'
import type { Change } from './changes.ts'
import type { Instance } from './instance.ts'
import { isActive, statusOf } from './status.ts'

/**
 * The default number of seconds that the daemon waits for the guest. Meanwhile it refuses other changes of
 * the instance.
 */
const shutdownLimit = 60
/** Milliseconds after which a request to shut down counts as accepted. Refusals arrive at once. */
const shutdownPatience = 1_000

const states: ReadonlySet<string> = new Set(['start', 'stop', 'restart', 'freeze', 'unfreeze'])

const switchOff: SourceRequest = { name: 'stop', data: { force: true } }
const askGuest = (timeout: number): SourceRequest => ({
  name: 'stop',
  data: { force: false, timeout },
})

const limitsOf = ({ vcpu_count, vmem_size }: ServerSize) => ({
  ...(vcpu_count !== undefined && { 'limits.cpu': String(vcpu_count) }),
  ...(vmem_size !== undefined && { 'limits.memory': `${vmem_size}MiB` }),
})

/** The requests that are left for a call. */
export function planRequests(call: SourceCall, instance: Instance): readonly SourceRequest[] {
  const left = (...requests: readonly SourceRequest[]) =>
    requests.filter((request) => isDone(request, instance) !== true)
  switch (call.kind) {
    case 'start':
      return [{ name: 'start' }]
    case 'stop':
      // With a time of 0 the daemon would switch the instance off.
      return [call.isForced ? switchOff : askGuest(Math.max(1, call.seconds ?? shutdownLimit))]
    case 'reset':
      return [{ name: 'restart', data: { force: true, lastUsedAt: instance.lastUsedAt } }]
    case 'suspend':
      return [{ name: 'freeze' }]
    case 'resume':
      return [{ name: 'unfreeze' }]
    case 'resize':
      return left({ name: 'update', data: limitsOf(call.size) })
    case 'update': {
      const { name, disable_delete } = call.changes
      const config = { 'security.protection.delete': String(disable_delete) }
      return left(
        ...(disable_delete === undefined ? [] : [{ name: 'update', data: config }]),
        ...(name === undefined ? [] : [{ name: 'rename', data: { name } }]),
      )
    }
    case 'delete': {
      const isStopped = !isActive(instance.status)
      if (isStopped) return [{ name: 'delete' }]
      // An ephemeral instance is deleted by the stop.
      return instance.isEphemeral ? [switchOff] : [switchOff, { name: 'delete' }]
    }
    case 'restart':
    case 'confirm-resize':
      throw new ActionError('unsupported', `Incus and LXD cannot ${call.kind} an instance.`)
  }
}

/** A stored request as one of the daemon's API. */
export function toChange({ name, data = {} }: SourceRequest, instance: Instance): Change {
  const at = { request: name, project: instance.project, name: instance.name }
  if (name === 'delete') return { ...at, method: 'DELETE' }
  if (name === 'rename') return { ...at, method: 'POST', body: { name: data['name'] } }
  if (name === 'update') return { ...at, method: 'PATCH', body: { config: data } }
  if (!states.has(name))
    throw new ActionError('unsupported', `Incus and LXD have no request ${name}.`)
  const force = data['force'] === true
  const asksGuest = name === 'stop' && !force
  const body = { action: name, force, timeout: asksGuest ? (data['timeout'] ?? shutdownLimit) : -1 }
  return {
    ...at,
    method: 'PUT',
    part: '/state',
    body,
    ...(asksGuest && { patience: shutdownPatience }),
  }
}

/** Whether the daemon shows what a request changes; undefined for what only the status shows. */
export function isDone(
  { name, data = {} }: SourceRequest,
  { config, lastUsedAt, name: shownName, status }: Instance,
): boolean | undefined {
  switch (name) {
    case 'update':
      return Object.entries(data).every(([key, value]) => config[key] === value)
    case 'rename':
      return shownName === data['name']
    case 'restart':
      // The time of the last start.
      return lastUsedAt !== data['lastUsedAt'] && isActive(status)
    case 'stop':
      return statusOf(status).status === 'ready'
    default:
      return undefined
  }
}
