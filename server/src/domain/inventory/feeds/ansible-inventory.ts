import { maxFeedHosts } from '@muster/contract'
import type { Grouping } from '../server-list/server-query.ts'
import type { FeedFormat } from './feed-format.ts'
import { listFields, listTags } from './feed-values.ts'
import { createGroupNamer } from './name-groups.ts'
import { createHostNamer, type HostOptions, type LeftOut } from './name-hosts.ts'

/** Marks a text as one that Ansible must not run as a template. */
const markUnsafe = (text: string) => ({ __ansible_unsafe: text })

interface Options extends HostOptions {
  readonly groups: readonly Grouping[]
}

/** What an inventory script of Ansible prints for `--list`. */
export function formatAnsibleInventory(options: Options): FeedFormat {
  const { groupsOf, isGroupName } = createGroupNamer(options.groups)
  // Ansible knows groups and hosts by the same names: `--limit` with a group must not match a host.
  const nameHost = createHostNamer(options, isGroupName)
  const groups = new Map<string, string[]>([['all', []]])
  const leftOut: Record<LeftOut, string[]> = { no_address: [], name: [] }
  let separator = ''

  function addToGroup(name: string, alias: string): void {
    const hosts = groups.get(name)
    if (hosts) hosts.push(alias)
    else groups.set(name, [alias])
  }

  return {
    maxServers: maxFeedHosts,
    head: '{"_meta":{"hostvars":{',
    row(server, isShared) {
      const host = nameHost(server, isShared)
      if ('leftOut' in host) {
        leftOut[host.leftOut].push(server.id)
        return ''
      }
      const { alias, address } = host
      addToGroup('all', alias)
      for (const group of groupsOf(server)) addToGroup(group, alias)
      const fields = listFields(server).map(
        ([name, value]) => [`muster_${name}`, markUnsafe(value)] as const,
      )
      const tags = listTags(server).map(([key, value]) => [key, markUnsafe(value)] as const)
      const variables = {
        ansible_host: address,
        ...Object.fromEntries(fields),
        muster_tags: Object.fromEntries(tags),
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
