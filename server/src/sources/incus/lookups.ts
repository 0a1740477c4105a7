import { derivedId } from '../../domain/sources/derived-id.ts'
import { booleanOf, listOf, numberOf, objectOf, textOf, type Json } from '../shared/json.ts'
import { unless, type Api } from './api.ts'
import type { Connection } from './connection.ts'
import type { Instance } from './instance.ts'
import { encodeName, isName } from './names.ts'
import { bytesOf } from './sizes.ts'

/** A cluster member, or the only host. Unknown texts are empty, unknown numbers 0. */
export interface Member {
  readonly name: string
  /** `Online`, `Offline`, `Evacuated`, `Blocked`, … */
  readonly status: string
  readonly address: string
  readonly failureDomain: string
  readonly cpuCount: number
  readonly cpuModel: string
  /** Bytes. */
  readonly memory: number
  readonly serial: string
  /** When its resources were read, in milliseconds. */
  readonly readAt: number
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
}

export interface Project {
  readonly name: string
  readonly config: Json
}

/** A member may go offline between two requests. */
const failures = ['forbidden', 'failed', 'timeout'] as const

/** Resources hardly ever change, and reading them takes long. Milliseconds. */
const maxResourcesAge = 600_000

async function readMember(
  { api, daemon, clock }: Connection,
  about: Pick<Member, 'name' | 'status' | 'address' | 'failureDomain'>,
  /** Used while the member does not answer. */
  before: Member | undefined,
): Promise<Member> {
  if (before && clock() - before.readAt < maxResourcesAge) return { ...before, ...about }
  const target = daemon.isClustered ? { target: about.name } : {}
  const isOnline = about.status === 'Online' || about.status === 'Evacuated'
  const resources = isOnline
    ? await unless(failures, api.get('/resources', target, 'read the resources'))
    : undefined
  if (!resources && before) return { ...before, ...about }
  const cpu = objectOf(resources, 'cpu')
  return {
    ...about,
    cpuCount: numberOf(cpu, 'total'),
    cpuModel: textOf(listOf(cpu, 'sockets')[0], 'name'),
    memory: numberOf(objectOf(resources, 'memory'), 'total'),
    serial: textOf(objectOf(resources, 'system'), 'serial'),
    readAt: resources ? clock() : 0,
  }
}

async function readMembers(
  connection: Connection,
  before: Lookups | undefined,
): Promise<ReadonlyMap<string, Member> | undefined> {
  const { api, daemon } = connection
  const members = daemon.isClustered
    ? await unless(
        ['forbidden'],
        api.list('/cluster/members', { recursion: '1' }, 'list the cluster members'),
      )
    : [{ server_name: daemon.serverName, status: 'Online' }]
  if (!members) return undefined
  const read = await Promise.all(
    members.map((member: Json) => {
      const about = {
        name: textOf(member, 'server_name'),
        status: textOf(member, 'status'),
        address: textOf(member, 'url'),
        failureDomain: textOf(member, 'failure_domain'),
      }
      return readMember(connection, about, before?.members?.get(about.name))
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
  const { api, daemon, memory } = connection
  const networkProjects = new Map(
    projects.map((project) => [project.name, networkProjectOf(project)]),
  )
  const owners = new Map([...networkProjects].map(([project, owner]) => [owner, project]))
  const networks = new Map<string, Network>()
  for (const [owner, project] of owners) {
    const found = await unless(
      ['forbidden'],
      api.list('/networks', { recursion: '1', project }, 'list the networks'),
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
  const members = await readMembers(connection, memory.lookups)
  return { members, networks, networkProjects, pools: new Map(), volumes: new Map() }
}

export const volumeKey = (pool: string, project: string, name: string): string =>
  [pool, project, name].join('/')

/** Reads the storage that the instances use, unless it is known. */
export async function readStorage(
  api: Api,
  lookups: Lookups,
  instances: readonly Instance[],
): Promise<void> {
  const disks = instances.flatMap(({ project, devices }) =>
    devices
      .filter(([, { type, pool = '' }]) => type === 'disk' && pool !== '')
      .map(([, { pool = '', source = '' }]) => ({ project, pool, source })),
  )
  for (const name of new Set(disks.map(({ pool }) => pool))) {
    if (lookups.pools.has(name) || !isName(name)) continue
    const pool = await unless(
      failures,
      api.find(`/storage-pools/${encodeName(name)}`, {}, 'read a storage pool'),
    )
    lookups.pools.set(name, {
      driver: textOf(pool, 'driver'),
      defaultBytes: bytesOf(textOf(objectOf(pool, 'config'), 'volume.size')),
    })
  }
  const unknown = disks.filter(
    ({ pool, project, source }) =>
      source !== '' && isName(pool) && !lookups.volumes.has(volumeKey(pool, project, source)),
  )
  const places = new Map(
    unknown.map(({ pool, project }) => [`${pool}/${project}`, { pool, project }]),
  )
  for (const { pool, project } of places.values()) {
    const path = `/storage-pools/${encodeName(pool)}/volumes/custom`
    const volumes = await unless(
      failures,
      api.list(path, { recursion: '1', project }, 'list the storage volumes'),
    )
    for (const volume of volumes ?? []) {
      lookups.volumes.set(volumeKey(pool, project, textOf(volume, 'name')), {
        bytes: bytesOf(textOf(objectOf(volume, 'config'), 'size')),
        isIso: textOf(volume, 'content_type') === 'iso',
      })
    }
  }
}
