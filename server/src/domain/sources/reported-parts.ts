import {
  itemFields,
  type Disk,
  type InventoryResource,
  type IsolatedDevice,
  type Item,
  type Nic,
} from '@muster/contract'
import ipaddr from 'ipaddr.js'
import type { ServerFacts } from '../inventory/server-facts.ts'
import {
  describedChildKinds,
  resourceOf,
  type ChildKind,
  type InventoryResources,
} from '../inventory/kinds.ts'
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

/** The kinds of items whose fields in the server follow from their description. */
type DescribedKind = Exclude<ChildKind, 'disks'>

/** Without an id, its name identifies an item in its server. */
type ReportedItem<R extends InventoryResource> = Partial<Item<R>> & { readonly name: string }

/** Lists of which a source reports only what it knows. */
export type ReportedParts = {
  /** The system disk comes first. */
  readonly disks_info?: readonly ReportedDisk[]
  readonly nics?: readonly ReportedNic[]
  readonly isolated_devices?: readonly ReportedDevice[]
} & {
  readonly [Kind in DescribedKind as `${Kind}_info`]?: readonly ReportedItem<
    InventoryResources[Kind]
  >[]
}

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

/** An item with the fields that the source left out. */
export function completeItem(
  resource: InventoryResource,
  item: Readonly<Record<string, unknown>>,
  serverId: string,
): Readonly<Record<string, unknown>> {
  const { key, fields } = resource
  const empty = itemFields(resource).map((name) => [name, fields[name]?.default])
  const id = derivedId(key, serverId, String(item['name']))
  return { ...Object.fromEntries(empty), id, ...item }
}

/** This runs for every address of every server. Most have no second one, and a check before parsing parses too. */
function isPublic(address: string): boolean {
  if (address === '') return false
  try {
    return ipaddr.parse(address).range() === 'unicast'
  } catch {
    return false
  }
}

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

type CompleteParts = Required<Pick<ServerFacts, keyof ReportedParts | 'networks'>>

/** The lists of a server, with the fields that the source left out. */
export function completeParts(
  parts: ReportedParts,
  server: Parameters<typeof completeDevice>[2],
): CompleteParts {
  const { disks_info = [], nics = [], isolated_devices = [] } = parts
  const items = describedChildKinds.map((kind) => {
    const { [`${kind}_info`]: reported = [] } = parts as Readonly<
      Record<string, readonly ReportedItem<InventoryResource>[] | undefined>
    >
    const complete = reported.map((item) => completeItem(resourceOf(kind), item, server.id))
    return [`${kind}_info`, complete]
  })
  return {
    ...Object.fromEntries(items),
    disks_info: disks_info.map((disk, index) => completeDisk(disk, index, server.id)),
    nics: nics.map(completeNic),
    networks: describeNics(nics),
    isolated_devices: isolated_devices.map((device, index) =>
      completeDevice(device, index, server),
    ),
  }
}
