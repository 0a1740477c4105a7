import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeVSphereConnection } from '../../testing/fake-vsphere-connection.ts'
import { parseXml } from '../shared/parse-xml.ts'
import { runTask } from './run-task.ts'

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
  return await runTask(session.until(end.signal), 'SuspendVM_Task', machine, end.signal)
}

test('a task of vSphere that takes longer than the signal is under way, if it was seen running', async () => {
  assert.equal(await suspend(['running', 'success'], 9), undefined)
  assert.equal(await suspend(['running'], 1), 'working')
  assert.equal(await suspend(['queued', 'running'], 3), 'working')
  await assert.rejects(suspend([], 1), { kind: 'outcome-unknown' })
  await assert.rejects(suspend(['running'], 9), { kind: 'outcome-unknown' })
})
