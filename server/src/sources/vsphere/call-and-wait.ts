import { setTimeout as pause } from 'node:timers/promises'
import { ActionError } from '../../domain/sources/action-port.ts'
import { childOf } from '../shared/parse-xml.ts'
import { actionFault, toVSphereActionError } from './action-fault.ts'
import { readObjects } from './property-collector.ts'
import type { Api } from './session.ts'
import { faultOf, type ObjectRef } from './soap.ts'

/** Milliseconds between two readings of a task. */
const [firstInterval, longestInterval] = [100, 1_000]

/** Calls a method that changes an object and returns no task. */
export async function callMethod(
  api: Api,
  method: string,
  self: ObjectRef,
  parameters = '',
): Promise<void> {
  try {
    await api.call(method, self, parameters)
  } catch (error) {
    throw toVSphereActionError(error, api.host, method)
  }
}

/** Calls a method that changes an object, and waits for its task as long as the signal allows: a suspend takes minutes. */
export async function callAndWait(
  api: Api,
  method: string,
  self: ObjectRef,
  signal: AbortSignal,
  parameters = '',
): Promise<void | 'working'> {
  let task: ObjectRef
  try {
    task = await api.create(method, self, parameters)
  } catch (error) {
    throw toVSphereActionError(error, api.host, method)
  }
  for (let wait = firstInterval; ; wait = Math.min(wait * 2, longestInterval)) {
    const isFirst = wait === firstInterval
    const info = await readTask(api, method, task).catch((error: unknown) => {
      if (isFirst || !signal.aborted) throw error
    })
    if (!info) return 'working'
    const state = info.get('info.state')?.text
    if (state === 'success') return
    if (state === 'error')
      throw actionFault(faultOf(childOf(info.get('info.error'), 'fault')), api.host, method)
    await pause(wait, undefined, { signal }).catch(() => {})
    if (signal.aborted) return 'working'
  }
}

/** The task has begun, so any error leaves its outcome unknown. */
async function readTask(api: Api, method: string, task: ObjectRef) {
  try {
    const [found] = await readObjects(api, { Task: ['info.state', 'info.error'] }, [task])
    if (found) return found.properties
    throw new Error(`${api.host} does not return the task`)
  } catch (error) {
    throw new ActionError('outcome-unknown', `${api.host} does not tell how ${method} ended.`, {
      cause: error,
      isAnswer: false,
    })
  }
}
