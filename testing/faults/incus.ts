import { incusKind } from '../../server/src/sources/incus/incus-kind.ts'
import {
  startFaultProxy,
  type ProxiedRequest,
} from '../../server/src/testing/inventory-world/fault-proxy.ts'
import type { Lifetime } from '../../server/src/testing/spawn-muster.ts'
import { startIncus } from '../incus/start.ts'
import type { Call, FaultyBackEnd, SourceServer } from './back-end.ts'
import { createHttpPort, cutArray } from './http-port.ts'

const statuses: Readonly<Record<string, string>> = {
  Running: 'running',
  Stopped: 'ready',
  Frozen: 'suspend',
}

interface Instance {
  readonly name: string
  readonly status: string
  readonly config: Readonly<Record<string, string>>
}

function callOf({ method, path, body }: ProxiedRequest): Call {
  const [place = '', query = ''] = path.split('?')
  const recursion = new URLSearchParams(query).get('recursion')
  const action = /"action":"(\w+)"/.exec(body)?.[1]
  const template = place
    .replace(/\/instances\/[^/]+/, '/instances/{name}')
    .replace(/[0-9a-f-]{36}/, '{id}')
  return {
    name: [method, template, recursion && `recursion=${recursion}`, action]
      .filter(Boolean)
      .join(' '),
    changes: method !== 'GET',
    content: `${place} ${body}`,
  }
}

/** A real Incus or LXD with containers. */
export async function startFaultyIncus(
  lifetime: Lifetime,
  product: 'incus' | 'lxd' = 'incus',
): Promise<FaultyBackEnd> {
  const incus = await startIncus({ product })
  const proxy = await startFaultProxy(lifetime, {
    upstream: incus.address.replace('unix://', 'unix:'),
  })
  const limits = ['--config', 'limits.cpu=1', '--config', 'limits.memory=64MiB']
  for (const name of ['one', 'two']) await incus.launch(name, ...limits)
  const other = await incus.launch('other', ...limits)
  await incus.run('stop', '--force', 'other')

  const list = async () => JSON.parse(await incus.run('list', '--format=json')) as Instance[]
  const uuidOf = ({ config }: Instance) => config['volatile.uuid'] ?? ''
  const nameOf = async (id: string) => (await list()).find((one) => uuidOf(one) === id)?.name ?? ''

  return {
    port: createHttpPort(proxy, callOf, cutArray),
    account: {
      provider: 'Incus',
      address: proxy.url,
      credentials: {},
      options: { projects: ['default'] },
    },
    actions: incusKind.acting?.actions ?? [],
    otherSize: { vcpu_count: 2 },
    otherFields: { disable_delete: false },
    parameters: { reset: { is_hard: true } },
    // A running container cannot be renamed.
    startsFrom: { update: 'ready' },
    isServerList: ({ name }) => name.startsWith('GET /1.0/instances recursion'),
    async create(name, status) {
      const id = await incus.launch(name, ...limits)
      if (status === 'ready') await incus.run('stop', '--force', name)
      if (status === 'suspend') await incus.run('pause', name)
      return id
    },
    async remove(id) {
      await incus.run('delete', '--force', await nameOf(id))
    },
    async renameOther(name) {
      await incus.run('rename', await nameOf(other), name)
      return other
    },
    async servers() {
      const found = new Map<string, SourceServer>()
      for (const one of await list()) {
        found.set(uuidOf(one), {
          name: one.name,
          status: statuses[one.status] ?? one.status,
          size: one.config['limits.cpu'] ?? '',
        })
      }
      return found
    },
    async restart() {
      await incus.kill()
      await incus.restart()
    },
    stop: () => incus.stop(),
  }
}
