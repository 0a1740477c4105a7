import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { images, networks, securityGroups } from './world.ts'

/** A port of Neutron, with what Nova caches of its network. */
export interface StubPort {
  readonly id: string
  readonly device_id: string
  readonly network_id: string
  readonly network_name: string
  readonly mac_address: string
  readonly fixed_ips: readonly {
    readonly subnet_id: string
    readonly ip_address: string
    readonly cidr: string
    readonly gateway: string
  }[]
  readonly floating_ip?: string
  readonly security_groups: readonly string[]
}

interface StubVolume {
  readonly id: string
  readonly attachments: readonly { readonly server_id: string; readonly device: string }[]
}

/** What the stubs serve. Tests change it while they run. */
export interface StubState {
  readonly ports: Map<string, StubPort>
  readonly volumes: Map<string, StubVolume>
  /** Services that answer Muster with an error of this status. */
  readonly failing: Map<'network' | 'volume' | 'image', number>
}

type Rows = readonly Readonly<Record<string, unknown>>[]

const networkRows = networks.map(({ id, name, subnets }) => ({
  id,
  name,
  subnets: subnets.map((subnet) => subnet.id),
  status: 'ACTIVE',
  admin_state_up: true,
  shared: true,
  'router:external': false,
}))
const subnetRows = networks.flatMap(({ id, subnets }) =>
  subnets.map((subnet) => ({ ...subnet, network_id: id })),
)
const imageRows = images.map((image) => ({
  ...image,
  status: 'active',
  visibility: 'public',
  container_format: 'bare',
  disk_format: 'qcow2',
  size: 340_000_000,
  min_disk: 1,
  min_ram: 0,
  created_at: '2024-01-01T00:00:00Z',
  updated_at: '2024-01-01T00:00:00Z',
}))

/** Rows that match the query, one page of them. */
function pick(rows: Rows, query: URLSearchParams): Rows {
  const matching = ['id', 'name', 'device_id'].reduce(
    (left, name) =>
      query.has(name) ? left.filter((row) => query.getAll(name).includes(String(row[name]))) : left,
    rows,
  )
  const start = matching.findIndex(({ id }) => id === query.get('marker')) + 1
  return matching.slice(start, start + Number(query.get('limit') ?? 10_000))
}

function respond(response: import('node:http').ServerResponse, found: object | undefined): void {
  const body = JSON.stringify(found ?? { error: { code: 404, message: 'not part of the stub' } })
  response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' })
  response.end(body)
}

/** Serves the lists and single rows of one service. */
function serve(
  port: number,
  failure: () => number | undefined,
  tables: (kind: string) => Rows | undefined,
): Promise<Server> {
  const server = createServer((request, response) => {
    const status = failure()
    // Nova itself asks these services too, and cannot do without them.
    const isOurs = request.headers['user-agent'] === 'Muster'
    if (status !== undefined && isOurs) return void response.writeHead(status).end()
    const url = new URL(request.url ?? '', 'http://stub')
    const [, version, ...path] = url.pathname.replace(/\.json$/, '').split('/')
    // Paths of Cinder have the project before the kind.
    const [kind = '', id] =
      path[0] !== undefined && /^[0-9a-f]{32}$/.test(path[0]) ? path.slice(1) : path
    if (kind === '') {
      const links = [{ rel: 'self', href: `http://127.0.0.1:${port}/${version}/` }]
      return respond(response, { versions: [{ id: 'v2.0', status: 'CURRENT', links }] })
    }
    if (kind === 'schemas') {
      const names = Object.keys(imageRows[0] ?? {}).map((name) => [name, {}])
      return respond(response, { name: id, properties: Object.fromEntries(names) })
    }
    if (kind === 'quotas') return respond(response, { quota: { port: -1 } })
    const rows = tables(kind)
    const name = kind.replace('-', '_')
    if (!rows) return respond(response, undefined)
    if (id === undefined || id === 'detail') {
      return respond(response, { [name]: pick(rows, url.searchParams) })
    }
    const row = rows.find((each) => each['id'] === id)
    respond(response, row && (kind === 'images' ? row : { [name.slice(0, -1)]: row }))
  }).listen(port, '127.0.0.1')
  return once(server, 'listening').then(() => server)
}

/** Stubs of Neutron, Cinder and Glance: read-only, and they accept every token. */
export async function startStubs(
  ports: { readonly network: number; readonly volume: number; readonly image: number },
  state: StubState,
): Promise<{ stop(): void }> {
  const floating = () =>
    [...state.ports.values()].flatMap(({ id, floating_ip }) =>
      floating_ip === undefined
        ? []
        : [
            {
              id: `floating-${id}`,
              port_id: id,
              floating_ip_address: floating_ip,
              status: 'ACTIVE',
            },
          ],
    )
  const servers = await Promise.all([
    serve(
      ports.network,
      () => state.failing.get('network'),
      (kind) => {
        if (kind === 'networks') return networkRows
        if (kind === 'subnets') return subnetRows
        if (kind === 'security-groups') return securityGroups
        if (kind === 'floatingips') return floating()
        if (kind === 'ports') return [...state.ports.values()].map((port) => ({ ...port }))
        if (kind === 'extensions') return []
      },
    ),
    serve(
      ports.volume,
      () => state.failing.get('volume'),
      (kind) =>
        kind === 'volumes'
          ? [...state.volumes.values()].map((volume) => ({ ...volume }))
          : undefined,
    ),
    serve(
      ports.image,
      () => state.failing.get('image'),
      (kind) => (kind === 'images' ? imageRows : undefined),
    ),
  ])
  return {
    stop() {
      for (const server of servers) {
        server.close()
        server.closeAllConnections()
      }
    },
  }
}
