import { derivedId } from '../../domain/sources/derived-id.ts'
import { booleanOf, numberOf, objectOf, textOf, type Json } from '../shared/json.ts'
import type { Daemon } from './daemon.ts'
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

export interface Image {
  readonly id: string
  readonly fingerprint: string
  readonly architecture: string
  readonly isVirtualMachine: boolean
  readonly bytes: number
  readonly properties: Json
}

/** What instances refer to. */
export interface Lookups {
  /** Undefined if they could not be listed. */
  readonly members: ReadonlyMap<string, Member> | undefined
  /** By the project that owns it and its name. */
  readonly networks: ReadonlyMap<string, Network>
  /** Owners of the networks of each project. */
  readonly networkProjects: ReadonlyMap<string, string>
  readonly images: readonly Image[]
  /** Owners of the images of each project. */
  readonly imageProjects: ReadonlyMap<string, string>
  readonly pools: Map<string, Pool>
  /** Custom volumes by pool, project and name. */
  readonly volumes: Map<string, Volume>
  readonly problems: Problems
  /** Of networks, images and volumes. */
  readonly budget: ListBudget
}

export interface Project {
  readonly name: string
  readonly config: Json
}

/** Projects without networks or images of their own use those of the project `default`. */
const ownersOf = (projects: readonly Project[], feature: string) =>
  new Map(
    projects.map(({ name, config }) => [
      name,
      textOf(config, feature) === 'true' ? name : 'default',
    ]),
  )

/** Each owner, with a project that shows what it owns. */
const byOwner = (owners: ReadonlyMap<string, string>) =>
  new Map([...owners].map(([project, owner]) => [owner, project]))

export const networkKey = (project: string, name: string): string => `${project}/${name}`

const pick = (json: Json, names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, textOf(json, name)]))

/** Projects can have different images with the same fingerprint, and tenants must not see each other's. */
export const imageIdOf = ({ fingerprint }: Daemon, owner: string, image: string): string =>
  derivedId('incus image', fingerprint, owner, image)

async function readImages(
  { api, daemon }: Connection,
  imageProjects: ReadonlyMap<string, string>,
  problems: Problems,
  budget: ListBudget,
): Promise<readonly Image[]> {
  const images: Image[] = []
  for (const [owner, project] of byOwner(imageProjects)) {
    const what = `images ${owner}`
    const list = async (action: string): Promise<readonly Image[]> => {
      const listed = await api.list('/images', { recursion: '1', project }, action)
      return listed.map((image) => ({
        id: imageIdOf(daemon, owner, textOf(image, 'fingerprint')),
        fingerprint: textOf(image, 'fingerprint'),
        architecture: textOf(image, 'architecture'),
        isVirtualMachine: textOf(image, 'type') === 'virtual-machine',
        bytes: numberOf(image, 'size'),
        properties: pick(objectOf(image, 'properties'), ['description', 'os', 'release']),
      }))
    }
    for (const image of (await readDetails(problems, api, what, 'list the images', list)) ?? [])
      if (budget.take(image, 'images')) images.push(image)
      else problems.unread.add(what)
  }
  return images
}

export async function readLookups(
  connection: Connection,
  projects: readonly Project[],
): Promise<Lookups> {
  const { api, daemon } = connection
  const problems = noProblems()
  const budget = new ListBudget()
  const networkProjects = ownersOf(projects, 'features.networks')
  const networks = new Map<string, Network>()
  for (const [owner, project] of byOwner(networkProjects)) {
    const what = `networks ${owner}`
    const list = async (action: string): Promise<readonly Network[]> => {
      const listed = await api.list('/networks', { recursion: '1', project }, action)
      return listed
        .filter((network) => booleanOf(network, 'managed'))
        .map((network) => ({
          id: derivedId('incus network', daemon.fingerprint, owner, textOf(network, 'name')),
          name: textOf(network, 'name'),
          status: textOf(network, 'status'),
          config: pick(objectOf(network, 'config'), ['ipv4.address', 'ipv4.dhcp.ranges', 'vlan']),
        }))
    }
    for (const network of (await readDetails(problems, api, what, 'list the networks', list)) ?? [])
      if (budget.take(network, 'networks')) networks.set(networkKey(owner, network.name), network)
      else problems.unread.add(what)
  }
  const imageProjects = ownersOf(projects, 'features.images')
  const images = await readImages(connection, imageProjects, problems, budget)
  const members = await readMembers(connection, problems)
  const [pools, volumes] = [new Map<string, Pool>(), new Map<string, Volume>()]
  return {
    members,
    networks,
    networkProjects,
    images,
    imageProjects,
    pools,
    volumes,
    problems,
    budget,
  }
}
