import { SourceError } from '../../domain/sources/source-error.ts'
import { listOf, objectOf, textOf, type Json } from '../shared/json.ts'
import { embedsFlavor, type Compute } from './compute.ts'
import type { ServiceName } from './service-client.ts'

/** Lists that add details to servers. Servers can be read without each of them. */
const tables = {
  networks: { service: 'network', path: '/networks?limit=500', name: 'networks' },
  subnets: { service: 'network', path: '/subnets?limit=500', name: 'subnets' },
  ports: { service: 'network', path: '/ports?limit=500', name: 'ports' },
  floating: { service: 'network', path: '/floatingips?limit=500', name: 'floatingips' },
  groups: { service: 'network', path: '/security-groups?limit=200', name: 'security_groups' },
  volumes: { service: 'volume', path: '/volumes/detail?limit=500', name: 'volumes' },
  images: { service: 'image', path: '/images?limit=100', name: 'images' },
  flavors: { service: 'compute', path: '/flavors/detail?limit=500', name: 'flavors' },
} as const satisfies Record<string, { service: ServiceName; path: string; name: string }>
export type TableName = keyof typeof tables
const tableNames = Object.keys(tables) as TableName[]
/** What belongs to a single server is read again for each of them. */
const ofServers: readonly TableName[] = ['ports', 'floating', 'volumes']
/** More servers than this are read like in a scan. */
const fewServers = 20

type Rows = ReadonlyMap<string, Json>
type Tables = Readonly<Record<TableName, Rows>>

export interface Lookups extends Tables {
  /** By server. */
  readonly portsOf: ReadonlyMap<string, readonly Json[]>
  /** By port. */
  readonly floatingOf: ReadonlyMap<string, Json>
}

/** The last answer of each list, for when it fails. One per account. */
export type LookupCache = Map<string, Rows>

interface LoadedLookups {
  readonly lookups: Lookups
  /** Why details are missing: the services that denied or failed a request. */
  readonly missing: readonly string[]
}

/** Adds the ways in which servers refer to rows. Neutron's order varies, so ports are sorted. */
function indexTables(loaded: Tables): Lookups {
  const ports = [...loaded.ports.values()].sort((a, b) =>
    textOf(a, 'id') < textOf(b, 'id') ? -1 : 1,
  )
  const floating = [...loaded.floating.values()].map(
    (row) => [textOf(row, 'port_id'), row] as const,
  )
  return {
    ...loaded,
    portsOf: Map.groupBy(ports, (port) => textOf(port, 'device_id')),
    floatingOf: new Map(floating),
  }
}

const byId = (rows: readonly Json[]): Rows => new Map(rows.map((row) => [textOf(row, 'id'), row]))

