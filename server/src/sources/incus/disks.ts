import type { ReportedDisk } from '../../domain/sources/reported-parts.ts'
import type { Instance } from './instance.ts'
import type { Lookups } from './lookups.ts'
import { bytesOf, toMebibytes } from './sizes.ts'
import { volumeKey } from './storage.ts'

/** Storage drivers that the API has other words for. */
const storageTypes: ReadonlyMap<string, string> = new Map([
  ['dir', 'local'],
  ['ceph', 'rbd'],
  ['lvmcluster', 'lvm'],
])

const drivers: ReadonlyMap<string, string> = new Map([
  ['virtio-blk', 'virtio'],
  ['virtio-scsi', 'scsi'],
])

const lastPart = (path: string) => path.split('/').at(-1) ?? ''

type Device = Instance['devices'][number]

const isRoot = ([, { path }]: Device) => path === '/'

/** What a device of the type `disk` is. Directories of the host in a container are no disks. */
function kindOf(
  [, { path, pool = '', source = '' }]: Device,
  { project, isVirtualMachine }: Instance,
  { volumes }: Lookups,
): 'disk' | 'cdrom' | undefined {
  if (path === '/') return 'disk'
  if (pool !== '') return volumes.get(volumeKey(pool, project, source))?.isIso ? 'cdrom' : 'disk'
  if (!isVirtualMachine || !source.startsWith('/')) return undefined
  return source.endsWith('.iso') ? 'cdrom' : 'disk'
}

/** A limit of both directions, in operations or in bytes per second. */
function limitsOf(limit: string): Pick<ReportedDisk, 'iops' | 'bps'> {
  const operations = /^(\d+)iops$/.exec(limit)?.[1]
  return operations === undefined ? { bps: bytesOf(limit) } : { iops: Number(operations) }
}

/** The root disk comes first. */
export function storageOf(instance: Instance, imageId: string, lookups: Lookups) {
  const { config, project, isVirtualMachine } = instance
  const devices = instance.devices.filter(([, { type }]) => type === 'disk')
  const found = (kind: string) =>
    devices.filter((device) => kindOf(device, instance, lookups) === kind)
  const disks = found('disk')
  const inOrder = [...disks.filter(isRoot), ...disks.filter((device) => !isRoot(device))]
  return {
    disks_info: inOrder.map((device): ReportedDisk => {
      const [name, settings] = device
      const { pool = '', source = '' } = settings
      const volume = lookups.volumes.get(volumeKey(pool, project, source))
      const { driver = '', defaultBytes = 0 } = lookups.pools.get(pool) ?? {}
      const bus = settings['io.bus'] ?? 'virtio-scsi'
      return {
        name,
        size: toMebibytes(bytesOf(settings['size'] ?? '') || (volume?.bytes ?? defaultBytes)),
        storage_type: storageTypes.get(driver) ?? driver,
        ...limitsOf(settings['limits.max'] ?? ''),
        ...(isVirtualMachine && {
          disk_format: 'raw',
          driver: drivers.get(bus) ?? bus,
          cache_mode: settings['io.cache'] ?? '',
        }),
        ...(isRoot(device) && {
          image: config['image.description'] ?? '',
          image_id: imageId,
        }),
      }
    }),
    cdrom: found('cdrom').map(([, { source = '' }]) => lastPart(source))[0] ?? '',
    cdrom_support: isVirtualMachine,
  }
}
