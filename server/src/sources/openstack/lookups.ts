import { SourceError } from '../../domain/sources/source-error.ts'
import type { DetailField } from '../../domain/sources/source.ts'
import { listOf, objectOf, textOf, type Json } from '../shared/json.ts'
import { ListBudget } from '../shared/list-budget.ts'
import type { ServiceName } from './catalog.ts'
import { embedsFlavor, type Compute } from './compute.ts'
import { pickUsed } from './used-fields.ts'

interface Table {
  readonly service: ServiceName
  readonly path: string
  readonly name: string
  /** The fields of servers that need the list. */
  readonly fields: readonly DetailField[]
}

const ofGroups = ['secgroups', 'security_rules'] as const
const ofAddress = ['eip', 'eip_mode'] as const
const ofImage = [
  'disks_info',
  'image',
  'image_id',
  'os_type',
  'os_name',
  'bios',
  'machine',
  'vga',
] as const
const ofFlavor = [
  'vcpu_count',
  'vmem_size',
  'instance_type',
  'flavor_id',
  'flavor_uuid',
  'is_gpu',
] as const

/** Lists that add details to servers. Servers can be read without each of them. */
const tables = {
  networks: {
    service: 'network',
    path: '/networks?limit=500',
    name: 'networks',
    fields: ['nics'],
  },
  subnets: { service: 'network', path: '/subnets?limit=500', name: 'subnets', fields: ['nics'] },
  ports: {
    service: 'network',
    path: '/ports?limit=500',
    name: 'ports',
    fields: ['nics', 'src_ip_check', ...ofAddress, ...ofGroups],
  },
  floating: {
    service: 'network',
    path: '/floatingips?limit=500',
    name: 'floatingips',
    fields: ofAddress,
  },
  groups: {
    service: 'network',
    path: '/security-groups?limit=200',
    name: 'security_groups',
    fields: ofGroups,
  },
  // A server that boots from a volume has its image from there.
  volumes: {
    service: 'volume',
    path: '/volumes/detail?limit=500',
    name: 'volumes',
    fields: ofImage,
  },
  images: { service: 'image', path: '/images?limit=100', name: 'images', fields: ofImage },
  flavors: {
    service: 'compute',
    path: '/flavors/detail?limit=500',
    name: 'flavors',
    fields: [...ofFlavor, 'disks_info', 'isolated_devices'],
  },
} as const satisfies Record<string, Table>
export type TableName = keyof typeof tables
const tableNames = Object.keys(tables) as TableName[]
/** What belongs to a single server is read again for each of them. */
const ofServers = ['ports', 'floating', 'volumes'] as const
const shared = tableNames.filter((table) => !(ofServers as readonly string[]).includes(table))
/** More servers than this are read like in a scan. */
const fewServers = 20

type Rows = ReadonlyMap<string, Json>
type Tables = Readonly<Record<TableName, Rows>>

export interface Lookups extends Tables {
  /** By server. */
  readonly portsOf: ReadonlyMap<string, readonly Json[]>
  /** By port. */
  readonly floatingOf: ReadonlyMap<string, Json>
  /** By network. */
  readonly subnetsOf: ReadonlyMap<string, readonly Json[]>
}

interface Response {
  readonly rows: Rows
  /** Why it lacks rows, if the list was too long. */
  readonly cut?: SourceError | undefined
}

/** The last response of each list, for when it fails. */
export type LookupCache = Map<TableName, Response>

export interface LoadedLookups {
  readonly lookups: Lookups
  /** Why details are missing: the requests that were denied. */
  readonly missing: readonly string[]
  /** Why details may be outdated, by list. */
  readonly failures: ReadonlyMap<TableName, SourceError>
  /** Why rows are absent, by list that was too long. */
  readonly cut: ReadonlyMap<TableName, SourceError>
}

interface Problems {
  readonly missing: string[]
  readonly failures: Map<TableName, SourceError>
  readonly cut: Map<TableName, SourceError>
}

const noProblems = (): Problems => ({ missing: [], failures: new Map(), cut: new Map() })

/** The fields of servers that need a list. */
export const fieldsOf = (table: TableName): readonly DetailField[] => tables[table].fields

/** In a stable order, because Neutron's order varies. */
const groupBy = (rows: Rows, field: string) =>
  Map.groupBy(
    [...rows.values()].sort((a, b) => (textOf(a, 'id') < textOf(b, 'id') ? -1 : 1)),
    (row) => textOf(row, field),
  )

/** Adds the ways in which servers refer to rows. */
export const indexTables = (loaded: Tables): Lookups => ({
  ...loaded,
  portsOf: groupBy(loaded.ports, 'device_id'),
  subnetsOf: groupBy(loaded.subnets, 'network_id'),
  floatingOf: new Map([...loaded.floating.values()].map((row) => [textOf(row, 'port_id'), row])),
})

const byId = (rows: readonly Json[]): Rows => new Map(rows.map((row) => [textOf(row, 'id'), row]))

