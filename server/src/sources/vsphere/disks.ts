import type { ReportedDisk } from '../../domain/sources/reported-parts.ts'
import { childOf, numberOf, textOf } from '../shared/parse-xml.ts'
import type { Inventory } from './inventory.ts'
import type { Device, Machine } from './machine.ts'
import { isTrue, refOf, typeOf } from './soap.ts'

const mebibyte = 2 ** 20

/** The first match applies. */
const drivers: readonly (readonly [RegExp, string])[] = [
  [/^ParaVirtualSCSI/, 'pvscsi'],
  [/LsiLogic|BusLogic|SCSI/, 'scsi'],
  [/^VirtualIDE/, 'ide'],
  [/AHCI|SATA/, 'sata'],
  [/NVME/, 'nvme'],
  [/USB|XHCI/, 'usb'],
]

const isDisk = ({ type }: Device) => type === 'VirtualDisk'

function sizeOf({ element }: Device): number {
  const bytes = numberOf(textOf(element, 'capacityInBytes'))
  return bytes > 0
    ? Math.ceil(bytes / mebibyte)
    : Math.ceil(numberOf(textOf(element, 'capacityInKB')) / 1_024)
}

const isRaw = ({ element }: Device) => {
  const backing = childOf(element, 'backing')
  return backing !== undefined && /RawDisk|PartitionedRaw/.test(typeOf(backing))
}

/** In the order in which a virtual machine tries to boot from them: by controller and unit. */
function inOrder(machine: Machine): readonly Device[] {
  const place = ({ element }: Device) =>
    [textOf(element, 'controllerKey'), textOf(element, 'unitNumber')].map(numberOf)
  return machine.devices.filter(isDisk).toSorted((one, other) => {
    const [[controller = 0, unit = 0], [otherController = 0, otherUnit = 0]] = [
      place(one),
      place(other),
    ]
    return controller - otherController || unit - otherUnit
  })
}

function driverOf({ element }: Device, machine: Machine): string {
  const controller = machine.devices.find(({ key }) => key === textOf(element, 'controllerKey'))
  return drivers.find(([type]) => type.test(controller?.type ?? ''))?.[1] ?? ''
}

const datastoreIdOf = ({ element }: Device) =>
  refOf(childOf(element, 'backing', 'datastore'))?.id ?? ''

/** The datastores that the disks are in. */
export const datastoreIdsOf = ({ devices }: Machine): readonly string[] =>
  devices.filter(isDisk).map(datastoreIdOf)

const datastoreOf = (disk: Device, inventory: Inventory) => inventory.get(datastoreIdOf(disk))

export const disksOf = (machine: Machine, inventory: Inventory): ReportedDisk[] =>
  inOrder(machine).map((disk) => ({
    name: disk.label,
    size: sizeOf(disk),
    disk_format: isRaw(disk) ? 'raw' : 'vmdk',
    driver: driverOf(disk, machine),
    cache_mode: isTrue(disk.element, 'backing', 'writeThrough') ? 'writethrough' : '',
    storage_type: (datastoreOf(disk, inventory)?.texts['summary.type'] ?? '').toLowerCase(),
    // -1: no limit.
    iops: numberOf(textOf(disk.element, 'storageIOAllocation', 'limit')),
  }))

const sortedList = (texts: readonly string[]) =>
  [...new Set(texts)]
    .filter((text) => text !== '')
    .sort()
    .join(', ')

/** The datastores of the disks, and the disks that grow when they are written. */
export function diskNotes(machine: Machine, inventory: Inventory): Record<string, string> {
  const disks = machine.devices.filter(isDisk)
  return {
    datastores: sortedList(disks.map((disk) => datastoreOf(disk, inventory)?.name ?? '')),
    thin_disks: sortedList(
      disks
        .filter(({ element }) => isTrue(element, 'backing', 'thinProvisioned'))
        .map(({ label }) => label),
    ),
  }
}

/** The ISO image in the first CD drive that has one. */
export const cdromOf = ({ devices }: Machine): string =>
  devices
    .filter(({ type }) => type === 'VirtualCdrom')
    .map(({ element }) => textOf(element, 'backing', 'fileName').split('/').at(-1) ?? '')
    .find((name) => name !== '') ?? ''
