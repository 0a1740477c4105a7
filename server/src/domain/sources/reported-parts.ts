import type { Disk, IsolatedDevice, Nic } from '@muster/contract'
import ipaddr from 'ipaddr.js'
import { derivedId } from './derived-id.ts'

/** A disk. Its place in the list is its index; the first one is the system disk. */
export type ReportedDisk = Pick<Disk, 'name' | 'size'> & Partial<Omit<Disk, 'index'>>

/** A network interface, in the order of the server. */
export interface ReportedNic extends Partial<Nic> {
  /** The length of the mask of the IPv4 address; 0 if it is unknown. */
  readonly mask?: number
  /** The name of the network. */
  readonly network?: string
}

/** A device of the host that the server has for itself. */
export type ReportedDevice = Pick<IsolatedDevice, 'dev_type'> &
  Partial<Omit<IsolatedDevice, 'guest_id' | 'host_id'>>

const emptyDisk = {
  aio_mode: '',
  bps: 0,
  cache_mode: '',
  disk_format: '',
  driver: '',
  fs: '',
  image: '',
  image_id: '',
  iops: 0,
  medium_type: '',
  storage_type: '',
} as const

export const completeDisk = (disk: ReportedDisk, index: number, serverId: string): Disk => ({
  ...emptyDisk,
  id: disk.id ?? derivedId('disk', serverId, disk.name),
  disk_type: index === 0 ? 'sys' : 'data',
  ...disk,
  index,
})

const isPublic = (address: string) =>
  ipaddr.isValid(address) && ipaddr.parse(address).range() === 'unicast'

export function completeNic(reported: ReportedNic): Nic {
  const { mask: _mask, network: _network, ip_addr = '', ip6_addr = '', ...nic } = reported
  return {
    ip_addr,
    ip6_addr,
    mac: '',
    network_id: '',
    vpc_id: '',
    is_exit: isPublic(ip_addr) || isPublic(ip6_addr),
    team_with: '',
    ...nic,
  }
}

/** The field `networks` of a server. */
export const describeNics = (nics: readonly ReportedNic[]): string =>
  nics
    .map(({ ip_addr = '', mask = 0, mac = '', network = '' }, index) =>
      [`eth${index}:${ip_addr}`, mask > 0 ? mask : '', mac, network].join('/'),
    )
    .join(',')

export function completeDevice(
  device: ReportedDevice,
  index: number,
  server: { readonly id: string; readonly hostId: string; readonly createdAt: string | null },
): IsolatedDevice {
  const name = device.name ?? `${device.dev_type.toLowerCase()}-${index}`
  return {
    id: device.id ?? derivedId('device', server.id, name),
    name,
    addr: '',
    description: '',
    model: '',
    vendor_device_id: '',
    guest_id: server.id,
    host_id: server.hostId,
    reserved_cpu: 0,
    reserved_memory: 0,
    reserved_storage: 0,
    created_at: server.createdAt,
    updated_at: server.createdAt,
    deleted_at: null,
    deleted: false,
    is_emulated: false,
    update_version: 0,
    ...device,
  }
}
