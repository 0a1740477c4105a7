import ipaddr from 'ipaddr.js'
import { derivedId } from '../../domain/sources/derived-id.ts'
import type {
  Reported,
  ReportedHost,
  ReportedNetwork,
  ReportedResources,
} from '../../domain/sources/reported-resources.ts'
import { guestAddresses } from '../shared/guest-addresses.ts'
import { hostOfAddress } from '../shared/http-address.ts'
import { numberOf, textOf } from '../shared/json.ts'
import { osTypeOf } from '../shared/os-type.ts'
import type { Daemon } from './daemon.ts'
import type { Image, Lookups, Network } from './lookups.ts'
import type { Member } from './members.ts'
import { toMebibytes } from './sizes.ts'

export const hostIdOf = ({ fingerprint }: Daemon, name: string): string =>
  derivedId('incus host', fingerprint, name)

const hostStatuses: ReadonlyMap<string, string> = new Map([
  ['Online', 'running'],
  ['Evacuated', 'maintaining'],
  ['Evacuating', 'maintaining'],
  ['Restoring', 'maintaining'],
])

/** The host's status in the facts of its servers. A member that cannot be listed is unknown. */
export function hostStatusOf(member: Member | undefined) {
  return {
    host_status: hostStatuses.get(member?.status ?? '') ?? 'unknown',
    host_service_status: member?.status === 'Offline' ? 'offline' : 'online',
  }
}

function describeHost(daemon: Daemon, member: Member): ReportedHost {
  const { host_status, host_service_status } = hostStatusOf(member)
  const name = URL.canParse(member.address) ? hostOfAddress(member.address) : ''
  const zone = member.failureDomain === 'default' ? '' : member.failureDomain
  return {
    id: hostIdOf(daemon, member.name),
    name: member.name,
    status: host_status,
    host_status: host_service_status,
    host_type: 'incus',
    enabled: member.status === 'Online',
    access_ip: ipaddr.isValid(name) ? name : '',
    sn: member.serial,
    cpu_count: member.cpuCount,
    cpu_desc: member.cpuModel,
    mem_size: toMebibytes(member.memory),
    version: daemon.version,
    zone,
    external_id: member.name,
  }
}

function addressesOf({ config }: Network): Partial<ReportedNetwork> {
  const subnet = textOf(config, 'ipv4.address')
  if (!ipaddr.IPv4.isValidCIDR(subnet)) return {}
  const [gateway = '', mask] = subnet.split('/')
  const ranges = textOf(config, 'ipv4.dhcp.ranges').split(/[-,]/).filter(ipaddr.IPv4.isValid)
  const [start = '', end = ''] = [ranges[0], ranges.at(-1)]
  return guestAddresses({ gateway, mask: Number(mask), start, end })
}

function describeImage({ id, fingerprint, properties, ...image }: Image): Reported<'images'> {
  const os = textOf(properties, 'os')
  return {
    id,
    name: textOf(properties, 'description') || fingerprint,
    status: 'active',
    os_type: image.isVirtualMachine ? osTypeOf(os) : 'Linux',
    os_distribution: os,
    os_version: textOf(properties, 'release'),
    os_arch: image.architecture,
    size: image.bytes,
    external_id: fingerprint,
  }
}

/** Converts the cluster members, the managed networks and the images. */
export function toResources(
  daemon: Daemon,
  { members, networks, images, problems }: Lookups,
): ReportedResources {
  return {
    // Reporting it without its resources would clear the stored values.
    hosts: [...(members?.values() ?? [])]
      .filter(({ name }) => !problems.unread.has(`resources ${name}`))
      .map((member) => describeHost(daemon, member)),
    networks: [...networks].map(([key, network]) => ({
      id: network.id,
      name: network.name,
      status: network.status === 'Created' ? 'available' : 'unknown',
      ...addressesOf(network),
      vlan_id: numberOf(network.config, 'vlan'),
      external_id: key,
    })),
    images: images.map(describeImage),
  }
}
