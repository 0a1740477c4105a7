import type { Instance } from '@aws-sdk/client-ec2'
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

/** All resources that instances refer to, and their attributes. */
export type RegionLookups = CachedLookups &
  ReturnType<typeof createScanLookups> & { readonly attributes: Pick<AttributeReader, 'get'> }

interface LoadingLookups extends RegionLookups {
  readonly attributes: AttributeReader
  /** Permissions that are optional and that the key lacks. */
  readonly denied: ReadonlySet<string>
  /** In a scan, only some attributes are read. */
  load(instances: readonly Instance[], isScan: boolean, signal: AbortSignal): Promise<void>
}

export function createRegionLookups(
  client: RegionClient,
  cached: CachedLookups,
  memory: AttributeMemory,
): LoadingLookups {
  const denied = new Set<string>()
  const attributes = createAttributeReader(client, memory)
  const lookups = { ...cached, ...createScanLookups(client), attributes }

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
    denied,
    async load(instances, isScan, signal) {
      const nics = instances.flatMap(({ NetworkInterfaces = [] }) => NetworkInterfaces)
      const groups = [...instances.flatMap(groupsOf), ...nics.flatMap(({ Groups = [] }) => Groups)]
      const needs: [Lookup<unknown>, (string | undefined)[]][] = [
        [lookups.images, instances.map(({ ImageId }) => ImageId)],
        [lookups.types, instances.map(({ InstanceType }) => InstanceType)],
        [lookups.zones, instances.map(({ Placement }) => Placement?.AvailabilityZone)],
        [lookups.keyPairs, instances.map(({ KeyName }) => KeyName)],
        [lookups.volumes, instances.flatMap(volumesOf)],
        [lookups.subnets, nics.map(({ SubnetId }) => SubnetId)],
        [lookups.vpcs, nics.map(({ VpcId }) => VpcId)],
        [lookups.groups, groups.map(({ GroupId }) => GroupId)],
        [lookups.addresses, nics.map(({ Association }) => Association?.PublicIp)],
      ]
      const ids = instances.flatMap(({ InstanceId }) => InstanceId ?? [])
      await Promise.all([
        ...needs.map(([lookup, wanted]) => lookup.load(wanted, signal)),
        loadSpotRequests(instances, signal),
        attributes.load(ids, isScan, signal),
      ])
    },
  }
}

const groupsOf = ({ SecurityGroups = [] }: Instance) => SecurityGroups
const volumesOf = ({ BlockDeviceMappings = [] }: Instance) =>
  BlockDeviceMappings.map(({ Ebs }) => Ebs?.VolumeId)
