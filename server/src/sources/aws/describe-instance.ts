import type { Image, Instance } from '@aws-sdk/client-ec2'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { ReportedFacts, ReportedServer, ServerKey } from '../../domain/sources/source.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { connectionOf, interfacesOf } from './connection.ts'
import { devicesOf } from './devices.ts'
import { disksOf } from './disks.ts'
import type { OwnedInstance } from './list-instances.ts'
import { operatingSystemOf } from './operating-system.ts'
import { unreadFields, type RegionLookups } from './region-lookups.ts'
import { environmentOf, regionName } from './region-names.ts'
import { flavorIdOf, hostIdOf, regionIdOf, zoneOf } from './resource-ids.ts'
import { securityOf } from './security.ts'
import { nameOf, tagsOf } from './tags.ts'

const statuses: ReadonlyMap<string, string> = new Map([
  ['pending', 'starting'],
  ['running', 'running'],
  ['stopping', 'stopping'],
  ['stopped', 'ready'],
  ['shutting-down', 'deleting'],
])

export function keyOf({ owner, instance }: OwnedInstance, region: string): ServerKey {
  if (owner === '')
    throw new SourceError('invalid-response', `An instance in ${region} has no owner.`)
  return ['aws', owner, region, instance.InstanceId ?? '']
}

/** Converts an instance to a server. */
export function describeInstance(
  owned: OwnedInstance,
  region: string,
  lookups: RegionLookups,
): ReportedServer {
  const key = keyOf(owned, region)
  const facts = factsOf(owned.instance, region, lookups)
  const unread = unreadFields(lookups, owned.instance.InstanceId ?? '')
  const tenant = { id: owned.owner, name: owned.owner }
  return { key, tenant, facts, ...(unread.length > 0 && { unread }) }
}

function factsOf(instance: Instance, region: string, lookups: RegionLookups): ReportedFacts {
  const { InstanceId = '', InstanceType = '', KeyName = '', Placement, State } = instance
  if (State?.Name === undefined) {
    throw new SourceError('invalid-response', `${InstanceId} in ${region} has no state.`)
  }
  const type = lookups.types.get(InstanceType)
  const image = lookups.images.get(instance.ImageId)
  const tags = tagsOf(instance.Tags)
  const host = Placement?.HostId ?? ''
  const host_id = host === '' ? '' : hostIdOf(host)
  const zone = zoneOf(Placement ?? {}, region, lookups.zones)
  const createdAt = creationOf(instance)
  const notes = notesOf(instance, lookups)
  return {
    name: nameOf(instance.Tags, InstanceId),
    description: tags['Description'] ?? tags['description'] ?? '',
    external_id: InstanceId,
    status: statuses.get(State.Name) ?? 'unknown',
    ...lookups.attributes.get(InstanceId),
    ...(createdAt !== undefined && { created_at: createdAt }),
    hypervisor: 'aws',
    host_type: 'aws',
    host,
    host_id,
    cloud_env: 'public',
    environment: environmentOf(region),
    billing_type: 'postpaid',
    region: regionName(region),
    region_ext_id: region,
    cloudregion_id: regionIdOf(region),
    ...(zone.name !== '' && { zone: zone.name, zone_ext_id: zone.externalId, zone_id: zone.id }),
    instance_type: InstanceType,
    flavor_id: InstanceType,
    flavor_uuid: flavorIdOf(region, InstanceType),
    image: image?.Name ?? '',
    image_id: instance.ImageId ?? '',
    vcpu_count: coresOf(instance) ?? type?.VCpuInfo?.DefaultVCpus ?? 0,
    vmem_size: type?.MemoryInfo?.SizeInMiB ?? 0,
    disks_info: disksOf(instance, lookups),
    ...connectionOf(instance, lookups),
    ...securityOf(instance, lookups),
    src_ip_check: instance.SourceDestCheck ?? true,
    isolated_devices: devicesOf(type),
    keypair: KeyName,
    keypair_id: lookups.keyPairs.get(KeyName)?.KeyPairId ?? '',
    ...operatingSystemOf(instance, image),
    bios: biosOf(instance, image),
    scaling_group_id: tags['aws:autoscaling:groupName'] ?? '',
    tags,
    ...(Object.keys(notes).length > 0 && { notes }),
  }
}

/** The configured cores, which can be fewer than the instance type has. */
function coresOf({ CpuOptions }: Instance): number | undefined {
  const { CoreCount, ThreadsPerCore } = CpuOptions ?? {}
  return CoreCount === undefined || ThreadsPerCore === undefined
    ? undefined
    : CoreCount * ThreadsPerCore
}

/**
 * EC2 reports only the time of the last start. The creation time is the earliest of it and the attach
 * times of the first network interface and the root disk.
 */
function creationOf(instance: Instance): string | undefined {
  const { BlockDeviceMappings = [], RootDeviceName, LaunchTime } = instance
  const root = BlockDeviceMappings.find(({ DeviceName }) => DeviceName === RootDeviceName)
  const times = [
    interfacesOf(instance)[0]?.Attachment?.AttachTime,
    root?.Ebs?.AttachTime,
    LaunchTime,
  ].flatMap((date) => (date && !Number.isNaN(date.getTime()) ? date.getTime() : []))
  return times.length === 0 ? undefined : timestamp(Math.min(...times))
}

/** Why a stop would end the instance, or why EC2 does not stop it. */
function lostOnStop(instance: Instance, lookups: RegionLookups): string | undefined {
  if (instance.RootDeviceType === 'instance-store') {
    return 'Its root disk is an instance store, so EC2 can only terminate it.'
  }
  const request = lookups.spotRequests.get(instance.SpotInstanceRequestId)
  return request?.Type === 'one-time'
    ? 'It is a one-time Spot Instance, so EC2 can only terminate it.'
    : undefined
}

function notesOf(instance: Instance, lookups: RegionLookups): Record<string, string> {
  const state = instance.State?.Name ?? ''
  const lost = lostOnStop(instance, lookups)
  return {
    ...(!statuses.has(state) && { source_status: state }),
    ...(lost !== undefined && { lost_on_stop: lost }),
  }
}

/** The boot mode that was used, else the configured one, else the default of the architecture. */
function biosOf(instance: Instance, image: Image | undefined): string {
  const { CurrentInstanceBootMode, BootMode = image?.BootMode, Architecture = '' } = instance
  const mode = CurrentInstanceBootMode ?? (BootMode === 'uefi-preferred' ? 'uefi' : BootMode)
  if (mode !== undefined) return mode === 'uefi' ? 'UEFI' : 'BIOS'
  return Architecture.startsWith('arm64') ? 'UEFI' : 'BIOS'
}
