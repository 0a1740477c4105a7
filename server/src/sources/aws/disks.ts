import type { Instance, InstanceTypeInfo } from '@aws-sdk/client-ec2'
import { derivedId } from '../../domain/sources/derived-id.ts'
import type { ReportedDisk } from '../../domain/sources/reported-parts.ts'
import type { RegionLookups } from './region-lookups.ts'
import { nameOf } from './tags.ts'

const mebibyte = 2 ** 20
const rotating: ReadonlySet<string> = new Set(['st1', 'sc1', 'standard'])

/** The volumes, boot volume first, then the local disks. */
export const disksOf = (instance: Instance, lookups: RegionLookups): ReportedDisk[] =>
  [
    ...attachedVolumes(instance, lookups),
    ...localDisks(lookups.types.get(instance.InstanceType)),
  ].map((disk) => ({ ...disk, disk_format: 'raw' }))

function attachedVolumes(instance: Instance, lookups: RegionLookups): ReportedDisk[] {
  const { BlockDeviceMappings = [], RootDeviceName, ImageId = '', InstanceId = '' } = instance
  const isNvme = lookups.types.get(instance.InstanceType)?.EbsInfo?.NvmeSupport === 'required'
  const sortKey = (device: string) => (device === RootDeviceName ? '' : device)
  return BlockDeviceMappings.map(({ DeviceName = '', Ebs }) => ({ DeviceName, id: Ebs?.VolumeId }))
    .sort((a, b) => (sortKey(a.DeviceName) < sortKey(b.DeviceName) ? -1 : 1))
    .flatMap(({ DeviceName, id = '' }) => {
      const volume = lookups.volumes.get(id)
      // It was detached during the scan.
      if (!volume) return []
      const isRoot = DeviceName === RootDeviceName
      const { VolumeType = '', Size = 0, Iops = 0, Throughput = 0, Tags } = volume
      return {
        // Several instances can attach the volume, and each has a disk of its own.
        id: volume.MultiAttachEnabled === true ? derivedId('disk', InstanceId, id) : id,
        name: nameOf(Tags, DeviceName),
        size: Size * 1024,
        disk_type: isRoot ? 'sys' : 'data',
        driver: isNvme ? 'nvme' : 'xen',
        medium_type: rotating.has(VolumeType) ? 'rotate' : 'ssd',
        storage_type: VolumeType,
        iops: Iops,
        bps: Throughput * mebibyte,
        ...(isRoot && { image: lookups.images.get(ImageId)?.Name ?? '', image_id: ImageId }),
      }
    })
}

/**
 * Local disks of an instance type. For older types they were optional, and EC2 does not report
 * them.
 */
function localDisks(type: InstanceTypeInfo | undefined): ReportedDisk[] {
  const { Disks = [], NvmeSupport } = type?.InstanceStorageInfo ?? {}
  if (NvmeSupport !== 'required') return []
  return Disks.flatMap(({ Count = 0, SizeInGB = 0, Type }) =>
    Array.from({ length: Count }, () => ({ SizeInGB, Type })),
  ).map(({ SizeInGB, Type }, number) => ({
    name: `ephemeral${number}`,
    // EC2 reports these in decimal gigabytes.
    size: Math.round((SizeInGB * 1e9) / mebibyte),
    disk_type: 'data',
    driver: 'nvme',
    medium_type: Type === 'hdd' ? 'rotate' : 'ssd',
    storage_type: 'local',
  }))
}
