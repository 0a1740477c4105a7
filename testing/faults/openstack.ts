import { setTimeout as pause } from 'node:timers/promises'
import { openstackKind } from '../../server/src/sources/openstack/openstack-kind.ts'
import {
  startFaultProxy,
  type ProxiedRequest,
} from '../../server/src/testing/inventory-world/fault-proxy.ts'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'
import { callNova } from '../openstack/call-nova.ts'
import { createPlug } from '../openstack/plug.ts'
import { startOpenStack } from '../openstack/start.ts'
import type { Call, FaultyBackEnd, InitialStatus, SourceServer } from './back-end.ts'
import { createHttpPort, cutArray } from './http-port.ts'

/** What the compute service makes of the state of a task. */
const results: Readonly<Record<string, string>> = {
  'powering-off': 'stopped',
  'powering-on': 'active',
  rebooting: 'active',
  rebooting_hard: 'active',
  suspending: 'suspended',
  resuming: 'active',
}
const statuses: Readonly<Record<string, string>> = {
  active: 'running',
  stopped: 'ready',
  suspended: 'suspend',
}
const states: Readonly<Record<InitialStatus, string>> = {
  running: 'active',
  ready: 'stopped',
  suspend: 'suspended',
}

interface NovaServer {
  readonly id: string
  readonly name: string
  readonly 'OS-EXT-STS:vm_state': string
  readonly 'OS-EXT-STS:task_state': string | null
}

function callOf({ method, path, body }: ProxiedRequest): Call {
  const [place = ''] = path.split('?')
  const template = place.replaceAll(/\/[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}/g, '/{id}')
  const action = place.endsWith('/action') ? Object.keys(JSON.parse(body) as object)[0] : ''
  return {
    name: `${method} ${template} ${action}`.trim(),
    changes: method !== 'GET' && !place.endsWith('/auth/tokens'),
    content: `${place} ${body}`,
  }
}

/** Keystone and Nova without a compute service. This process ends in its place what Nova begins. */
export async function startFaultyOpenStack(lifetime: Lifetime): Promise<FaultyBackEnd> {
  const openstack = await startOpenStack()
  const plug = createPlug(openstack, 'Not needed here.')
  const proxy = await startFaultProxy(lifetime, plug)
  const add = (name: string, status: InitialStatus) =>
    openstack.add({ name, vm_state: states[status] })
  await add('one', 'running')
  await add('two', 'ready')
  const other = await add('other', 'running')

  const list = async () =>
    (
      await callNova<{ servers: NovaServer[] }>(openstack, {
        as: ['demo', 'demo'],
        method: 'GET',
        path: '/servers/detail',
      })
    ).servers

  const ending = new AbortController()
  async function compute(): Promise<void> {
    while (!ending.signal.aborted) {
      for (const one of await list().catch(() => [])) {
        const task = one['OS-EXT-STS:task_state'] ?? ''
        if (task === 'deleting') await openstack.order('delete', { server: one.id })
        const vm_state = results[task]
        if (vm_state === undefined) continue
        await openstack.order('change', { server: one.id, vm_state, task_state: null })
      }
      await pause(500)
    }
  }
  const computing = compute()

  return {
    port: createHttpPort(proxy, callOf, cutArray),
    account: { provider: 'OpenStack', ...plug.settingsAt(proxy.url) },
    // A resize needs a real compute service.
    actions: (openstackKind.acting?.actions ?? []).filter((action) => action !== 'change-config'),
    otherSize: {},
    parameters: { reset: { is_hard: true } },
    isServerList: ({ name }) => name === 'GET /v2.1/servers/detail',
    create: add,
    remove: (server) => openstack.order('delete', { server }),
    async renameOther(name) {
      await openstack.order('change', { server: other, display_name: name })
      return other
    },
    async servers() {
      const found = new Map<string, SourceServer>()
      for (const one of await list()) {
        const task = one['OS-EXT-STS:task_state']
        const status = statuses[one['OS-EXT-STS:vm_state']] ?? one['OS-EXT-STS:vm_state']
        found.set(one.id, { name: one.name, status: task ?? status, size: '' })
      }
      return found
    },
    async stop() {
      ending.abort()
      await computing
      await openstack.stop()
    },
  }
}
