import ipaddr from 'ipaddr.js'
import type { Calls } from './calls.ts'
import type { Lease } from './resource-calls.ts'
import { unlessUnsupported } from './tolerated-errors.ts'
import type { ReportedNetwork } from '../../domain/sources/reported-resources.ts'
import { guestAddresses } from '../shared/guest-addresses.ts'
import {
  attributeOf,
  childOf,
  childrenOf,
  countEntries,
  numberOf,
  type XmlElement,
} from '../shared/parse-xml.ts'
import type { Described } from './host-resources.ts'
import type { NamedHandle } from './records.ts'

/** Addresses of one NIC. */
export interface Addresses {
  readonly ip: string
  readonly ip6: string
  /** The IPv4 prefix length; 0 if unknown. */
  readonly mask: number
}

export interface Network {
  readonly uuid: string
  /** What is reported about the network itself. */
  readonly description: Partial<ReportedNetwork>
  /** DHCP reservations by MAC. */
  readonly reserved: ReadonlyMap<string, Addresses>
  /** DHCP leases by MAC. */
  readonly leased: ReadonlyMap<string, Addresses>
}

export const noAddresses: Addresses = { ip: '', ip6: '', mask: 0 }

/** The prefix length of a mask such as 255.255.255.0; 0 if invalid. */
export const maskBits = (mask: string): number =>
  ipaddr.IPv4.isValid(mask) ? (ipaddr.IPv4.parse(mask).prefixLengthFromSubnetMask() ?? 0) : 0

/** The prefix length of an `ip` element; 0 if unknown. */
const maskOf = (ip: XmlElement): number =>
  numberOf(attributeOf(ip, 'prefix')) || maskBits(attributeOf(ip, 'netmask'))

function readReserved(xml: XmlElement): ReadonlyMap<string, Addresses> {
  const reserved = new Map<string, Addresses>()
  for (const ip of childrenOf(xml, 'ip')) {
    const mask = maskOf(ip)
    for (const host of childrenOf(ip, 'dhcp').flatMap((dhcp) => childrenOf(dhcp, 'host'))) {
      const [mac, address] = [attributeOf(host, 'mac').toLowerCase(), attributeOf(host, 'ip')]
      if (mac !== '') reserved.set(mac, { ...noAddresses, ip: address, mask })
    }
  }
  return reserved
}

/** The newest lease of a NIC applies. */
function readLeased(leases: readonly Lease[]): ReadonlyMap<string, Addresses> {
  const leased = new Map<string, Addresses>()
  const oldestFirst = leases.toSorted((one, other) => Number(one.expiry - other.expiry))
  for (const { mac, address, prefix, isIpv6 } of oldestFirst) {
    const known = leased.get(mac) ?? noAddresses
    leased.set(mac, isIpv6 ? { ...known, ip6: address } : { ...known, ip: address, mask: prefix })
  }
  return leased
}

function addressesOf(xml: XmlElement | undefined): Partial<ReportedNetwork> {
  const ip = childrenOf(xml, 'ip').find((one) => ipaddr.IPv4.isValid(attributeOf(one, 'address')))
  if (!ip) return {}
  const ranges = childrenOf(childOf(ip, 'dhcp'), 'range')
  return guestAddresses({
    gateway: attributeOf(ip, 'address'),
    mask: maskOf(ip),
    start: attributeOf(ranges[0], 'start'),
    end: attributeOf(ranges.at(-1), 'end'),
  })
}

/** The VLAN of a network; 0 if it has none or several. */
function vlanOf(xml: XmlElement | undefined): number {
  const [tag, ...others] = childrenOf(childOf(xml, 'vlan'), 'tag')
  return others.length === 0 ? numberOf(attributeOf(tag, 'id')) : 0
}

export const describeNetwork = (xml: XmlElement | undefined): Partial<ReportedNetwork> => ({
  ...addressesOf(xml),
  vlan_id: vlanOf(xml),
})

/** A virtual network of libvirt. */
export async function readNetwork(calls: Calls, handle: NamedHandle): Promise<Described<Network>> {
  const [xml, leases = []] = await Promise.all([
    unlessUnsupported(calls.networkXml(handle)),
    unlessUnsupported(calls.leases(handle)),
  ])
  const item = {
    uuid: handle.uuid,
    description: describeNetwork(xml),
    reserved: xml ? readReserved(xml) : new Map(),
    leased: readLeased(leases),
  }
  return { item, entries: countEntries(xml) + leases.length }
}
