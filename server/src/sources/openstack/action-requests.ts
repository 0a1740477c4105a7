import {
  ActionError,
  type ServerUpdate,
  type SourceCall,
  type SourceRequest,
} from '../../domain/sources/action-port.ts'
import { SourceError } from '../../domain/sources/source-error.ts'
import { listOf, textOf, type Json } from '../shared/json.ts'
import { rowsOf, type ServiceChange } from './service-client.ts'
import type { Compute } from './compute.ts'
import { markVolumes } from './deleted-volumes.ts'
import { stateOf } from './status.ts'

/** A server as Nova shows it now, and how to reach it. */
export interface LocatedServer {
  readonly compute: Compute
  readonly server: Json
}

const serverPath = (server: Json) => `/servers/${encodeURIComponent(textOf(server, 'id'))}`

/** Finds the id of a flavor by its name. Muster shows names, so only a name can be compared afterwards. */
async function findFlavor(
  { client, microversion, seesAllProjects }: Compute,
  wanted: string,
  signal: AbortSignal,
): Promise<string> {
  const request = {
    service: 'compute',
    path: `/flavors?limit=500${seesAllProjects ? '&is_public=None' : ''}`,
    action: 'list flavors',
    microversion,
  } as const
  const { rows } = await client.list(request, 'flavors', signal)
  const flavor = rows.find((row) => textOf(row, 'name') === wanted)
  if (flavor) return textOf(flavor, 'id')
  const byId = rows.find((row) => textOf(row, 'id') === wanted)
  const hint = byId ? ` The flavor with this id is ${textOf(byId, 'name')}.` : ''
  throw new ActionError('unsupported', `The project has no flavor named ${wanted}.${hint}`)
}

/** The requests to a server that Nova has recorded, newest first; undefined if it does not tell. */
async function readHistory(
  { compute: { client, microversion }, server }: LocatedServer,
  signal: AbortSignal,
): Promise<readonly Json[] | undefined> {
  const path = `${serverPath(server)}/os-instance-actions`
  const request = { service: 'compute', path, action: 'read the actions of a server' } as const
  try {
    return rowsOf(await client.send({ ...request, microversion }, signal), 'instanceActions')
  } catch (error) {
    // The policy of Nova may deny it.
    if (!signal.aborted && error instanceof SourceError) return undefined
    throw error
  }
}

/** A reboot leaves the state as it is, so Nova's record of requests must show it. */
async function reboot(at: LocatedServer, type: 'SOFT' | 'HARD', signal: AbortSignal) {
  const last = (await readHistory(at, signal))?.[0]
  const after = last ? { after: textOf(last, 'request_id') } : {}
  return [{ name: 'reboot', data: { type, ...after } }]
}

/** Unlocks first and locks last, because a locked server cannot be changed. */
function update({ server }: LocatedServer, { name, disable_delete }: ServerUpdate) {
  const requests: readonly SourceRequest[] = [
    ...(disable_delete === false ? [{ name: 'unlock' }] : []),
    ...(name === undefined ? [] : [{ name: 'rename', data: { name } }]),
    ...(disable_delete === true ? [{ name: 'lock' }] : []),
  ]
  return requests.filter((request) => isShown(request, server) !== true)
}

const isStopping = (server: Json) =>
  stateOf(server) === 'stopped' || textOf(server, 'OS-EXT-STS:task_state') === 'powering-off'

/** The requests of a call, in their order. Nova's fields decide where Muster's status covers several states. */
export async function planRequests(
  call: SourceCall,
  at: LocatedServer,
  signal: AbortSignal,
): Promise<readonly SourceRequest[]> {
  const { compute, server } = at
  const state = stateOf(server)
  switch (call.kind) {
    case 'start':
      return [{ name: state.startsWith('shelved') ? 'unshelve' : 'os-start' }]
    case 'stop':
      // Nova asks the guest first, and switches it off after a while. A second request would be refused.
      return call.isForced && isStopping(server) ? [] : [{ name: 'os-stop' }]
    case 'restart':
      return await reboot(at, call.isForced ? 'HARD' : 'SOFT', signal)
    case 'reset':
      return await reboot(at, 'HARD', signal)
    case 'suspend':
      return [{ name: 'suspend' }]
    case 'resume':
      return [{ name: state === 'paused' ? 'unpause' : 'resume' }]
    case 'resize': {
      const { instance_type } = call.size
      if (instance_type === undefined) {
        throw new ActionError(
          'unsupported',
          'Nova resizes a server to a flavor: choose an instance type.',
        )
      }
      return [
        { name: 'resize', data: { flavorRef: await findFlavor(compute, instance_type, signal) } },
      ]
    }
    case 'confirm-resize':
      return [{ name: 'confirmResize' }]
    case 'update':
      return update(at, call.changes)
    case 'delete':
      return [...(await markVolumes(compute, server, call.disks, signal)), { name: 'delete' }]
  }
}

