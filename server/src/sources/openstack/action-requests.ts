import {
  ActionError,
  type ServerUpdate,
  type SourceCall,
} from '../../domain/sources/action-port.ts'
import { textOf, type Json } from '../shared/json.ts'
import type { Compute } from './compute.ts'
import { markVolumes } from './deleted-volumes.ts'
import type { ServiceChange } from './service-client.ts'
import { stateOf } from './status.ts'

/** A server as Nova shows it now, and how to reach it. */
export interface LocatedServer {
  readonly compute: Compute
  readonly server: Json
}

const serverPath = (server: Json) => `/servers/${encodeURIComponent(textOf(server, 'id'))}`

/** An action of Nova, such as `os-stop`, in words such as `stop a server`. */
const perform = (
  { compute: { microversion }, server }: LocatedServer,
  action: string,
  name: string,
  parameters: Json | null = null,
): ServiceChange => ({
  service: 'compute',
  method: 'POST',
  path: `${serverPath(server)}/action`,
  body: { [name]: parameters },
  action,
  microversion,
})

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

/** Unlocks first and locks last, because a locked server cannot be changed. */
function update(at: LocatedServer, { name, disable_delete }: ServerUpdate): ServiceChange[] {
  const rename: ServiceChange = {
    service: 'compute',
    method: 'PUT',
    path: serverPath(at.server),
    body: { server: { name } },
    action: 'rename a server',
    microversion: at.compute.microversion,
  }
  return [
    ...(disable_delete === false ? [perform(at, 'unlock a server', 'unlock')] : []),
    ...(name === undefined ? [] : [rename]),
    ...(disable_delete === true ? [perform(at, 'lock a server', 'lock')] : []),
  ]
}

const reboot = (at: LocatedServer, type: 'SOFT' | 'HARD') =>
  perform(at, 'reboot a server', 'reboot', { type })

const isStopping = (server: Json) =>
  stateOf(server) === 'stopped' || textOf(server, 'OS-EXT-STS:task_state') === 'powering-off'

/** The requests of a call, in their order. Nova's fields decide where Muster's status covers several states. */
export async function requestsFor(
  call: SourceCall,
  at: LocatedServer,
  signal: AbortSignal,
): Promise<readonly ServiceChange[]> {
  const { compute, server } = at
  const state = stateOf(server)
  switch (call.kind) {
    case 'start':
      return [perform(at, 'start a server', state.startsWith('shelved') ? 'unshelve' : 'os-start')]
    case 'stop':
      // Nova asks the guest first, and switches it off after a while. A second request would be refused.
      return call.isForced && isStopping(server) ? [] : [perform(at, 'stop a server', 'os-stop')]
    case 'restart':
      return [reboot(at, call.isForced ? 'HARD' : 'SOFT')]
    case 'reset':
      return [reboot(at, 'HARD')]
    case 'suspend':
      return [perform(at, 'suspend a server', 'suspend')]
    case 'resume':
      return [perform(at, 'resume a server', state === 'paused' ? 'unpause' : 'resume')]
    case 'resize': {
      const { instance_type } = call.size
      if (instance_type === undefined) {
        throw new ActionError(
          'unsupported',
          'Nova resizes a server to a flavor: set instance_type.',
        )
      }
      const flavorRef = await findFlavor(compute, instance_type, signal)
      return [perform(at, 'resize a server', 'resize', { flavorRef })]
    }
    case 'confirm-resize':
      return [perform(at, 'confirm the resize of a server', 'confirmResize')]
    case 'update':
      return update(at, call.changes)
    case 'delete':
      return [
        ...(await markVolumes(compute, server, call.disks, signal)),
        {
          service: 'compute',
          method: 'DELETE',
          path: serverPath(server),
          action: 'delete a server',
          microversion: compute.microversion,
        },
      ]
  }
}
