import type { Instance } from '@aws-sdk/client-ec2'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { DetailField } from '../../domain/sources/source.ts'
import { unlessDenied } from '../shared/unless-denied.ts'
import {
  createAttributeReader,
  type AttributeMemory,
  type AttributeReader,
} from './instance-attributes.ts'
import type { RegionClient } from './region-client.ts'
import { createRegionLookup, type Lookup } from './region-lookup.ts'

/** Resources that never change, cached while the source is open. */
export function createCachedLookups(client: RegionClient) {
  return {
    images: createRegionLookup(client, {
      filter: 'image-id',
      call: (ec2, input, options) =>
        ec2.describeImages({ ...input, IncludeDeprecated: true, IncludeDisabled: true }, options),
      itemsOf: ({ Images }) => Images,
      idOf: ({ ImageId }) => ImageId,
    }),
    types: createRegionLookup(client, {
      filter: 'instance-type',
      call: (ec2, input, options) => ec2.describeInstanceTypes(input, options),
      itemsOf: ({ InstanceTypes }) => InstanceTypes,
      idOf: ({ InstanceType }) => InstanceType,
      most: 100,
    }),
    zones: createRegionLookup(client, {
      filter: 'zone-name',
      call: (ec2, { Filters }, options) => ec2.describeAvailabilityZones({ Filters }, options),
      itemsOf: ({ AvailabilityZones }) => AvailabilityZones,
      idOf: ({ ZoneName }) => ZoneName,
    }),
  }
}
export type CachedLookups = ReturnType<typeof createCachedLookups>

const createScanLookups = (client: RegionClient) => ({
  addresses: createRegionLookup(client, {
    filter: 'public-ip',
    call: (ec2, { Filters }, options) => ec2.describeAddresses({ Filters }, options),
    itemsOf: ({ Addresses }) => Addresses,
    idOf: ({ PublicIp }) => PublicIp,
  }),
  groups: createRegionLookup(client, {
    filter: 'group-id',
    call: (ec2, input, options) => ec2.describeSecurityGroups(input, options),
    itemsOf: ({ SecurityGroups }) => SecurityGroups,
    idOf: ({ GroupId }) => GroupId,
    // A group can have hundreds of rules.
    most: 50,
  }),
  keyPairs: createRegionLookup(client, {
    filter: 'key-name',
    call: (ec2, { Filters }, options) => ec2.describeKeyPairs({ Filters }, options),
    itemsOf: ({ KeyPairs }) => KeyPairs,
    idOf: ({ KeyName }) => KeyName,
  }),
  spotRequests: createRegionLookup(client, {
    filter: 'spot-instance-request-id',
    call: (ec2, input, options) => ec2.describeSpotInstanceRequests(input, options),
    itemsOf: ({ SpotInstanceRequests }) => SpotInstanceRequests,
    idOf: ({ SpotInstanceRequestId }) => SpotInstanceRequestId,
  }),
  subnets: createRegionLookup(client, {
    filter: 'subnet-id',
    call: (ec2, input, options) => ec2.describeSubnets(input, options),
    itemsOf: ({ Subnets }) => Subnets,
    idOf: ({ SubnetId }) => SubnetId,
  }),
  volumes: createRegionLookup(client, {
    filter: 'volume-id',
    call: (ec2, input, options) => ec2.describeVolumes(input, options),
    itemsOf: ({ Volumes }) => Volumes,
    idOf: ({ VolumeId }) => VolumeId,
  }),
  vpcs: createRegionLookup(client, {
    filter: 'vpc-id',
    call: (ec2, input, options) => ec2.describeVpcs(input, options),
    itemsOf: ({ Vpcs }) => Vpcs,
    idOf: ({ VpcId }) => VpcId,
  }),
})

type Lookups = CachedLookups & ReturnType<typeof createScanLookups>

/** All resources that instances refer to, and their attributes. */
export interface RegionLookups extends Lookups {
  readonly attributes: Pick<AttributeReader, 'get'>
  /** Why some could not be read. */
  readonly failures?: ReadonlyMap<keyof Lookups, SourceError>
  /** Permissions that are optional and that the key lacks. */
  readonly denied?: ReadonlySet<string>
}

/** The fields of an instance that need each lookup. */
const fieldsOf: Readonly<Record<keyof Lookups, readonly DetailField[]>> = {
  images: ['disks_info', 'image', 'os_type', 'os_name', 'bios'],
  types: ['disks_info', 'vcpu_count', 'vmem_size', 'isolated_devices', 'is_gpu'],
  zones: ['zone_id', 'zone_ext_id'],
  addresses: ['eip_mode'],
  groups: ['secgroups', 'security_rules'],
  keyPairs: ['keypair_id'],
  spotRequests: ['notes'],
  subnets: ['nics'],
  volumes: ['disks_info'],
  vpcs: ['vpc'],
}

