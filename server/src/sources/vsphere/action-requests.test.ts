import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeVSphereConnection } from '../../testing/fake-vsphere-connection.ts'
import { parseXml } from '../shared/parse-xml.ts'
import { isDone } from './action-requests.ts'

/** A virtual machine that is on and has no recent task. */
const api = fakeVSphereConnection({
  call: async () =>
    parseXml(
      `<Response><returnval><objects><obj type="VirtualMachine">vm-1</obj>
      <propSet><name>runtime.powerState</name><val>poweredOn</val></propSet></objects></returnval></Response>`,
    ),
}).session.until(AbortSignal.timeout(5_000))
const machine = { type: 'VirtualMachine', id: 'vm-1' }

test('a request of an earlier version may still run', async () => {
  for (const [name, now] of [
    ['SuspendVM_Task', 'idle'],
    ['PowerOffVM_Task', false],
  ] as const) {
    assert.equal(await isDone({ name, data: { earlier: '' } }, api, machine), now, name)
    assert.equal(await isDone({ name }, api, machine), undefined, name)
  }
})
