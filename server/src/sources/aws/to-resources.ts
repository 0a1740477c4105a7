import type { AvailabilityZone, Host, Image, InstanceTypeInfo, Subnet } from '@aws-sdk/client-ec2'
import { addressAt } from '../../domain/sources/address-at.ts'
import type {
  Reported,
  ReportedHost,
  ReportedNetwork,
  ReportedResources,
  ReportedZone,
} from '../../domain/sources/reported-resources.ts'
import { devicesOf } from './devices.ts'
import { distributionOf, operatingSystemOf } from './operating-system.ts'
import type { RegionLookups } from './region-lookups.ts'
import { regionName } from './region-names.ts'
import { flavorIdOf, hostIdOf, regionIdOf, zoneOf } from './resource-ids.ts'
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

function describeImage(image: Image, region: string): Reported<'images'> {
  const { ImageId = '', Name, State = 'unknown', Architecture = '', RootDeviceName } = image
  const [os_distribution = '', os_version = ''] = distributionOf(image) ?? []
  const root = image.BlockDeviceMappings?.find(({ DeviceName }) => DeviceName === RootDeviceName)
  return {
    ...siteOf(region),
    id: ImageId,
    name: Name ?? ImageId,
    status: State === 'available' ? 'active' : State,
    os_type: operatingSystemOf(image, image).os_type,
    os_distribution,
    os_version,
    os_arch: Architecture,
    min_disk: (root?.Ebs?.VolumeSize ?? 0) * 1_024,
    external_id: ImageId,
  }
}

function describeType(type: InstanceTypeInfo, region: string): Reported<'flavors'> {
  const { InstanceType = '' } = type
  const gpus = devicesOf(type).filter(({ dev_type }) => dev_type === 'GPU')
  return {
    ...siteOf(region),
    id: flavorIdOf(region, InstanceType),
    name: InstanceType,
    cpu_core_count: type.VCpuInfo?.DefaultVCpus ?? 0,
    cpu_arch: type.ProcessorInfo?.SupportedArchitectures?.at(-1) ?? '',
    memory_size_mb: type.MemoryInfo?.SizeInMiB ?? 0,
    attached_disk_size_gb: type.InstanceStorageInfo?.TotalSizeInGB ?? 0,
    gpu_count: gpus.length,
    gpu_spec: gpus[0]?.model ?? '',
    external_id: InstanceType,
  }
}

/**
 * The resources that instances of a region refer to. Those that could not be read are described by the
 * instances.
 */
export interface UsedResources {
  readonly images: ReadonlySet<string>
  readonly types: ReadonlySet<string>
  /** By id; undefined if it could not be read. */
  readonly hosts: ReadonlyMap<string, Host | undefined>
}

/** Converts a region, its zones and subnets, and the images, types and Dedicated Hosts of its instances. */
export const toResources = (
  region: string,
  lookups: RegionLookups,
  used: UsedResources,
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
  hosts: [...used.hosts].map(([id, host]) => describeHost(id, host, region, lookups)),
  images: [...used.images]
    .flatMap((id) => lookups.images.get(id) ?? [])
    .map((image) => describeImage(image, region)),
  flavors: [...used.types]
    .flatMap((name) => lookups.types.get(name) ?? [])
    .map((type) => describeType(type, region)),
})