/** The fields of an instance that failed requests leave incomplete, or that are read later. */
export function unreadFields(
  { failures = new Map(), denied = new Set(), attributes }: RegionLookups,
  id: string,
): readonly DetailField[] {
  // Only the lookup of Spot requests is optional.
  const lacking: (keyof Lookups)[] = denied.size > 0 ? ['spotRequests'] : []
  const ofFailures = [...failures.keys(), ...lacking].flatMap((lookup) => fieldsOf[lookup])
  const ofAttributes: readonly DetailField[] = ['disable_delete', 'shutdown_behavior']
  return [...new Set([...ofFailures, ...(attributes.get(id) ? [] : ofAttributes)])]
}

interface LoadingLookups extends RegionLookups {
  readonly attributes: AttributeReader
  readonly failures: ReadonlyMap<keyof Lookups, SourceError>
  readonly denied: ReadonlySet<string>
  /** Reads the resources that a scan reports, whether instances refer to them or not. */
  loadResources(signal: AbortSignal): Promise<void>
  /** In a scan, only some attributes are read. A lookup that fails is not tried again. */
  load(instances: readonly Instance[], isScan: boolean, signal: AbortSignal): Promise<void>
}

export function createRegionLookups(
  client: RegionClient,
  cached: CachedLookups,
  memory: AttributeMemory,
): LoadingLookups {
  const denied = new Set<string>()
  const failures = new Map<keyof Lookups, SourceError>()
  const attributes = createAttributeReader(client, memory)
  const lookups = { ...cached, ...createScanLookups(client) }

  /** Instances can be described without a lookup. */
  async function attempt(
    name: keyof Lookups,
    load: (lookup: Lookup<unknown>) => Promise<void>,
    signal: AbortSignal,
  ): Promise<void> {
    if (failures.has(name)) return
    try {
      await load(lookups[name])
    } catch (error) {
      if (signal.aborted || !(error instanceof SourceError)) throw error
      failures.set(name, error)
    }
  }

  /** Spot requests are read only if there are Spot Instances. */
  async function loadSpotRequests(instances: readonly Instance[], signal: AbortSignal) {
    const ids = instances.map(({ SpotInstanceRequestId }) => SpotInstanceRequestId)
    if (denied.size > 0) return
    await unlessDenied(denied, 'ec2:DescribeSpotInstanceRequests', () =>
      lookups.spotRequests.load(ids, signal),
    )
  }

  return {
    ...lookups,
    attributes,
    denied,
    failures,
    async loadResources(signal) {
      const reported = ['zones', 'subnets', 'vpcs'] as const
      await Promise.all(
        reported.map((name) => attempt(name, (lookup) => lookup.loadAll(signal), signal)),
      )
    },
    async load(instances, isScan, signal) {
      const nics = instances.flatMap(({ NetworkInterfaces = [] }) => NetworkInterfaces)
      const groups = [...instances.flatMap(groupsOf), ...nics.flatMap(({ Groups = [] }) => Groups)]
      const needs: [keyof Lookups, (string | undefined)[]][] = [
        ['images', instances.map(({ ImageId }) => ImageId)],
        ['types', instances.map(({ InstanceType }) => InstanceType)],
        ['zones', instances.map(({ Placement }) => Placement?.AvailabilityZone)],
        ['keyPairs', instances.map(({ KeyName }) => KeyName)],
        ['volumes', instances.flatMap(volumesOf)],
        ['subnets', nics.map(({ SubnetId }) => SubnetId)],
        ['vpcs', nics.map(({ VpcId }) => VpcId)],
        ['groups', groups.map(({ GroupId }) => GroupId)],
        ['addresses', nics.map(({ Association }) => Association?.PublicIp)],
      ]
      const ids = instances.flatMap(({ InstanceId }) => InstanceId ?? [])
      await Promise.all([
        ...needs.map(([name, wanted]) =>
          attempt(name, (lookup) => lookup.load(wanted, signal), signal),
        ),
        attempt('spotRequests', () => loadSpotRequests(instances, signal), signal),
        attributes.load(ids, isScan, signal),
      ])
    },
  }
}

const groupsOf = ({ SecurityGroups = [] }: Instance) => SecurityGroups
const volumesOf = ({ BlockDeviceMappings = [] }: Instance) =>
  BlockDeviceMappings.map(({ Ebs }) => Ebs?.VolumeId)
