import type { SecurityGroup } from '@muster/contract'
import type { ReportedNic } from '../../domain/sources/reported-parts.ts'
import { joinSecurityRules, writeSecurityRule } from '../../domain/sources/security-rules.ts'
import type { ReportedFacts } from '../../domain/sources/source.ts'
import { booleanOf, listOf, numberOf, objectOf, textOf, type Json } from '../shared/json.ts'
import { groupIdsOf, maskOf, type Lookups } from './lookups.ts'

interface Nic {
  readonly mac: string
  readonly network: string
  readonly ips: readonly string[]
  readonly port: Json | undefined
}

interface NovaAddress {
  readonly address: string
  readonly mac: string
  readonly network: string
  readonly isFloating: boolean
}

/** The addresses that Nova knows, in its order. */
export const addressesOf = (server: Json): NovaAddress[] =>
  Object.keys(objectOf(server, 'addresses')).flatMap((network) =>
    listOf(objectOf(server, 'addresses'), network).map((entry) => ({
      network,
      address: textOf(entry, 'addr'),
      mac: textOf(entry, 'OS-EXT-IPS-MAC:mac_addr'),
      isFloating: textOf(entry, 'OS-EXT-IPS:type') === 'floating',
    })),
  )

/** One NIC for each MAC address. Ports that Nova has not seen yet come last. */
function nicsOf(server: Json, ports: readonly Json[], { networks }: Lookups): Nic[] {
  const fixed = addressesOf(server).filter(({ isFloating }) => !isFloating)
  const macs = [...new Set([...fixed.map(({ mac }) => mac), ...ports.map(macOf)])]
  return macs.map((mac) => {
    const port = ports.find((each) => macOf(each) === mac)
    const own = fixed.filter((address) => address.mac === mac)
    const inPort = listOf(port, 'fixed_ips').map((ip) => textOf(ip, 'ip_address'))
    const name = textOf(networks.get(textOf(port, 'network_id')), 'name')
    return {
      mac,
      port,
      network: name || (own[0]?.network ?? textOf(port, 'network_id')),
      ips: own.length > 0 ? own.map(({ address }) => address) : inPort,
    }
  })
}

export const macOf = (port: Json) => textOf(port, 'mac_address')
const isIpv6 = (address: string) => address.includes(':')

function subnetOf(address: string, port: Json | undefined, { subnets }: Lookups): Json | undefined {
  const fixed = listOf(port, 'fixed_ips').find((ip) => textOf(ip, 'ip_address') === address)
  return subnets.get(textOf(fixed, 'subnet_id'))
}

/** The floating address of a server: from Neutron, because Nova's copy can be old. */
function floatingAddressOf(server: Json, ports: readonly Json[], lookups: Lookups): string {
  const own = ports
    .map((port) => textOf(lookups.floatingOf.get(textOf(port, 'id')), 'floating_ip_address'))
    .find((address) => address !== '')
  return own ?? addressesOf(server).find(({ isFloating }) => isFloating)?.address ?? ''
}

type Connection = Pick<ReportedFacts, 'nics' | 'eip' | 'eip_mode' | 'src_ip_check'>

/** The network fields of a server. */
export function connectionOf(server: Json, ports: readonly Json[], lookups: Lookups): Connection {
  const eip = floatingAddressOf(server, ports, lookups)
  const nics = nicsOf(server, ports, lookups).map(({ mac, ips, port, network }): ReportedNic => {
    const ip_addr = ips.find((ip) => !isIpv6(ip)) ?? ''
    const networkId = textOf(port, 'network_id')
    return {
      ip_addr,
      ip6_addr: ips.find(isIpv6) ?? '',
      mask: maskOf(subnetOf(ip_addr, port, lookups)),
      mac,
      network,
      network_id: networkId,
      is_exit: booleanOf(lookups.networks.get(networkId), 'router:external'),
    }
  })
  return {
    nics,
    eip,
    eip_mode: eip === '' ? '' : 'elastic_ip',
    src_ip_check: !ports.some((port) => port['port_security_enabled'] === false),
  }
}

/** The groups of the ports; without Neutron, the names that Nova lists. */
export function securityOf(
  server: Json,
  ports: readonly Json[],
  { groups }: Lookups,
): { secgroups: SecurityGroup[]; security_rules: string } {
  const ids = [...new Set(ports.flatMap(groupIdsOf))].filter((id) => groups.has(id))
  if (ids.length === 0) {
    const names = new Set(listOf(server, 'security_groups').map((group) => textOf(group, 'name')))
    const secgroups = [...names].sort().map((name) => ({ id: name, name }))
    return { secgroups, security_rules: '' }
  }
  const secgroups = ids
    .map((id) => ({ id, name: textOf(groups.get(id), 'name') }))
    .sort((a, b) => (`${a.name} ${a.id}` < `${b.name} ${b.id}` ? -1 : 1))
  const rules = secgroups.flatMap(({ id }) =>
    listOf(groups.get(id), 'security_group_rules').map(describeRule).sort(),
  )
  return { secgroups, security_rules: joinSecurityRules(rules) }
}

function describeRule(rule: Json): string {
  const protocol = (textOf(rule, 'protocol') || 'any').replace('ipv6-icmp', 'icmpv6')
  const hasPorts = typeof rule['port_range_min'] === 'number'
  const from = numberOf(rule, 'port_range_min')
  // For ICMP these are type and code.
  const to = protocol.startsWith('icmp') ? from : numberOf(rule, 'port_range_max') || from
  const anyPeer = textOf(rule, 'ethertype') === 'IPv6' ? '::/0' : ''
  return writeSecurityRule({
    direction: textOf(rule, 'direction') === 'egress' ? 'out' : 'in',
    verdict: 'allow',
    protocol: protocol.replaceAll(/[^a-z0-9]/g, ''),
    ...(hasPorts && { ports: { from, to } }),
    peer: textOf(rule, 'remote_ip_prefix') || textOf(rule, 'remote_group_id') || anyPeer,
  })
}