/** Loads what servers refer to, from the other services of the region. */
export function createLookupLoader(compute: Compute, projectId: string, cache: LookupCache) {
  const { client, seesAllProjects } = compute

  async function read(table: TableName, query: string, signal: AbortSignal): Promise<Json[]> {
    const { service, path, name } = tables[table]
    // Neutron and Glance show all projects without being asked.
    const all = service === 'volume' && seesAllProjects ? '&all_tenants=1' : ''
    const isPublic = table === 'flavors' && seesAllProjects ? '&is_public=None' : ''
    const action = `list ${name.replaceAll('_', ' ')}`
    const microversion = service === 'compute' ? { microversion: compute.microversion } : {}
    const request = { service, path: `${path}${all}${isPublic}${query}`, action, ...microversion }
    return await client.list(request, name, signal)
  }

  const keyOf = (table: TableName) => `${client.region} ${projectId} ${table}`

  const isNeeded = async (table: TableName, signal: AbortSignal) =>
    table === 'flavors' ? !embedsFlavor(compute) : await client.has(tables[table].service, signal)

  /** A failed list is replaced by its last answer, so that details do not come and go. */
  async function attempt(
    table: TableName,
    load: () => Promise<Rows>,
    missing: string[],
    signal: AbortSignal,
  ): Promise<Rows> {
    if (!(await isNeeded(table, signal))) return new Map()
    try {
      const rows = await load()
      cache.set(keyOf(table), rows)
      return rows
    } catch (error) {
      if (signal.aborted || !(error instanceof SourceError)) throw error
      const isDenied = error.kind === 'forbidden' || error.kind === 'not-allowed'
      const last = isDenied ? undefined : cache.get(keyOf(table))
      if (!last) missing.push(`${tables[table].service}: list ${tables[table].name}`)
      return last ?? new Map()
    }
  }

  async function loadAll(signal: AbortSignal): Promise<LoadedLookups> {
    const missing: string[] = []
    const rows = await Promise.all(
      tableNames.map((table) =>
        attempt(table, async () => byId(await read(table, '', signal)), missing, signal),
      ),
    )
    const entries = tableNames.map((table, at) => [table, rows[at]])
    return { lookups: indexTables(Object.fromEntries(entries) as Tables), missing }
  }

  /** Rows of the given servers, added to those of the last answer. */
  async function readFor(
    table: TableName,
    servers: readonly Json[],
    ports: Rows,
    signal: AbortSignal,
  ): Promise<Rows> {
    const last = cache.get(keyOf(table)) ?? new Map<string, Json>()
    const ids = new Set(servers.map((server) => textOf(server, 'id')))
    if (table === 'ports') {
      const query = [...ids].map((id) => `&device_id=${id}`).join('')
      const others = [...last].filter(([, port]) => !ids.has(textOf(port, 'device_id')))
      return new Map([...others, ...byId(await read(table, query, signal))])
    }
    if (table === 'floating') {
      const portIds = new Set(
        [...ports.values()]
          .filter((port) => ids.has(textOf(port, 'device_id')))
          .map((port) => textOf(port, 'id')),
      )
      const query = [...portIds].map((id) => `&port_id=${id}`).join('')
      const others = [...last].filter(([, row]) => !portIds.has(textOf(row, 'port_id')))
      const rows = portIds.size === 0 ? [] : await read(table, query, signal)
      return new Map([...others, ...byId(rows)])
    }
    const volumeIds = servers.flatMap((server) =>
      listOf(server, 'os-extended-volumes:volumes_attached').map((volume) => textOf(volume, 'id')),
    )
    const found = await Promise.all(
      volumeIds.map(async (id) => {
        const path = `/volumes/${id}`
        const request = { service: 'volume', path, action: 'read a volume', expected: 404 } as const
        return objectOf(await client.get(request, signal), 'volume')
      }),
    )
    const rows = byId(found.filter((volume) => textOf(volume, 'id') !== ''))
    return new Map([...last, ...rows])
  }

  /** Loads what a few servers need, as a scan would show it. */
  async function loadFor(servers: readonly Json[], signal: AbortSignal): Promise<LoadedLookups> {
    const isCached = (table: TableName) => cache.has(keyOf(table))
    const shared = tableNames.filter((table) => !ofServers.includes(table))
    const areCached = await Promise.all(
      shared.map(async (table) => isCached(table) || !(await isNeeded(table, signal))),
    )
    if (servers.length > fewServers || areCached.includes(false)) return await loadAll(signal)
    const missing: string[] = []
    const lookups: Partial<Record<TableName, Rows>> = {}
    for (const table of shared) lookups[table] = cache.get(keyOf(table)) ?? new Map()
    for (const table of ofServers) {
      const load = () => readFor(table, servers, lookups.ports ?? new Map(), signal)
      lookups[table] = await attempt(table, load, missing, signal)
    }
    const indexed = indexTables(lookups as Tables)
    return namesUnknown(indexed, servers) ? await loadAll(signal) : { lookups: indexed, missing }
  }

  return { loadAll, loadFor }
}

/** Whether servers name a network or a group that was created after the last answer. */
function namesUnknown({ portsOf, networks, groups }: Lookups, servers: readonly Json[]): boolean {
  const own = servers.flatMap((server) => portsOf.get(textOf(server, 'id')) ?? [])
  const isUnknown = (rows: Rows, id: string) => rows.size > 0 && !rows.has(id)
  return own.some(
    (port) =>
      isUnknown(networks, textOf(port, 'network_id')) ||
      groupIdsOf(port).some((id) => isUnknown(groups, id)),
  )
}

export const groupIdsOf = (port: Json): string[] =>
  Array.isArray(port['security_groups']) ? port['security_groups'].map(String) : []
