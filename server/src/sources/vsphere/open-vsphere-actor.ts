import {
  ActionError,
  type ServerActor,
  type SourceAction,
  type SourceCall,
} from '../../domain/sources/action-port.ts'
import type { SourceContext, SourceSettings } from '../../domain/sources/source.ts'
import { childrenOf } from '../shared/parse-xml.ts'
import { deleteMachine } from './delete-machine.ts'
import { findByUuid, uuidOfServer } from './find-by-uuid.ts'
import { runMethod, runTask } from './run-task.ts'
import { openSession, type Api } from './session.ts'
import { escapeXml, refXml, type ObjectRef } from './soap.ts'
import { privileges } from './vsphere-acting.ts'
import { readVSphereSettings } from './vsphere-settings.ts'

const unsupported = (message: string) => new ActionError('unsupported', message)

/** vSphere escapes three characters in names. */
const encodeName = (name: string) => name.replaceAll(/[%/\\]/g, encodeURIComponent)

async function findMachine(api: Api, externalId: string): Promise<ObjectRef> {
  const found = await findByUuid(api, uuidOfServer(externalId))
  const [, id = found[0]?.id] = externalId.split('/')
  // Which of them the bare UUID means changes when one is deleted.
  if (found.length > 1) {
    throw new ActionError(
      'conflict',
      `${api.host} has ${found.length} machines with this UUID. Give each a UUID of its own first.`,
    )
  }
  const ref = found.find((one) => one.id === id)
  if (ref) return ref
  throw new ActionError('not-found', `${api.host} does not have ${externalId}.`)
}

function sizeSpec(call: Extract<SourceCall, { kind: 'resize' }>): string {
  const { vcpu_count: cpus, vmem_size: memory, instance_type: type } = call.size
  if (type !== undefined) throw unsupported('vSphere has no instance types.')
  const parts = [
    cpus === undefined ? '' : `<numCPUs>${cpus}</numCPUs>`,
    memory === undefined ? '' : `<memoryMB>${memory}</memoryMB>`,
  ]
  return `<spec>${parts.join('')}</spec>`
}

function newName({ changes }: Extract<SourceCall, { kind: 'update' }>): string {
  const { name, ...others } = changes
  const [unknown] = Object.keys(others)
  if (name === undefined || unknown !== undefined)
    throw unsupported(`vSphere cannot change ${unknown ?? 'nothing'}.`)
  return `<newName>${escapeXml(encodeName(name))}</newName>`
}

async function perform(
  api: Api,
  call: SourceCall,
  ref: ObjectRef,
  signal: AbortSignal,
): Promise<void> {
  switch (call.kind) {
    case 'start':
    case 'resume':
      return await runTask(api, 'PowerOnVM_Task', ref, signal)
    case 'stop':
      return call.isForced
        ? await runTask(api, 'PowerOffVM_Task', ref, signal)
        : await runMethod(api, 'ShutdownGuest', ref)
    case 'restart':
    case 'reset':
      return (call.kind === 'reset' ? call.isHard : call.isForced)
        ? await runTask(api, 'ResetVM_Task', ref, signal)
        : await runMethod(api, 'RebootGuest', ref)
    case 'suspend':
      return await runTask(api, 'SuspendVM_Task', ref, signal)
    case 'resize':
      return await runTask(api, 'ReconfigVM_Task', ref, signal, sizeSpec(call))
    case 'update':
      return await runTask(api, 'Rename_Task', ref, signal, newName(call))
    case 'delete':
      return await deleteMachine(api, ref, call, signal)
    case 'confirm-resize':
      throw unsupported('vSphere needs no confirmation of a resize.')
  }
}

/** Which actions the user may do everywhere. A role on a part of the inventory is not found out. */
async function findAllowed(api: Api, sessionId: string) {
  const ids = [...new Set(Object.values(privileges).flat())]
  const listed = ids.map((id) => `<privId>${id}</privId>`).join('')
  const response = await api.call(
    'HasPrivilegeOnEntity',
    api.manager('authorizationManager'),
    `${refXml('entity', api.manager('rootFolder'))}<sessionId>${escapeXml(sessionId)}</sessionId>${listed}`,
  )
  const answers = childrenOf(response, 'returnval')
  const granted = new Set(ids.filter((_id, index) => answers[index]?.text === 'true'))
  const allowed: Partial<Record<SourceAction, boolean>> = {}
  for (const [action, needed] of Object.entries(privileges)) {
    if (needed.every((id) => granted.has(id))) allowed[action as SourceAction] = true
  }
  return allowed
}

/** Logs in for changes, with a session of its own. */
export async function openVSphereActor(
  settings: SourceSettings,
  context: SourceContext,
  signal: AbortSignal,
): Promise<ServerActor> {
  const session = await openSession(readVSphereSettings(settings), context, signal, true)
  return {
    async act(call, { externalId }, stop) {
      const api = session.until(stop)
      await perform(api, call, await findMachine(api, externalId), stop)
    },
    allowed: (stop) => findAllowed(session.until(stop), session.id),
    close: () => session.close(),
  }
}
