import type { AvailabilityZone, Host, Subnet } from '@aws-sdk/client-ec2'
import { addressAt } from '../../domain/sources/address-at.ts'
import type {
  ReportedHost,
  ReportedNetwork,
  ReportedResources,
  ReportedZone,
} from '../../domain/sources/reported-resources.ts'
import type { RegionLookups } from './region-lookups.ts'
import { regionName } from './region-names.ts'
import { hostIdOf, regionIdOf, zoneOf } from './resource-ids.ts'
import { nameOf } from './tags.ts'

const zoneStatuses: ReadonlyMap<string | undefined, string> = new Map([
  ['available', 'enable'],
  ['unavailable', 'disable'],
  ['constrained', 'soldout'],
])

const networkStatuses: ReadonlyMap<string | undefined, string> = new Map([
  ['available', 'available'],
  ['unavailable', 'down'],
  ['failed', 'down'],
])

const hostStatuses: ReadonlyMap<string | undefined, string> = new Map([
  ['available', 'running'],
  ['under-assessment', 'running'],
  ['pending', 'init'],
])

const siteOf = (region: string) => ({
  cloudregion: regionName(region),
  cloudregion_id: regionIdOf(region),
})

function describeZone(zone: AvailabilityZone, region: string): ReportedZone {
  const { ZoneName = '', ZoneId = ZoneName } = zone
  const located = { AvailabilityZone: ZoneName, AvailabilityZoneId: ZoneId }
  const { id, externalId } = zoneOf(located, region, new Map())
  return {
    ...siteOf(region),
    id,
    name: ZoneName,
    status: zoneStatuses.get(zone.State) ?? 'unknown',
    external_id: externalId,
  }
}

/** AWS reserves the first four addresses and the last one; the second is the gateway. */
function addressesOf(network = ''): Partial<ReportedNetwork> {
  const [start, end, gateway] = [4, -2, 1].map((position) => addressAt(network, position))
  if (start === undefined || end === undefined || gateway === undefined) return {}
  return {
    guest_ip_start: start,
    guest_ip_end: end,
    guest_ip_mask: Number(network.split('/')[1]),
    guest_gateway: gateway,
  }
}

function describeSubnet(
  subnet: Subnet,
  region: string,
  { vpcs, zones }: RegionLookups,
): ReportedNetwork {
  const { SubnetId = '', VpcId = '', State, CidrBlock, Tags } = subnet
  const zone = zoneOf(subnet, region, zones)
  return {
    ...siteOf(region),
    id: SubnetId,
    name: nameOf(Tags, SubnetId),
    status: networkStatuses.get(State) ?? 'unknown',
    ...addressesOf(CidrBlock),
    vpc: nameOf(vpcs.get(VpcId)?.Tags, VpcId),
    vpc_id: VpcId,
    ...(zone.name !== '' && { zone: zone.name, zone_id: zone.id }),
    external_id: SubnetId,
  }
}

/** The Dedicated Host of an instance. Without the permission to read hosts, only its id is known. */
function describeHost(
  hostId: string,
  host: Host | undefined,
  region: string,
  { zones }: RegionLookups,
): ReportedHost {
  const zone = zoneOf(host ?? {}, region, zones)
  return {
    ...siteOf(region),
    id: hostIdOf(hostId),
    name: nameOf(host?.Tags, hostId),
    host_type: 'aws',
    external_id: hostId,
    ...(host && {
      status: hostStatuses.get(host.State) ?? 'unknown',
      host_status: hostStatuses.get(host.State) === 'running' ? 'online' : 'offline',
      enabled: host.State === 'available',
      cpu_count: host.HostProperties?.TotalVCpus ?? 0,
    }),
    ...(zone.name !== '' && { zone: zone.name, zone_id: zone.id }),
  }
}

/** Converts a region, its zones and subnets, and the Dedicated Hosts of its instances. */
export const toResources = (
  region: string,
  lookups: RegionLookups,
  /** By id; undefined if it could not be read. */
  hosts: ReadonlyMap<string, Host | undefined>,
): ReportedResources => ({
  cloudregions: [
    {
      id: regionIdOf(region),
      name: regionName(region),
      status: 'inservice',
      cloud_env: 'public',
      external_id: region,
    },
  ],
  zones: lookups.zones.all().map((zone) => describeZone(zone, region)),
  networks: lookups.subnets.all().map((subnet) => describeSubnet(subnet, region, lookups)),
  hosts: [...hosts].map(([id, host]) => describeHost(id, host, region, lookups)),
})
