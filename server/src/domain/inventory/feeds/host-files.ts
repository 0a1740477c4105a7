import { maxFeedHosts } from '@muster/contract'
import type { FeedFormat } from './feed-format.ts'
import { createHostNamer, type HostOptions, type LeftOut } from './name-hosts.ts'

const reasons: Readonly<Record<LeftOut, string>> = {
  'no address': 'no such address',
  name: 'the name cannot be a host name',
}

/** A text file with a part for each host. Servers that are left out are comments. */
function formatHosts(
  options: HostOptions,
  renderHost: (alias: string, address: string) => string,
): FeedFormat {
  const nameHost = createHostNamer(options)
  return {
    maxServers: maxFeedHosts,
    head: '# Made by Muster. Changes are lost.\n',
    row(server, isShared) {
      const host = nameHost(server, isShared)
      if ('leftOut' in host) return `# server ${server.id} is left out: ${reasons[host.leftOut]}\n`
      return renderHost(host.alias, host.address)
    },
  }
}

export const formatSshConfig = (options: HostOptions): FeedFormat =>
  formatHosts(options, (alias, address) => `Host ${alias}\n  HostName ${address}\n`)

export const formatHostsFile = (options: HostOptions): FeedFormat =>
  formatHosts(options, (alias, address) => `${address} ${alias}\n`)
