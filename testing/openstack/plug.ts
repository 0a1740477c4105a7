import type { ProxiedRequest } from '../../server/src/testing/inventory-world/fault-proxy.ts'
import type { HttpFaultSetup } from '../../server/src/testing/inventory-world/source-conformance.ts'
import type { SourceSettings } from '../../server/src/domain/sources/source.ts'
import type { TestOpenStack } from './start.ts'

/** The settings of a user of the domain Default. */
export const settingsOf = (
  address: string,
  username: string,
  options: SourceSettings['options'] = {},
): SourceSettings => ({
  address,
  credentials: { username, password: `${username}-password` },
  options,
})

/** Finds the service of a request by its path: all of them are behind one proxy. */
const upstreamOf =
  ({ ports }: TestOpenStack) =>
  ({ path }: ProxiedRequest): string => {
    const portOf = () => {
      if (path.startsWith('/v2.1')) return ports.nova
      if (path.startsWith('/v2.0')) return ports.network
      if (path.startsWith('/v2/')) return ports.image
      return /^\/v3\/[0-9a-f]{32}\//.test(path) ? ports.volume : ports.keystone
    }
    return `http://127.0.0.1:${portOf()}`
  }

/** Leads the endpoints of the catalog through the proxy. */
const rewriteFor =
  ({ ports }: TestOpenStack) =>
  (body: string, proxyUrl: string): string =>
    [ports.keystone, ports.nova, ports.network, ports.volume, ports.image].reduce(
      (text, port) => text.replaceAll(`http://127.0.0.1:${port}`, proxyUrl),
      body,
    )

const novaError = (status: number, name: string, headers = {}) => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ [name]: { code: status, message: 'no' } }),
})

/** How the kit breaks the connection to the back end. */
export const createPlug = (
  openstack: TestOpenStack,
  paging: HttpFaultSetup['paging'],
): HttpFaultSetup => ({
  upstream: upstreamOf(openstack),
  rewrite: rewriteFor(openstack),
  settingsAt: (url) => settingsOf(`${url}/v3`, 'demo'),
  listsServers: ({ path }) => path.startsWith('/v2.1/servers/detail'),
  withoutList: (body) => {
    const { servers: _, ...rest } = JSON.parse(body) as { servers?: unknown }
    return JSON.stringify(rest)
  },
  withWrongTotal: 'Nova sends no totals.',
  errors: {
    credentials: novaError(401, 'unauthorized'),
    expired: novaError(401, 'unauthorized'),
    forbidden: novaError(403, 'forbidden'),
    throttled: novaError(429, 'overLimit', { 'retry-after': '1' }),
  },
  renewsSession: true,
  paging,
})