/** Loads what servers refer to, from the other services of the region. */
export function createLookupLoader(compute: Compute, cache: LookupCache) {
  const { client, seesAllProjects, microversion } = compute

  async function read(
    table: TableName,
    query: string,
    signal: AbortSignal,
    budget = new ListBudget(),
  ): Promise<Response> {
    const { service, path, name } = tables[table]
    // Neutron and Glance show all projects by default.
    const all = service === 'volume' && seesAllProjects ? '&all_tenants=1' : ''
    const isPublic = table === 'flavors' && seesAllProjects ? '&is_public=None' : ''
    const request = {
      service,
      path: `${path}${all}${isPublic}${query}`,
      action: `list ${name.replaceAll('_', ' ')}`,
      ...(service === 'compute' && { microversion }),
    }
    const { rows, error } = await client.listUsed(request, name, budget, signal)
    return { rows: byId(rows), cut: error }
  }

  const isNeeded = async (table: TableName, signal: AbortSignal) =>
    table === 'flavors' ? !embedsFlavor(compute) : await client.has(tables[table].service, signal)

  /** A list that fails or is denied is replaced by its last response, so that details do not come and go. */
  async function attempt(
    table: TableName,
    load: () => Promise<Response>,
    { missing, failures, cut }: Problems,
    signal: AbortSignal,
  ): Promise<Rows> {
    if (!(await isNeeded(table, signal))) return new Map()
    try {
      cache.set(table, await load())
    } catch (error) {
      if (signal.aborted || !(error instanceof SourceError)) throw error
      const isDenied = error.kind === 'forbidden' || error.kind === 'not-allowed'
      if (isDenied) missing.push(`${tables[table].service}: list ${tables[table].name}`)
      else failures.set(table, error)
    }
    return useCached(table, cut)
  }

  function useCached(table: TableName, cut: Problems['cut']): Rows {
    const cached = cache.get(table)
    // What was not read must not look absent.
    if (cached?.cut) cut.set(table, cached.cut)
    return cached?.rows ?? new Map()
  }

  async function loadAll(signal: AbortSignal): Promise<LoadedLookups> {
    const problems = noProblems()
    const budget = new ListBudget()
    const entries = await Promise.all(
      tableNames.map(async (table) => [
        table,
        await attempt(table, () => read(table, '', signal, budget), problems, signal),
      ]),
    )
    return { lookups: indexTables(Object.fromEntries(entries) as Tables), ...problems }
  }

  /** The last response, with the rows of which a field has one of these ids as they are now. */
  async function readAgain(
    table: 'ports' | 'floating',
    field: string,
    ids: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<Response> {
    const last = cache.get(table)
    const others = [...(last?.rows ?? [])].filter(([, row]) => !ids.has(textOf(row, field)))
    const query = [...ids].map((id) => `&${field}=${id}`).join('')
    const own = ids.size === 0 ? undefined : await read(table, query, signal)
    return { rows: new Map([...others, ...(own?.rows ?? [])]), cut: last?.cut ?? own?.cut }
  }

  /** The last response, with the volumes of these servers as they are now. */
  async function readVolumes(servers: readonly Json[], signal: AbortSignal): Promise<Response> {
    const budget = new ListBudget()
    const found = await Promise.all(
      servers.flatMap(volumeIdsOf).map(async (id) => {
        const path = `/volumes/${id}`
        const request = { service: 'volume', path, action: 'read a volume', expected: 404 } as const
        const { json } = await client.send(request, signal)
        return pickUsed('volumes', objectOf(json, 'volume'), budget)
      }),
    )
    const rows = byId(found.filter((volume) => textOf(volume, 'id') !== ''))
    const last = cache.get('volumes')
    return { rows: new Map([...(last?.rows ?? []), ...rows]), cut: last?.cut }
  }

  /** Loads what a few servers need, as a scan would show it. */
  async function loadFor(servers: readonly Json[], signal: AbortSignal): Promise<LoadedLookups> {
    const areCached = await Promise.all(
      shared.map(async (table) => cache.has(table) || !(await isNeeded(table, signal))),
    )
    if (servers.length > fewServers || areCached.includes(false)) return await loadAll(signal)
    const problems = noProblems()
    const ids = new Set(servers.map((server) => textOf(server, 'id')))
    const readPorts = () => readAgain('ports', 'device_id', ids, signal)
    const ports = await attempt('ports', readPorts, problems, signal)
    const ownPorts = [...ports.values()].filter((port) => ids.has(textOf(port, 'device_id')))
    const portIds = new Set(ownPorts.map((port) => textOf(port, 'id')))
    const readFloating = () => readAgain('floating', 'port_id', portIds, signal)
    const floating = await attempt('floating', readFloating, problems, signal)
    const volumes = await attempt('volumes', () => readVolumes(servers, signal), problems, signal)
    const cached = shared.map((table) => [table, useCached(table, problems.cut)])
    const own = { ports, floating, volumes }
    const lookups = indexTables({ ...Object.fromEntries(cached), ...own } as Tables)
    return namesUnknown(lookups, problems.cut, ownPorts)
      ? await loadAll(signal)
      : { lookups, ...problems }
  }

  return { loadAll, loadFor }
}

/** Whether ports name a network or a group that was created after the last response. */
function namesUnknown(
  lookups: Lookups,
  cut: LoadedLookups['cut'],
  ports: readonly Json[],
): boolean {
  // A list that was cut would be cut again.
  const isUnknown = (table: 'networks' | 'groups', id: string) =>
    !cut.has(table) && lookups[table].size > 0 && !lookups[table].has(id)
  return ports.some(
    (port) =>
      isUnknown('networks', textOf(port, 'network_id')) ||
      groupIdsOf(port).some((id) => isUnknown('groups', id)),
  )
}

export const groupIdsOf = (port: Json): string[] =>
  Array.isArray(port['security_groups']) ? port['security_groups'].map(String) : []

export const volumeIdsOf = (server: Json): string[] =>
  listOf(server, 'os-extended-volumes:volumes_attached').map((volume) => textOf(volume, 'id'))

/** The length of the mask of a subnet; 0 if it is unknown. */
export const maskOf = (subnet: Json | undefined): number =>
  Number(textOf(subnet, 'cidr').split('/')[1] ?? 0)
