import { setTimeout as pause } from 'node:timers/promises'
import { openstackKind } from '../../server/src/sources/openstack/openstack-kind.ts'
import {
  startFaultProxy,
  type ProxiedRequest,
} from '../../server/src/testing/inventory-world/fault-proxy.ts'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'
import { callNova } from '../openstack/call-nova.ts'
import { createPlug } from '../openstack/plug.ts'
import { startOpenStack, type TestOpenStack } from '../openstack/start.ts'
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

const region = 'RegionOne'
const otherRegion = 'RegionTwo'
/** The endpoints of the regions differ by the name of the host only. */
const regionOf = ({ headers }: ProxiedRequest) =>
  headers.host?.startsWith('localhost') ? otherRegion : region

function callOf(request: ProxiedRequest): Call {
  const { method, path, body } = request
  const [place = ''] = path.split('?')
  const template = place.replaceAll(/\/[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}/g, '/{id}')
  const action = place.endsWith('/action') ? Object.keys(JSON.parse(body) as object)[0] : ''
  const isKeystone = /^\/v3(?!\/\{id\})/.test(template)
  const at = regionOf(request)
  return {
    name: [method, template, action, at === region ? '' : at].filter(Boolean).join(' '),
    changes: method !== 'GET' && !place.endsWith('/auth/tokens'),
    ...(!isKeystone && { place: at }),
    isHeartbeat: path.includes('changes-since='),
    content: `${at} ${place} ${body}`,
  }
}

/** Adds a region with the same services, by the catalog. */
async function addRegion({ keystone: { call }, ports }: TestOpenStack): Promise<void> {
  await call('POST', 'regions', { region: { id: otherRegion } })
  const { endpoints } = await call<{ endpoints: Endpoint[] }>('GET', 'endpoints')
  for (const { service_id, interface: kind, url } of endpoints) {
    if (url.includes(`:${ports.keystone}`) || url.includes(`:${ports.placement}`)) continue
    const endpoint = {
      service_id,
      interface: kind,
      region_id: otherRegion,
      url: url.replace('127.0.0.1', 'localhost'),
    }
    await call('POST', 'endpoints', { endpoint })
  }
}

interface Endpoint {
  readonly service_id: string
  readonly interface: string
  readonly url: string
}

/** Keystone and Nova with two regions and without a compute service. This process ends in its place what Nova begins. */
export async function startFaultyOpenStack(lifetime: Lifetime): Promise<FaultyBackEnd> {
  const openstack = await startOpenStack()
  await addRegion(openstack)
  const plug = createPlug(openstack, 'Not needed here.')
  /** The servers of the other region. One Nova has those of both. */
  const others = new Set<string>()
  const rewrite = (body: string, proxyUrl: string, request: ProxiedRequest) => {
    // The plug knows the endpoints of one region only.
    const marked = body.replaceAll('http://localhost:', 'other@http://127.0.0.1:')
    const text = plug.rewrite?.(marked, proxyUrl) ?? marked
    const answer = text.replaceAll('other@http://127.0.0.1:', 'http://localhost:')
    return plug.listsServers(request) ? withoutServers(answer, request) : answer
  }
  const withoutServers = (body: string, request: ProxiedRequest) => {
    const { servers, ...rest } = JSON.parse(body) as { servers?: NovaServer[] }
    const isHere = ({ id }: NovaServer) => others.has(id) === (regionOf(request) === otherRegion)
    return JSON.stringify({ ...rest, ...(servers && { servers: servers.filter(isHere) }) })
  }
  const proxy = await startFaultProxy(lifetime, { ...plug, rewrite })
  const add = (name: string, status: InitialStatus) =>
    openstack.add({ name, vm_state: states[status] })
  const first = await add('one', 'running')
  await add('two', 'ready')
  const other = await add('other', 'running')
  others.add(other).add(await add('second other', 'ready'))

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
    otherFields: { disable_delete: false },
    async createElsewhere(name) {
      const id = await add(name, 'running')
      others.add(id)
      return id
    },
    parameters: { reset: { is_hard: true } },
    isServerList: ({ name }) => name.startsWith('GET /v2.1/servers/detail'),
    create: add,
    remove: (server) => openstack.order('delete', { server }),
    async renameOther(name, place) {
      const server = place === otherRegion ? first : other
      await openstack.order('change', { server, display_name: name })
      return server
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
    restart: () => openstack.restartNova(),
    async stop() {
      ending.abort()
      await computing
      await openstack.stop()
    },
  }
}