/** Actions of Nova, in words for messages. */
const actions: ReadonlyMap<string, string> = new Map([
  ['os-start', 'start a server'],
  ['unshelve', 'start a server'],
  ['os-stop', 'stop a server'],
  ['reboot', 'reboot a server'],
  ['suspend', 'suspend a server'],
  ['resume', 'resume a server'],
  ['unpause', 'resume a server'],
  ['resize', 'resize a server'],
  ['confirmResize', 'confirm the resize of a server'],
  ['lock', 'lock a server'],
  ['unlock', 'unlock a server'],
])

/** A stored request as one of Nova's API, and the status of its success. */
export function toChange(
  { name, target = '', data = {} }: SourceRequest,
  { compute: { microversion }, server }: LocatedServer,
): ServiceChange & { readonly success: number } {
  const path = serverPath(server)
  const base = { service: 'compute', microversion } as const
  if (name === 'delete') {
    return { ...base, method: 'DELETE', path, action: 'delete a server', success: 204 }
  }
  if (name === 'rename') {
    const body = { server: { name: data['name'] } }
    return { ...base, method: 'PUT', path, body, action: 'rename a server', success: 200 }
  }
  if (name === 'update-volume-attachment') {
    const { delete_on_termination } = data
    return {
      ...base,
      method: 'PUT',
      path: `${path}/os-volume_attachments/${encodeURIComponent(target)}`,
      body: { volumeAttachment: { volumeId: target, delete_on_termination } },
      action: delete_on_termination === true ? 'mark a volume for deletion' : 'keep a volume',
      success: 202,
    }
  }
  const action = actions.get(name)
  if (action === undefined) throw new ActionError('unsupported', `Nova has no action ${name}.`)
  const { after: _, ...parameters } = data
  const body = { [name]: Object.keys(parameters).length > 0 ? parameters : null }
  const success = name === 'confirmResize' ? 204 : 202
  return { ...base, method: 'POST', path: `${path}/action`, body, action, success }
}

/** Whether the server shows what a request changes; undefined for what only its state shows. */
function isShown({ name, target, data = {} }: SourceRequest, server: Json): boolean | undefined {
  switch (name) {
    case 'lock':
    case 'unlock':
      // Nova before 2.9 does not tell.
      return server['locked'] === undefined ? undefined : server['locked'] === (name === 'lock')
    case 'rename':
      return textOf(server, 'name') === data['name']
    case 'update-volume-attachment': {
      const volumes = listOf(server, 'os-extended-volumes:volumes_attached')
      const volume = volumes.find((each) => textOf(each, 'id') === target)
      return volume && volume['delete_on_termination'] === data['delete_on_termination']
    }
    default:
      return undefined
  }
}

/** Whether Nova shows that a request was carried out; undefined if only the state of the server shows it. */
export async function isDone(
  request: SourceRequest,
  at: LocatedServer,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  const after = request.data?.['after']
  if (request.name !== 'reboot' || after === undefined) return isShown(request, at.server)
  if (textOf(at.server, 'OS-EXT-STS:task_state').startsWith('reboot')) return false
  const history = await readHistory(at, signal)
  const last = history?.findIndex((each) => textOf(each, 'request_id') === after) ?? -1
  if (last === -1) return undefined
  const isReboot = (each: Json) =>
    textOf(each, 'action') === 'reboot' && textOf(each, 'message') !== 'Error'
  return history?.slice(0, last).some(isReboot)
}
