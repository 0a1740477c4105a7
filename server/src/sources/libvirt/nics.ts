import type { SecurityGroup } from '@muster/contract'
import ipaddr from 'ipaddr.js'
import type { ReportedNic } from '../../domain/sources/reported-parts.ts'
import { joinSecurityRules } from '../../domain/sources/security-rules.ts'
import { partsOf } from './filters.ts'
import { noAddresses, type Addresses, type Network } from './networks.ts'
import { attributeOf, childOf, childrenOf, numberOf, type XmlElement } from '../shared/parse-xml.ts'
import type { HostResources } from './host-resources.ts'

const macOf = (nic: XmlElement) => attributeOf(childOf(nic, 'mac'), 'address').toLowerCase()
const filterOf = (nic: XmlElement) => attributeOf(childOf(nic, 'filterref'), 'filter')

/** The virtual network, bridge or other source of a NIC. */
function networkNameOf(nic: XmlElement): string {
  const source = childOf(nic, 'source')
  const names = ['network', 'bridge', 'dev', 'switchid', 'name']
  return names.map((name) => attributeOf(source, name)).find((text) => text !== '') ?? ''
}

/** The addresses in the NIC's XML and its filter parameters. */
function configuredAddresses(nic: XmlElement): Addresses {
  let found = noAddresses
  const add = (address: string, mask: number) => {
    if (found.ip === '' && ipaddr.IPv4.isValid(address)) found = { ...found, ip: address, mask }
    if (found.ip6 === '' && ipaddr.IPv6.isValid(address)) found = { ...found, ip6: address }
  }
  for (const ip of childrenOf(nic, 'ip')) {
    add(attributeOf(ip, 'address'), numberOf(attributeOf(ip, 'prefix')))
  }
  for (const parameter of childrenOf(childOf(nic, 'filterref'), 'parameter')) {
    if (/^IP(?:V6)?$/.test(attributeOf(parameter, 'name'))) add(attributeOf(parameter, 'value'), 0)
  }
  return found
}

/** Configured addresses come before leased ones, which apply only while the domain runs. */
function addressesOf(nic: XmlElement, network: Network | undefined, isActive: boolean): Addresses {
  const mac = macOf(nic)
  const sources = [
    configuredAddresses(nic),
    network?.reserved.get(mac) ?? noAddresses,
    (isActive ? network?.leased.get(mac) : undefined) ?? noAddresses,
  ]
  const ip = sources.find((source) => source.ip !== '')?.ip ?? ''
  return {
    ip,
    mask: sources.find((source) => source.ip === ip && source.mask > 0)?.mask ?? 0,
    ip6: sources.find((source) => source.ip6 !== '')?.ip6 ?? '',
  }
}

/** In a team, the transient NIC refers to the alias of the persistent one. */
function teamsOf(nics: readonly XmlElement[]): ReadonlyMap<string, string> {
  const teams = new Map<string, string>()
  for (const nic of nics) {
    const alias = attributeOf(childOf(nic, 'teaming'), 'persistent')
    const peer = nics.find(
      (other) => alias !== '' && attributeOf(childOf(other, 'alias'), 'name') === alias,
    )
    if (!peer) continue
    teams.set(macOf(nic), macOf(peer))
    teams.set(macOf(peer), macOf(nic))
  }
  return teams
}

export interface Connection {
  readonly nics: readonly ReportedNic[]
  readonly secgroups: SecurityGroup[]
  readonly security_rules: string
  readonly src_ip_check: boolean
  readonly src_mac_check: boolean
}

export function connectionOf(
  devices: XmlElement | undefined,
  { networks, filters }: HostResources,
  isActive: boolean,
): Connection {
  const interfaces = childrenOf(devices, 'interface')
  const teams = teamsOf(interfaces)
  const nics = interfaces.map((nic): ReportedNic => {
    const name = networkNameOf(nic)
    const network = attributeOf(nic, 'type') === 'network' ? networks.get(name) : undefined
    const { ip, ip6, mask } = addressesOf(nic, network, isActive)
    const mac = macOf(nic)
    return {
      ip_addr: ip,
      ip6_addr: ip6,
      mac,
      network_id: network?.uuid ?? '',
      team_with: teams.get(mac) ?? '',
      mask,
      network: name,
    }
  })
  return { nics, ...securityOf(interfaces, filters) }
}

const filtersOf = (interfaces: readonly XmlElement[]) =>
  [...new Set(interfaces.map(filterOf))].filter((name) => name !== '')

function securityOf(interfaces: readonly XmlElement[], filters: HostResources['filters']) {
  const names = filtersOf(interfaces)
  const included = (name: string) => [...partsOf(filters, name)]
  /** Filters that apply to every NIC, directly or by inclusion. */
  const isChecked = (...checks: readonly string[]) =>
    interfaces.length > 0 &&
    interfaces.every((nic) => included(filterOf(nic)).some((part) => checks.includes(part)))
  const parts = new Set(names.flatMap(included))
  return {
    secgroups: names.map((name) => ({ id: filters.get(name)?.uuid ?? '', name })),
    security_rules: joinSecurityRules([...parts].flatMap((part) => filters.get(part)?.rules ?? [])),
    src_ip_check: isChecked('clean-traffic', 'clean-traffic-gateway', 'no-ip-spoofing'),
    src_mac_check: isChecked('clean-traffic', 'clean-traffic-gateway', 'no-mac-spoofing'),
  }
}

const ofFilters = ['secgroups', 'security_rules', 'src_ip_check', 'src_mac_check'] as const

/** The fields of a connection that name a network or a filter that could not be read. */
export function unreadOfNics(
  devices: XmlElement | undefined,
  { filters, isUnread }: HostResources,
): readonly (keyof Connection)[] {
  const interfaces = childrenOf(devices, 'interface')
  const lacksNetwork = interfaces.some(
    (nic) => attributeOf(nic, 'type') === 'network' && isUnread('networks', networkNameOf(nic)),
  )
  const lacksFilter = filtersOf(interfaces).some((name) =>
    partsOf(filters, name)
      .values()
      .some((part) => isUnread('filters', part)),
  )
  return [...(lacksNetwork ? (['nics'] as const) : []), ...(lacksFilter ? ofFilters : [])]
}
