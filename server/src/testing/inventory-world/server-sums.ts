import type { Server, ServerStatistics } from '@muster/contract'

type Sum = ServerStatistics['total']
type Group = ServerStatistics['groups'][string][number]

/** The number of servers and their sizes. */
export const sumOf = (servers: readonly Partial<Server>[]): Sum => {
  const add = (key: 'vcpu_count' | 'vmem_size' | 'disk') =>
    servers.reduce((sum, server) => sum + (server[key] ?? 0), 0)
  return {
    count: servers.length,
    vcpu_count: add('vcpu_count'),
    vmem_size: add('vmem_size'),
    disk: add('disk'),
  }
}

type Value = Group['value']

/** What a tag says, as decided: with a prefix that one, else the owner's, else the source's. */
function tagValue({ metadata = {} }: Partial<Server>, key: string): string | null {
  const keys = /^(user|ext|sys):/.test(key) ? [key] : [`user:${key}`, `ext:${key}`]
  const found = keys.find((each) => Object.hasOwn(metadata, each))
  return (found === undefined ? undefined : metadata[found]) ?? null
}

const valueOf = (server: Partial<Server>, name: string): Value =>
  name.startsWith('metadata.')
    ? tagValue(server, name.slice('metadata.'.length))
    : (server[name as keyof Server] as Value)

const order = (a: Group, b: Group) =>
  b.count - a.count || Buffer.compare(Buffer.from(String(a.value)), Buffer.from(String(b.value)))

/** The same groups from a whole list, biggest first. */
export function groupsOf(servers: readonly Partial<Server>[], name: string): Group[] {
  const groups = Map.groupBy(servers, (server) => valueOf(server, name))
  return [...groups].map(([value, members]) => ({ value, ...sumOf(members) })).sort(order)
}
