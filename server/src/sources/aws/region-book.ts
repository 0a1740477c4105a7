import type { Instance } from '@aws-sdk/client-ec2'
import type { Line } from './line.ts'
import type { Lookup } from './lookup.ts'
import { createRegionLookup } from './region-lookup.ts'

/** What never changes: it is asked for once as long as the source is open. */
export function createLastingBook(line: Line) {
  return {
    images: createRegionLookup(line, {
      filter: 'image-id',
      ask: (ec2, input, options) =>
        ec2.describeImages({ ...input, IncludeDeprecated: true, IncludeDisabled: true }, options),
      itemsOf: ({ Images }) => Images,
      idOf: ({ ImageId }) => ImageId,
    }),
    types: createRegionLookup(line, {
      filter: 'instance-type',
      ask: (ec2, input, options) => ec2.describeInstanceTypes(input, options),
      itemsOf: ({ InstanceTypes }) => InstanceTypes,
      idOf: ({ InstanceType }) => InstanceType,
      most: 100,
    }),
    zones: createRegionLookup(line, {
      filter: 'zone-name',
      ask: (ec2, { Filters }, options) => ec2.describeAvailabilityZones({ Filters }, options),
      itemsOf: ({ AvailabilityZones }) => AvailabilityZones,
      idOf: ({ ZoneName }) => ZoneName,
    }),
  }
}
export type LastingBook = ReturnType<typeof createLastingBook>

const createPassingBook = (line: Line) => ({
  addresses: createRegionLookup(line, {
    filter: 'public-ip',
    ask: (ec2, { Filters }, options) => ec2.describeAddresses({ Filters }, options),
    itemsOf: ({ Addresses }) => Addresses,
    idOf: ({ PublicIp }) => PublicIp,
  }),
  groups: createRegionLookup(line, {
    filter: 'group-id',
    ask: (ec2, input, options) => ec2.describeSecurityGroups(input, options),
    itemsOf: ({ SecurityGroups }) => SecurityGroups,
    idOf: ({ GroupId }) => GroupId,
    // A group may have hundreds of rules.
    most: 50,
  }),
  keyPairs: createRegionLookup(line, {
    filter: 'key-name',
    ask: (ec2, { Filters }, options) => ec2.describeKeyPairs({ Filters }, options),
    itemsOf: ({ KeyPairs }) => KeyPairs,
    idOf: ({ KeyName }) => KeyName,
  }),
  subnets: createRegionLookup(line, {
    filter: 'subnet-id',
    ask: (ec2, input, options) => ec2.describeSubnets(input, options),
    itemsOf: ({ Subnets }) => Subnets,
    idOf: ({ SubnetId }) => SubnetId,
  }),
  volumes: createRegionLookup(line, {
    filter: 'volume-id',
    ask: (ec2, input, options) => ec2.describeVolumes(input, options),
    itemsOf: ({ Volumes }) => Volumes,
    idOf: ({ VolumeId }) => VolumeId,
  }),
  vpcs: createRegionLookup(line, {
    filter: 'vpc-id',
    ask: (ec2, input, options) => ec2.describeVpcs(input, options),
    itemsOf: ({ Vpcs }) => Vpcs,
    idOf: ({ VpcId }) => VpcId,
  }),
})

/** Everything that instances refer to, as it is now. */
export type RegionBook = LastingBook & ReturnType<typeof createPassingBook>

export function createRegionBook(
  line: Line,
  lasting: LastingBook,
): RegionBook & { learn(instances: readonly Instance[], signal: AbortSignal): Promise<void> } {
  const book = { ...lasting, ...createPassingBook(line) }
  return {
    ...book,
    async learn(instances, signal) {
      const nics = instances.flatMap(({ NetworkInterfaces = [] }) => NetworkInterfaces)
      const groups = [...instances.flatMap(groupsOf), ...nics.flatMap(({ Groups = [] }) => Groups)]
      const needs: [Lookup<unknown>, (string | undefined)[]][] = [
        [book.images, instances.map(({ ImageId }) => ImageId)],
        [book.types, instances.map(({ InstanceType }) => InstanceType)],
        [book.zones, instances.map(({ Placement }) => Placement?.AvailabilityZone)],
        [book.keyPairs, instances.map(({ KeyName }) => KeyName)],
        [book.volumes, instances.flatMap(volumesOf)],
        [book.subnets, nics.map(({ SubnetId }) => SubnetId)],
        [book.vpcs, nics.map(({ VpcId }) => VpcId)],
        [book.groups, groups.map(({ GroupId }) => GroupId)],
        [book.addresses, nics.map(({ Association }) => Association?.PublicIp)],
      ]
      await Promise.all(needs.map(([lookup, ids]) => lookup.learn(ids, signal)))
    },
  }
}

const groupsOf = ({ SecurityGroups = [] }: Instance) => SecurityGroups
const volumesOf = ({ BlockDeviceMappings = [] }: Instance) =>
  BlockDeviceMappings.map(({ Ebs }) => Ebs?.VolumeId)
