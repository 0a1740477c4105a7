import ipaddr from 'ipaddr.js'
import type { ReportedNic } from '../../domain/sources/reported-parts.ts'
import { listOf, numberOf, objectOf, textOf, type Json } from '../shared/json.ts'
import type { Instance } from './instance.ts'
import { networkKey, type Lookups, type Network } from './lookups.ts'

interface Addresses {
  readonly ip: string
  readonly mask: number
  readonly ip6: string
}

/** The first global addresses that the instance itself has. */
function currentAddresses(network: Json, mac: string, name: string): Addresses {
  const interfaces = Object.keys(network).map((key) => [key, objectOf(network, key)] as const)
  const [, found] =
    interfaces.find(([, one]) => mac !== '' && textOf(one, 'hwaddr').toLowerCase() === mac) ??
    interfaces.find(([key]) => key === name) ??
    []
  const first = (family: string) =>
    listOf(found, 'addresses').find(
      (one) => textOf(one, 'family') === family && textOf(one, 'scope') === 'global',
    )
  const ip = first('inet')
  return {
    ip: textOf(ip, 'address'),
    mask: numberOf(ip, 'netmask'),
    ip6: textOf(first('inet6'), 'address'),
  }
}

/** The mask of a managed network that contains the address. */
function maskIn(network: Network | undefined, ip: string): number {
  const subnet = textOf(network?.config, 'ipv4.address')
  if (!ipaddr.IPv4.isValid(ip) || !ipaddr.IPv4.isValidCIDR(subnet)) return 0
  const [base, mask] = ipaddr.IPv4.parseCIDR(subnet)
  return ipaddr.IPv4.parse(ip).match(base, mask) ? mask : 0
}

const literal = (address = '') => (ipaddr.isValid(address) ? address : '')

/** The network interfaces of an instance. Interfaces that the guest creates itself are not included. */
export function connectionOf(
  { project, config, devices }: Instance,
  lookups: Lookups,
  /** Of a running instance. */
  state: Json,
) {
  const owner = lookups.networkProjects.get(project) ?? 'default'
  const adapters = devices.filter(([, { type }]) => type === 'nic')
  const nics = adapters.map(([device, settings]): ReportedNic => {
    const volatile = (name: string) => config[`volatile.${device}.${name}`] ?? ''
    const mac = (settings['hwaddr'] ?? volatile('hwaddr')).toLowerCase()
    const network = lookups.networks.get(networkKey(owner, settings['network'] ?? ''))
    const interfaceName = settings['name'] ?? (volatile('name') || device)
    const current = currentAddresses(state, mac, interfaceName)
    const ip_addr = current.ip || literal(settings['ipv4.address'])
    return {
      ip_addr,
      ip6_addr: current.ip6 || literal(settings['ipv6.address']),
      mac,
      mask: current.mask || maskIn(network, ip_addr),
      network: settings['network'] ?? settings['parent'] ?? '',
      network_id: network?.id ?? '',
    }
  })
  const isChecked = (setting: string) =>
    adapters.length > 0 && adapters.every(([, settings]) => settings[setting] === 'true')
  return {
    nics,
    src_ip_check: isChecked('security.ipv4_filtering'),
    src_mac_check: isChecked('security.mac_filtering'),
  }
}
