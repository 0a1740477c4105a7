import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ActionError } from '../../domain/sources/action-port.ts'
import { fakeVSphereConnection } from '../../testing/fake-vsphere-connection.ts'
import { parseXml } from '../shared/parse-xml.ts'
import { isDone } from './action-requests.ts'
import { callAndWait } from './call-and-wait.ts'

const machine = { type: 'VirtualMachine', id: 'vm-1' }

/** Suspends a machine. At the end of the signal nothing can be read any more. */
async function suspend(states: readonly string[], endsAfter: number) {
  const end = new AbortController()
  let reads = 0
  const { session } = fakeVSphereConnection({
    async call() {
      const state = states[reads]
      reads += 1
      if (reads >= endsAfter) end.abort()
      if (state === undefined) throw new Error('no answer')
      return parseXml(
        `<r><returnval><objects><obj type="Task">t</obj><propSet><name>info.state</name><val>${state}</val></propSet></objects></returnval></r>`,
      )
    },
    create: async () => ({ type: 'Task', id: 't' }),
  })
  return await callAndWait(session.until(end.signal), 'SuspendVM_Task', machine, end.signal)
}

test('a task of vSphere that takes longer than the signal is under way, if it was seen running', async () => {
  assert.equal(await suspend(['running', 'success'], 9), undefined)
  assert.equal(await suspend(['running'], 1), 'working')
  assert.equal(await suspend(['queued', 'running'], 3), 'working')
  await assert.rejects(suspend([], 1), { kind: 'outcome-unknown' })
  await assert.rejects(suspend(['running'], 9), { kind: 'outcome-unknown' })
})

/** What vSphere shows of a suspend, with these tasks of the machine. */
async function stateOf(tasks: readonly { id: string; method: string; state: string }[]) {
  const objects = tasks.map(
    ({ id, method, state }) =>
      `<objects><obj type="Task">${id}</obj>
        <propSet><name>info.descriptionId</name><val>VirtualMachine.${method}</val></propSet>
        <propSet><name>info.state</name><val>${state}</val></propSet>
        <propSet><name>info.error</name><val><fault xsi:type="NoDiskSpace"/></val></propSet></objects>`,
  )
  const recent = tasks.map(
    ({ id }) => `<ManagedObjectReference type="Task">${id}</ManagedObjectReference>`,
  )
  const ofMachine = `<objects><obj type="VirtualMachine">vm-1</obj><propSet><name>recentTask</name><val>${recent.join('')}</val></propSet></objects>`
  const { session } = fakeVSphereConnection({
    call: async (_method: string, _self: unknown, parameters = '') => {
      const found = objects.filter((_, at) => parameters.includes(`>${tasks[at]?.id}<`))
      return parseXml(
        `<r xmlns:xsi="x"><returnval>${found.length > 0 ? found.join('') : ofMachine}</returnval></r>`,
      )
    },
  })
  const request = { name: 'SuspendVM_Task', data: { earlier: 't1' } }
  return await isDone(request, session.until(new AbortController().signal), machine)
}

test('vSphere tells whether it works on a request, and why it has failed', async () => {
  const earlier = { id: 't1', method: 'suspend', state: 'success' }
  const other = { id: 't2', method: 'powerOn', state: 'running' }
  const own = (state: string) => ({ id: 't3', method: 'suspend', state })
  assert.equal(await stateOf([earlier, other]), 'idle')
  assert.equal(await stateOf([earlier, own('queued')]), 'working')
  assert.equal(await stateOf([earlier, own('running')]), 'working')
  assert.equal(await stateOf([earlier, own('success')]), true)
  const failed = await stateOf([earlier, own('error')])
  assert.ok(failed instanceof ActionError)
  assert.match(failed.message, /SuspendVM_Task.*NoDiskSpace/)
})
