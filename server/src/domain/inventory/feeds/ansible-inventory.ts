import { maxFeedHosts, type Server } from '@muster/contract'
import type { Grouping } from '../server-query.ts'
import type { FeedFormat } from './feed-format.ts'
import { listFields, listTags } from './feed-values.ts'
import { createHostNamer, type HostOptions, type LeftOut } from './name-hosts.ts'

/** Names of groups are names of variables in Ansible. */
const toGroupName = (text: string) => text.replaceAll(/[^A-Za-z0-9_]/g, '_')

/** Values with other characters make no group, or different values would be in one. */
const groupValue = /^[A-Za-z0-9._ -]{1,100}$/

const prefixOf = (grouping: Grouping) =>
  toGroupName('field' in grouping ? `${grouping.field}_` : `tag_${grouping.metadataKey}_`)

function valueOf(server: Server, grouping: Grouping): string {
  if ('field' in grouping) return String(server[grouping.field] ?? '')
  const { metadata } = server
  const { metadataKey: key } = grouping
  return metadata[key] ?? metadata[`user:${key}`] ?? metadata[`ext:${key}`] ?? ''
}

interface Options extends HostOptions {
  readonly groups: readonly Grouping[]
}

/** What an inventory script of Ansible prints for `--list`. */
export function formatAnsibleInventory(options: Options): FeedFormat {
  const groupings = options.groups.map((grouping) => ({ grouping, prefix: prefixOf(grouping) }))
  // Ansible knows groups and hosts by the same names: `--limit` with a group must not match a host.
  const isGroupName = (alias: string) =>
    toGroupName(alias) === alias && groupings.some(({ prefix }) => alias.startsWith(prefix))
  const nameHost = createHostNamer(options, isGroupName)
  const groups = new Map<string, string[]>([['all', []]])
  const leftOut: Record<LeftOut, string[]> = { 'no address': [], name: [] }
  let separator = ''

  function addToGroup(name: string, alias: string): void {
    const hosts = groups.get(name)
    if (hosts) hosts.push(alias)
    else groups.set(name, [alias])
  }

  return {
    maxServers: maxFeedHosts,
    head: '{"_meta":{"hostvars":{',
    row(server) {
      const host = nameHost(server)
      if ('leftOut' in host) {
        leftOut[host.leftOut].push(server.id)
        return ''
      }
      const { alias, address } = host
      addToGroup('all', alias)
      for (const { grouping, prefix } of groupings) {
        const value = valueOf(server, grouping)
        if (groupValue.test(value)) addToGroup(prefix + toGroupName(value), alias)
      }
      const variables = {
        ansible_host: address,
        ...Object.fromEntries(listFields(server).map(([name, value]) => [`muster_${name}`, value])),
        muster_tags: Object.fromEntries(listTags(server)),
      }
      const text = `${separator}${JSON.stringify(alias)}:${JSON.stringify(variables)}`
      separator = ',\n'
      return text
    },
    *tail() {
      yield `},"left_out":${JSON.stringify(leftOut)}}`
      for (const [name, hosts] of groups) {
        yield `,\n${JSON.stringify(name)}:${JSON.stringify({ hosts })}`
      }
      yield '}\n'
    },
  }
}
