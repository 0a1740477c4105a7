import { listOf, numberOf, objectOf, textOf, type Json } from '../shared/json.ts'
import type { Connection } from './connection.ts'
import { readDetails, type Problems } from './problems.ts'

/** Unknown texts are empty, unknown numbers 0. */
export interface Resources {
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

/** Resources hardly ever change, and reading them takes long. Milliseconds. */
const maxResourcesAge = 600_000

const noResources: Resources = { cpuCount: 0, cpuModel: '', memory: 0, serial: '', readAt: 0 }

async function readResources(
  { api, daemon, clock, memory }: Connection,
  problems: Problems,
  { name, status }: Pick<Member, 'name' | 'status'>,
): Promise<Resources> {
  const known = memory.resources.get(name)
  if (known && clock() - known.readAt < maxResourcesAge) return known
  if (status !== 'Online' && status !== 'Evacuated') return known ?? noResources
  const target = daemon.isClustered ? { target: name } : {}
  const read = async (action: string): Promise<Resources> => {
    const resources = await api.get('/resources', target, action)
    const cpu = objectOf(resources, 'cpu')
    return {
      cpuCount: numberOf(cpu, 'total'),
      cpuModel: textOf(listOf(cpu, 'sockets')[0], 'name'),
      memory: numberOf(objectOf(resources, 'memory'), 'total'),
      serial: textOf(objectOf(resources, 'system'), 'serial'),
      readAt: clock(),
    }
  }
  const what = `resources ${name}`
  const found = await readDetails(problems, api, what, 'read the resources', read)
  if (found) memory.resources.set(name, found)
  return found ?? known ?? noResources
}

const describeMember = (member: Json): Omit<Member, keyof Resources> => ({
  name: textOf(member, 'server_name'),
  status: textOf(member, 'status'),
  address: textOf(member, 'url'),
  failureDomain: textOf(member, 'failure_domain'),
})

/** Undefined if the certificate may not list them, or if the request fails. */
export async function readMembers(
  connection: Connection,
  problems: Problems,
): Promise<ReadonlyMap<string, Member> | undefined> {
  const { api, daemon } = connection
  const list = async (action: string) =>
    (await api.list('/cluster/members', { recursion: '1' }, action)).map(describeMember)
  const members = daemon.isClustered
    ? await readDetails(problems, api, 'members', 'list the cluster members', list)
    : [describeMember({ server_name: daemon.serverName, status: 'Online' })]
  if (!members) return undefined
  const read = await Promise.all(
    members.map(async (member) => ({
      ...(await readResources(connection, problems, member)),
      ...member,
    })),
  )
  return new Map(read.map((member) => [member.name, member]))
}
