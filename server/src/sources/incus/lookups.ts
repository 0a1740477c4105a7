import { derivedId } from '../../domain/sources/derived-id.ts'
import { booleanOf, listOf, numberOf, objectOf, textOf, type Json } from '../shared/json.ts'
import type { Connection } from './connection.ts'
import type { Instance } from './instance.ts'
import { encodeName, isName } from './names.ts'
import { readOrRecall, unlessDenied } from './optional-reads.ts'
import { bytesOf } from './sizes.ts'

/** Unknown texts are empty, unknown numbers 0. */
interface Resources {
  readonly cpuCount: number
  readonly cpuModel: string
  /** Bytes. */
  readonly memory: number
  readonly serial: string
  /** In milliseconds. */
  readonly readAt: number
}

/** A cluster member, or the only host. */
export interface Member extends Resources {
  readonly name: string
  /** `Online`, `Offline`, `Evacuated`, `Blocked`, … */
  readonly status: string
  readonly address: string
  readonly failureDomain: string
}

export interface Network {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly config: Json
}

interface Volume {
  readonly bytes: number
  readonly isIso: boolean
}

interface Pool {
  readonly driver: string
  /** The size of volumes without one. */
  readonly defaultBytes: number
}

/** The last results, for requests that fail. */
export class KnownDetails {
  /** By cluster member. */
  readonly resources = new Map<string, Resources>()
  readonly pools = new Map<string, Pool>()
  /** Custom volumes by name, by pool and project. */
  readonly volumes = new Map<string, ReadonlyMap<string, Volume>>()
}

/** What instances refer to. */
export interface Lookups {
  /** Undefined if the certificate may not list them. */
  readonly members: ReadonlyMap<string, Member> | undefined
  /** By the project that owns it and its name. */
  readonly networks: ReadonlyMap<string, Network>
  /** Owners of the networks of each project. */
  readonly networkProjects: ReadonlyMap<string, string>
  readonly pools: Map<string, Pool>
  /** Custom volumes by pool, project and name. */
  readonly volumes: Map<string, Volume>
  /** Requests that the certificate does not allow. */
  readonly denied: Set<string>
}

export interface Project {
  readonly name: string
  readonly config: Json
}

/** Resources hardly ever change, and reading them takes long. Milliseconds. */
const maxResourcesAge = 600_000

const noResources: Resources = { cpuCount: 0, cpuModel: '', memory: 0, serial: '', readAt: 0 }

async function readResources(
  { api, daemon, clock, memory: { details } }: Connection,
  denied: Set<string>,
  { name, status }: Pick<Member, 'name' | 'status'>,
): Promise<Resources> {
  const known = details.resources.get(name)
  if (known && clock() - known.readAt < maxResourcesAge) return known
  if (status !== 'Online' && status !== 'Evacuated') return known ?? noResources
  const target = daemon.isClustered ? { target: name } : {}
  const place = [details.resources, name] as const
  const read = await readOrRecall(place, denied, 'read the resources', async (action) => {
    const resources = await api.get('/resources', target, action)
    const cpu = objectOf(resources, 'cpu')
    return {
      cpuCount: numberOf(cpu, 'total'),
      cpuModel: textOf(listOf(cpu, 'sockets')[0], 'name'),
      memory: numberOf(objectOf(resources, 'memory'), 'total'),
      serial: textOf(objectOf(resources, 'system'), 'serial'),
      readAt: clock(),
    }
  })
  return read ?? noResources
}

async function readMembers(
  connection: Connection,
  denied: Set<string>,
): Promise<ReadonlyMap<string, Member> | undefined> {
  const { api, daemon } = connection
  const members = daemon.isClustered
    ? await unlessDenied(denied, 'list the cluster members', (action) =>
        api.list('/cluster/members', { recursion: '1' }, action),
      )
    : [{ server_name: daemon.serverName, status: 'Online' }]
  if (!members) return undefined
  const read = await Promise.all(
    members.map(async (member: Json) => {
      const about = {
        name: textOf(member, 'server_name'),
        status: textOf(member, 'status'),
        address: textOf(member, 'url'),
        failureDomain: textOf(member, 'failure_domain'),
      }
      return { ...(await readResources(connection, denied, about)), ...about }
    }),
  )
  return new Map(read.map((member) => [member.name, member]))
}

