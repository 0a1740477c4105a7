import { derivedId } from '../../domain/sources/derived-id.ts'
import { booleanOf, objectOf, textOf, type Json } from '../shared/json.ts'
import type { Connection } from './connection.ts'
import { readMembers, type Member } from './members.ts'
import { ListBudget } from '../shared/list-budget.ts'
import { noProblems, readDetails, type Problems } from './problems.ts'
import type { Pool, Volume } from './storage.ts'

export interface Network {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly config: Json
}

/** What instances refer to. */
export interface Lookups {
  /** Undefined if they could not be listed. */
  readonly members: ReadonlyMap<string, Member> | undefined
  /** By the project that owns it and its name. */
  readonly networks: ReadonlyMap<string, Network>
  /** Owners of the networks of each project. */
  readonly networkProjects: ReadonlyMap<string, string>
  readonly pools: Map<string, Pool>
  /** Custom volumes by pool, project and name. */
  readonly volumes: Map<string, Volume>
  readonly problems: Problems
  /** Of networks and volumes. */
  readonly budget: ListBudget
}

export interface Project {
  readonly name: string
  readonly config: Json
}

/** Projects without networks of their own use those of the project `default`. */
const networkProjectOf = ({ name, config }: Project) =>
  textOf(config, 'features.networks') === 'true' ? name : 'default'

export const networkKey = (project: string, name: string): string => `${project}/${name}`

/** The entries that are used. */
const pickConfig = (config: Json): Json =>
  Object.fromEntries(
    ['ipv4.address', 'ipv4.dhcp.ranges', 'vlan'].map((name) => [name, textOf(config, name)]),
  )

export async function readLookups(
  connection: Connection,
  projects: readonly Project[],
): Promise<Lookups> {
  const { api, daemon } = connection
  const problems = noProblems()
  const budget = new ListBudget()
  const networkProjects = new Map(
    projects.map((project) => [project.name, networkProjectOf(project)]),
  )
  const owners = new Map([...networkProjects].map(([project, owner]) => [owner, project]))
  const networks = new Map<string, Network>()
  for (const [owner, project] of owners) {
    const what = `networks ${owner}`
    const list = async (action: string): Promise<readonly Network[]> => {
      const listed = await api.list('/networks', { recursion: '1', project }, action)
      return listed
        .filter((network) => booleanOf(network, 'managed'))
        .map((network) => ({
          id: derivedId('incus network', daemon.fingerprint, owner, textOf(network, 'name')),
          name: textOf(network, 'name'),
          status: textOf(network, 'status'),
          config: pickConfig(objectOf(network, 'config')),
        }))
    }
    for (const network of (await readDetails(problems, api, what, 'list the networks', list)) ?? [])
      if (budget.take(network, 'networks')) networks.set(networkKey(owner, network.name), network)
      else problems.unread.add(what)
  }
  const members = await readMembers(connection, problems)
  const [pools, volumes] = [new Map<string, Pool>(), new Map<string, Volume>()]
  return { members, networks, networkProjects, pools, volumes, problems, budget }
}
