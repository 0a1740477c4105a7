import { vsphereKind } from '../../server/src/sources/vsphere/vsphere-kind.ts'
import {
  startFaultProxy,
  type ProxiedRequest,
} from '../../server/src/testing/inventory-world/fault-proxy.ts'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'
import { startVcsim } from '../vsphere/start.ts'
import { openVcsimClient } from '../vsphere/vcsim-client.ts'
import type { Call, FaultyBackEnd, SourceServer } from './back-end.ts'
import { createHttpPort, cutElements, type CutList } from './http-port.ts'

const statuses: Readonly<Record<string, string>> = {
  poweredOn: 'running',
  poweredOff: 'ready',
  suspended: 'suspend',
}

function callOf({ method, path, body }: ProxiedRequest): Call {
  const soap = /<(?:\w+:)?Body><(\w+)/.exec(body)?.[1]
  if (soap === undefined) {
    const name = `${method} ${path.split('?')[0]}`
    return { name, changes: false, content: `${name} ${body}` }
  }
  // Requests for properties differ by what they read.
  const type = /<propSet><type>(\w+)</.exec(body)?.[1] ?? ''
  return {
    name: `${soap} ${type}`.trim(),
    changes: /_Task$|Guest$|^UnregisterVM$/.test(soap),
    isOptional: /^(?:Destroy(?!_Task)|Cancel|Logout|WaitForUpdates)/.test(soap),
    content: body,
  }
}

/** The list of a view is a property of one object. Other lists are several objects. */
const cutList: CutList = (body, keep) => {
  const element = body.includes('<name>view</name>') ? 'ManagedObjectReference' : 'objects'
  return body.includes(`<${element}`)
    ? cutElements(body, element, [0, body.length], keep)
    : undefined
}

/** vSphere as vcsim simulates it. */
export async function startFaultyVSphere(lifetime: Lifetime): Promise<FaultyBackEnd> {
  const vcsim = await startVcsim({ vms: 2 })
  const client = await openVcsimClient(vcsim)
  const proxy = await startFaultProxy(lifetime, { upstream: vcsim.url })
  const other = await client.create('other')

  return {
    port: createHttpPort(proxy, callOf, cutList),
    account: { provider: 'VMware', ...vcsim.settings, address: proxy.url, options: {} },
    actions: vsphereKind.acting?.actions ?? [],
    otherSize: { vcpu_count: 2 },
    disks: { create: (name) => client.create(name) },
    // No VMware Tools run in machines of vcsim.
    parameters: { restart: { is_force: true }, reset: { is_hard: true } },
    isServerList: ({ name }) =>
      /^RetrievePropertiesEx (?:VirtualMachine|ContainerView)$/.test(name),
    async create(name, status) {
      const id = await client.create(name)
      if (status === 'ready') await client.stop(id)
      if (status === 'suspend') await client.onMachine('SuspendVM', id)
      return id
    },
    remove: (id) => client.remove(id),
    async renameOther(name) {
      await client.rename(other, name)
      return other
    },
    async servers() {
      const found = new Map<string, SourceServer>()
      // The summary has the name before a change.
      const paths = ['name', 'config.instanceUuid', 'runtime.powerState', 'config.hardware.numCPU']
      for (const value of await client.propertiesOfAll('VirtualMachine', paths)) {
        found.set(value('config.instanceUuid'), {
          name: value('name'),
          status: statuses[value('runtime.powerState')] ?? '',
          size: value('config.hardware.numCPU'),
        })
      }
      return found
    },
    stop: () => vcsim.stop(),
  }
}
