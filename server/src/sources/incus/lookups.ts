import { derivedId } from '../../domain/sources/derived-id.ts'
import { booleanOf, objectOf, textOf, type Json } from '../shared/json.ts'
import type { Connection } from './connection.ts'
import { readMembers, type Member } from './members.ts'
import { unlessDenied } from '../shared/unless-denied.ts'
import type { Pool, Volume } from './storage.ts'

export interface Network {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly config: Json
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
  /** Requests that the certificate does not allow, or that always fail. */
  readonly denied: Set<string>
}

export interface Project {
  readonly name: string
  readonly config: Json
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
