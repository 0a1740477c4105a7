import {
  ActionError,
  type SourceCall,
  type SourceRequest,
} from '../../domain/sources/action-port.ts'
import { planDeletion } from './plan-deletion.ts'
import { readObjects } from './property-collector.ts'
import type { Api } from './session.ts'
import { escapeXml, refsOf, type ObjectRef } from './soap.ts'

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

/** The requests that are left for a call, each with the tasks before it, so that its own is found later. */
export async function planRequests(
  call: SourceCall,
  api: Api,
  ref: ObjectRef,
): Promise<readonly SourceRequest[]> {
  const requests = await requestsOf(call, api, ref)
  const earlier = (await recentTasks(api, ref)).map(({ id }) => id).join(' ')
  return requests.map((request) => ({ ...request, data: { ...request.data, earlier } }))
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

/** Such as `VirtualMachine.powerOff` for PowerOffVM_Task, and `VirtualMachine.reconfigure` for ReconfigVM_Task. */
const isOf = (method: string, descriptionId: string) =>
  descriptionId
    .replace(/^.*\./, '')
    .toLowerCase()
    .startsWith(method.replace(/(?:VM)?_Task$/, '').toLowerCase())

/** Whether the task of a request has ended well; undefined if it is not found, or still runs. */
export async function isDone(
  { name, data = {} }: SourceRequest,
  api: Api,
  ref: ObjectRef,
): Promise<boolean | undefined> {
  const earlier = new Set(String(data['earlier'] ?? '').split(' '))
  const later = (await recentTasks(api, ref)).filter(({ id }) => !earlier.has(id))
  if (later.length === 0) return undefined
  const tasks = await readObjects(api, { Task: ['info.descriptionId', 'info.state'] }, later)
  const states = tasks
    .filter(({ properties }) => isOf(name, properties.get('info.descriptionId')?.text ?? ''))
    .map(({ properties }) => properties.get('info.state')?.text)
  if (states.includes('success')) return true
  return states.length > 0 && states.every((state) => state === 'error') ? false : undefined
}
