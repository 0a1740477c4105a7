import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeVSphereConnection } from '../../testing/fake-vsphere-connection.ts'
import { parseXml } from '../shared/parse-xml.ts'
import type { Connection } from './connection.ts'
import { callSoap, hasEnded, SoapFault } from './soap.ts'
import { watchMachines } from './watch.ts'

const update = (kind: string, ids: readonly string[], isTruncated: boolean) =>
  `<r><returnval><version>1</version><filterSet>${ids
    .map(
      (id) =>
        `<objectSet><kind>${kind}</kind><obj type="VirtualMachine">${id}</obj><changeSet><name>config.instanceUuid</name><val>uuid-${id}</val></changeSet></objectSet>`,
    )
    .join('')}</filterSet><truncated>${isTruncated}</truncated></returnval></r>`

/** A vCenter whose machines do not exist any more, and which sends these updates. */
function connect(updates: readonly string[], destroyed: string[] = []): Connection {
  const waiting = [...updates]
  return fakeVSphereConnection({
    async call(method, _self, parameters = '') {
      if (method === 'WaitForUpdatesEx') return parseXml(waiting.shift() ?? '<r/>')
      if (parameters.includes('<obj type="VirtualMachine">'))
        throw new SoapFault('ManagedObjectNotFound', 'vc', method)
      return parseXml(
        '<r><returnval><objects><obj type="rootFolder">rootFolder</obj></objects></returnval></r>',
      )
    },
    async create(method) {
      if (method === 'CreateFilter' && updates.length === 0)
        throw new SoapFault('InvalidProperty', 'vc', method)
      return { type: method, id: method }
    },
    destroy: async (_method, { id }) => void destroyed.push(id),
  })
}

async function firstChange(...updates: readonly string[]) {
  const watch = watchMachines(connect(updates), 2_000, AbortSignal.timeout(5_000))
  assert.deepEqual((await watch.next()).value, { present: [], gone: [] })
  try {
    return (await watch.next()).value?.gone
  } finally {
    await watch.return(undefined)
  }
}
const all = update('enter', ['vm-1', 'vm-2', 'vm-3', 'vm-4', 'vm-5'], false)

test('a watch reports machines that leave', async () => {
  const gone = await firstChange(all, update('leave', ['vm-1', 'vm-2'], false))
  assert.deepEqual(gone, [
    ['vsphere', 'vc', 'uuid-vm-1'],
    ['vsphere', 'vc', 'uuid-vm-2'],
  ])
})

test('a watch fails if most machines leave at once, also in several parts', async () => {
  const parts = [update('leave', ['vm-1', 'vm-2'], true), update('leave', ['vm-3'], false)]
  await assert.rejects(firstChange(all, ...parts), { kind: 'incomplete' })
})

test('a watch fails if the updates have no end', async () => {
  const endless = Array.from({ length: 2_001 }, (_, index) =>
    update('enter', [`vm-${index}`], true),
  )
  const watch = watchMachines(connect(endless), 2_000, AbortSignal.timeout(20_000))
  await assert.rejects(watch.next(), { kind: 'incomplete' })
})

test('a watch leaves nothing in the session, also if it cannot begin', async () => {
  for (const updates of [[all], []]) {
    const destroyed: string[] = []
    const watch = watchMachines(connect(updates, destroyed), 2_000, AbortSignal.timeout(5_000))
    await (updates.length > 0 ? watch.next() : assert.rejects(watch.next()))
    await watch.return(undefined)
    assert.deepEqual(destroyed, ['CreatePropertyCollector', 'CreateContainerView'])
  }
})

test('a collector that vSphere does not know says that the session has ended', async () => {
  const body = Buffer.from(
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><s:Fault><detail><ManagedObjectNotFoundFault/></detail></s:Fault></s:Body></s:Envelope>',
  )
  const http = { send: async () => ({ status: 500, headers: {}, body }), close: () => {} }
  const self = { type: 'PropertyCollector', id: 'one' }
  const call = { method: 'WaitForUpdatesEx', self, parameters: '', cookie: '' }
  const error = await callSoap(http, new URL('https://vc/sdk'), call, AbortSignal.timeout(5_000))
    .then(() => undefined)
    .catch((thrown: unknown) => thrown)
  assert.ok(hasEnded(error))
  assert.match(String(error), /has ended the session/)
})
