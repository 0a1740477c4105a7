import type { Instance, InstanceNetworkInterface } from '@aws-sdk/client-ec2'
import type { ReportedNic } from '../../domain/sources/reported-parts.ts'
import type { ReportedFacts } from '../../domain/sources/source.ts'
import type { RegionLookups } from './region-lookups.ts'
import { nameOf } from './tags.ts'

type Connection = Required<
  Pick<ReportedFacts, 'nics' | 'vpc' | 'vpc_id' | 'eip' | 'eip_mode' | 'virtual_ips'>
>

const deviceIndexOf = ({ Attachment }: InstanceNetworkInterface) =>
  (Attachment?.NetworkCardIndex ?? 0) * 1_000 + (Attachment?.DeviceIndex ?? 0)

/** The network interfaces in order. The first one stays with the instance. */
export const interfacesOf = ({ NetworkInterfaces = [] }: Instance): InstanceNetworkInterface[] =>
  [...NetworkInterfaces].sort((a, b) => deviceIndexOf(a) - deviceIndexOf(b))

/** The network fields of an instance. */
export function connectionOf(instance: Instance, lookups: RegionLookups): Connection {
  const interfaces = interfacesOf(instance)
  const publics = interfaces.flatMap(({ Association }) => Association?.PublicIp ?? [])
  const eip = publics[0] ?? instance.PublicIpAddress ?? ''
  const vpcs = [...new Set(interfaces.flatMap(({ VpcId }) => VpcId ?? []))]
  return {
    nics: interfaces.map((card) => describeNic(card, lookups)),
    vpc: vpcs.map((id) => nameOf(lookups.vpcs.get(id)?.Tags, id)).join(','),
    vpc_id: vpcs.join(','),
    eip,
    // A temporary public address is not listed among the account's addresses.
    eip_mode: eip === '' ? '' : lookups.addresses.get(eip) ? 'elastic_ip' : 'public_ip',
    virtual_ips: interfaces.flatMap(secondaryAddresses).join(','),
  }
}

function describeNic(card: InstanceNetworkInterface, lookups: RegionLookups): ReportedNic {
  const { SubnetId = '' } = card
  const subnet = lookups.subnets.get(SubnetId)
  return {
    ip_addr: card.PrivateIpAddress ?? '',
    ip6_addr: firstIpv6(card),
    mac: card.MacAddress ?? '',
    network_id: SubnetId,
    vpc_id: card.VpcId ?? '',
    is_exit: card.Association?.PublicIp !== undefined,
    mask: Number(subnet?.CidrBlock?.split('/')[1] ?? 0),
    network: nameOf(subnet?.Tags, SubnetId),
  }
}

function firstIpv6({ Ipv6Addresses = [] }: InstanceNetworkInterface): string {
  const primary = Ipv6Addresses.find(({ IsPrimaryIpv6 }) => IsPrimaryIpv6 === true)
  return (
    primary?.Ipv6Address ??
    Ipv6Addresses.flatMap(({ Ipv6Address }) => Ipv6Address ?? []).sort()[0] ??
    ''
  )
}

/** Those that can move to another instance. */
const secondaryAddresses = ({ PrivateIpAddresses = [] }: InstanceNetworkInterface): string[] =>
  PrivateIpAddresses.filter(({ Primary }) => Primary !== true)
    .flatMap(({ PrivateIpAddress }) => PrivateIpAddress ?? [])
    .sort()
