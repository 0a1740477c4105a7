import {
  ActionError,
  type RequestState,
  type SourceCall,
  type SourceRequest,
} from '../../domain/sources/action-port.ts'
import { childOf } from '../shared/parse-xml.ts'
import { actionFault } from './action-fault.ts'
import { createMachine } from './machine.ts'
import { devicesProperty, planDeletion } from './plan-deletion.ts'
import { readObjects } from './property-collector.ts'
import type { Api } from './session.ts'
import { escapeXml, faultOf, refsOf, type ObjectRef } from './soap.ts'

/** Whether a method starts a task. */
export const isTask = (method: string) => method.endsWith('_Task')

const unsupported = (message: string) => new ActionError('unsupported', message)

/** vSphere escapes three characters in names. */
const encodeName = (name: string) => name.replaceAll(/[%/\\]/g, encodeURIComponent)

/** vSphere shows the tasks of a machine for some minutes. */
async function recentTasks(api: Api, ref: ObjectRef): Promise<readonly ObjectRef[]> {
  const [found] = await readObjects(api, { VirtualMachine: ['recentTask'] }, [ref])
  return refsOf(found?.properties.get('recentTask'))
}

async function requestsOf(
  call: SourceCall,
  api: Api,
  ref: ObjectRef,
): Promise<readonly SourceRequest[]> {
  switch (call.kind) {
    case 'start':
    case 'resume':
      return [{ name: 'PowerOnVM_Task' }]
    case 'stop':
      return [{ name: call.isForced ? 'PowerOffVM_Task' : 'ShutdownGuest' }]
    case 'restart':
    case 'reset': {
      const isHard = call.kind === 'reset' ? call.isHard : call.isForced
      return [{ name: isHard ? 'ResetVM_Task' : 'RebootGuest' }]
    }
    case 'suspend':
      return [{ name: 'SuspendVM_Task' }]
    case 'resize': {
      const { vcpu_count: numCPUs, vmem_size: memoryMB, instance_type } = call.size
      if (instance_type !== undefined) throw unsupported('vSphere has no instance types.')
      const data = {
        ...(numCPUs !== undefined && { numCPUs }),
        ...(memoryMB !== undefined && { memoryMB }),
      }
      return [{ name: 'ReconfigVM_Task', data }]
    }
    case 'update': {
      const { name: newName, ...others } = call.changes
      const [unknown] = Object.keys(others)
      if (newName === undefined || unknown !== undefined)
        throw unsupported(`vSphere cannot change ${unknown ?? 'nothing'}.`)
      return [{ name: 'Rename_Task', data: { newName } }]
    }
    case 'delete':
      return await planDeletion(api, ref, call)
    case 'confirm-resize':
      throw unsupported('vSphere needs no confirmation of a resize.')
  }
}

/** The requests that are left for a call, with the tasks before them, so that their own are found later. */
export async function planRequests(
  call: SourceCall,
  api: Api,
  ref: ObjectRef,
): Promise<readonly SourceRequest[]> {
  const requests = await requestsOf(call, api, ref)
  if (!requests.some(({ name }) => isTask(name))) return requests
  const earlier = (await recentTasks(api, ref)).map(({ id }) => id).join(' ')
  return requests.map((request) =>
    isTask(request.name) ? { ...request, data: { ...request.data, earlier } } : request,
  )
}

/** The parameters of the method. */
export function parametersOf({ data = {} }: SourceRequest): string {
  const { numCPUs, memoryMB, newName, remove } = data
  if (newName !== undefined) return `<newName>${escapeXml(encodeName(String(newName)))}</newName>`
  const parts = [
    numCPUs === undefined ? '' : `<numCPUs>${Number(numCPUs)}</numCPUs>`,
    memoryMB === undefined ? '' : `<memoryMB>${Number(memoryMB)}</memoryMB>`,
    ...(remove === undefined ? [] : String(remove).split(' ')).map(
      (key) =>
        `<deviceChange><operation>remove</operation><device xsi:type="VirtualDisk"><key>${Number(key)}</key></device></deviceChange>`,
    ),
  ].join('')
  return parts === '' ? '' : `<spec>${parts}</spec>`
}

/** Whether the task of a method has ended, and how; undefined if there is none. */
async function findTask(
  method: string,
  earlier: string,
  api: Api,
  ref: ObjectRef,
): Promise<RequestState> {
  const known = new Set(earlier.split(' '))
  const later = (await recentTasks(api, ref)).filter(({ id }) => !known.has(id))
  if (later.length === 0) return undefined
  const paths = ['info.descriptionId', 'info.state', 'info.error']
  const tasks = await readObjects(api, { Task: paths }, later)
  // Such as `VirtualMachine.reset` for ResetVM_Task.
  const form = new RegExp(`\\.${method.replace(/(?:VM)?_Task$/, '')}`, 'i')
  const own = tasks
    .map(({ properties }) => properties)
    .filter((info) => form.test(info.get('info.descriptionId')?.text ?? ''))
  const inState = (...states: readonly string[]) =>
    own.find((info) => states.includes(info.get('info.state')?.text ?? ''))
  if (inState('queued', 'running')) return 'working'
  if (inState('success')) return true
  const failed = inState('error')
  return (
    failed && actionFault(faultOf(childOf(failed.get('info.error'), 'fault')), api.host, method)
  )
}

/** What vSphere shows of a request. */
export async function isDone(
  request: SourceRequest,
  api: Api,
  ref: ObjectRef,
): Promise<RequestState> {
  const { name, data: { earlier } = {} } = request
  const ofTask = earlier === undefined ? undefined : await findTask(name, String(earlier), api, ref)
  if (ofTask !== undefined) return ofTask
  const shown = await readEffect(request, api, ref)
  // Requests of an earlier version do not tell their task from others, so that it may still run.
  return earlier === undefined && name.endsWith('_Task') && shown !== true ? undefined : shown
}

/** What the virtual machine shows of a request. */
async function readEffect(
  { name, data = {} }: SourceRequest,
  api: Api,
  ref: ObjectRef,
): Promise<RequestState> {
  const { remove } = data
  const paths = ['runtime.powerState', 'snapshot', devicesProperty]
  const [content] = await readObjects(api, { VirtualMachine: paths }, [ref])
  if (!content) return undefined
  const { properties } = content
  switch (name) {
    case 'PowerOffVM_Task':
      return properties.get('runtime.powerState')?.text !== 'poweredOn'
    case 'RemoveAllSnapshots_Task':
      return !properties.has('snapshot')
    case 'ReconfigVM_Task': {
      if (remove === undefined) return 'idle'
      const keys = new Set(String(remove).split(' '))
      return !createMachine(content).devices.some(({ key }) => keys.has(key))
    }
    default:
      return 'idle'
  }
}