/** Projects without networks of their own use those of the project `default`. */
const networkProjectOf = ({ name, config }: Project) =>
  textOf(config, 'features.networks') === 'true' ? name : 'default'

export const networkKey = (project: string, name: string): string => `${project}/${name}`

export async function readLookups(
  connection: Connection,
  projects: readonly Project[],
): Promise<Lookups> {
  const { api, daemon } = connection
  const denied = new Set<string>()
  const networkProjects = new Map(
    projects.map((project) => [project.name, networkProjectOf(project)]),
  )
  const owners = new Map([...networkProjects].map(([project, owner]) => [owner, project]))
  const networks = new Map<string, Network>()
  for (const [owner, project] of owners) {
    const found = await unlessDenied(denied, 'list the networks', (action) =>
      api.list('/networks', { recursion: '1', project }, action),
    )
    for (const network of found ?? []) {
      const name = textOf(network, 'name')
      if (!booleanOf(network, 'managed')) continue
      networks.set(networkKey(owner, name), {
        id: derivedId('incus network', daemon.fingerprint, owner, name),
        name,
        status: textOf(network, 'status'),
        config: objectOf(network, 'config'),
      })
    }
  }
  const members = await readMembers(connection, denied)
  return { members, networks, networkProjects, pools: new Map(), volumes: new Map(), denied }
}

export const volumeKey = (pool: string, project: string, name: string): string =>
  [pool, project, name].join('/')

const readVolume = (volume: Json): Volume => ({
  bytes: bytesOf(textOf(objectOf(volume, 'config'), 'size')),
  isIso: textOf(volume, 'content_type') === 'iso',
})

/** Reads the storage that the instances use, unless it is known. */
export async function readStorage(
  { api, memory: { details } }: Connection,
  lookups: Lookups,
  instances: readonly Instance[],
): Promise<void> {
  const { denied } = lookups
  const disks = instances.flatMap(({ project, devices }) =>
    devices
      .filter(([, { type, pool = '' }]) => type === 'disk' && pool !== '')
      .map(([, { pool = '', source = '' }]) => ({ project, pool, source })),
  )
  for (const name of new Set(disks.map(({ pool }) => pool))) {
    if (lookups.pools.has(name) || !isName(name)) continue
    const place = [details.pools, name] as const
    const found = await readOrRecall(place, denied, 'read a storage pool', async (action) => {
      const pool = await api.get(`/storage-pools/${encodeName(name)}`, {}, action)
      return {
        driver: textOf(pool, 'driver'),
        defaultBytes: bytesOf(textOf(objectOf(pool, 'config'), 'volume.size')),
      }
    })
    lookups.pools.set(name, found ?? { driver: '', defaultBytes: 0 })
  }
  const unknown = disks.filter(
    ({ pool, project, source }) =>
      source !== '' && isName(pool) && !lookups.volumes.has(volumeKey(pool, project, source)),
  )
  const places = new Map(
    unknown.map(({ pool, project }) => [`${pool}/${project}`, { pool, project }]),
  )
  for (const [key, { pool, project }] of places) {
    const path = `/storage-pools/${encodeName(pool)}/volumes/custom`
    const place = [details.volumes, key] as const
    const found = await readOrRecall(place, denied, 'list the storage volumes', async (action) => {
      const volumes = await api.list(path, { recursion: '1', project }, action)
      return new Map(volumes.map((volume) => [textOf(volume, 'name'), readVolume(volume)]))
    })
    for (const [name, volume] of found ?? []) {
      lookups.volumes.set(volumeKey(pool, project, name), volume)
    }
  }
}
