import type { DetailField, ReportedFacts, ReportedServer } from '../../domain/sources/source.ts'
import { timestamp } from '../../domain/timestamp.ts'
import { numberOf } from '../shared/parse-xml.ts'
import { cdromOf, datastoreIdsOf, diskNotes, disksOf } from './disks.ts'
import { passedDevices } from './devices.ts'
import { hostStatusOf } from './host-status.ts'
import type { Identity } from './identities.ts'
import {
  computeResource,
  datacenter,
  folder,
  host,
  pool,
  resourceId,
  type Inventory,
} from './inventory.ts'
import { nameOf, type Machine } from './machine.ts'
import { networkIdsOf, nicsOf } from './nics.ts'
import { snapshotNotes } from './snapshots.ts'
import { osTypeOf } from '../shared/os-type.ts'

/** What VMware Tools reports of the running system, else the configured one. */
function operatingSystemOf(machine: Machine): { os_type: string; os_name: string } {
  const configured = osTypeOf(machine.text('config.guestId'))
  // VMware Tools knows few families, and without them vSphere may guess.
  const areToolsRunning = machine.text('guest.toolsRunningStatus') === 'guestToolsRunning'
  const family = areToolsRunning ? osTypeOf(machine.text('guest.guestFamily')) : ''
  const isUnix = family === 'Linux' && configured !== '' && configured !== 'Windows'
  return {
    os_type: isUnix || family === '' ? configured : family,
    os_name: machine.text('guest.guestFullName') || machine.text('config.guestFullName'),
  }
}

const statuses: ReadonlyMap<string, string> = new Map([
  ['poweredOn', 'running'],
  ['poweredOff', 'ready'],
  ['suspended', 'suspend'],
])

/** The power state is known only while vSphere is connected to the host and the files. */
function statusOf(machine: Machine): { status: string; note: string } {
  const [connection, power] = [
    machine.text('runtime.connectionState'),
    machine.text('runtime.powerState'),
  ]
  if (connection !== 'connected') return { status: 'unknown', note: connection }
  const status = statuses.get(power)
  return status === undefined ? { status: 'unknown', note: power } : { status, note: '' }
}

/** vSphere reports the year 1970 for virtual machines that are older than the field. */
function creationOf(machine: Machine): string | undefined {
  const time = Date.parse(machine.text('config.createDate'))
  return time > 0 ? timestamp(time) : undefined
}

/** Whether what contains an object is missing because the inventory was too long. */
const isCutAbove = (id: string, type: RegExp, inventory: Inventory): boolean =>
  inventory.errors.length > 0 && id !== '' && !inventory.around(id, type)

/** Custom attributes, tags by category, and the folder, so that mapping rules can use them. */
function tagsOf(machine: Machine, inventory: Inventory): Record<string, string> {
  // The first folder contains all virtual machines of the datacenter.
  const parent = machine.refId('parent')
  const outside = inventory.pathOf(inventory.around(parent, datacenter)?.ref.id ?? '', folder)
  const path = isCutAbove(parent, datacenter, inventory)
    ? []
    : inventory.pathOf(parent, folder).slice(outside.length + 1)
  const attributes = [...machine.attributes].map(
    ([key, text]) => [inventory.attributes.get(key) ?? '', text] as const,
  )
  const tags = [['folder', path.join('/')] as const, ...attributes, ...machine.tags.byCategory]
  // Not by assignment, which would not set a tag that is named __proto__.
  return Object.fromEntries(tags.filter(([name, text]) => name !== '' && text !== ''))
}

/** The resource pool; virtual machines in the root pool of a cluster or host have no tenant. */
function tenantOf(machine: Machine, inventory: Inventory) {
  const id = machine.refId('resourcePool')
  const [, ...path] = inventory.pathOf(id, pool)
  if (path.length === 0 || isCutAbove(id, computeResource, inventory)) return undefined
  return { id: resourceId('tenant', inventory, id), name: path.join('/') }
}

function locationOf(machine: Machine, inventory: Inventory): Partial<ReportedFacts> {
  const on = inventory.around(machine.refId('runtime.host'), host)
  const place = on?.ref.id ?? machine.refId('parent')
  const region = inventory.around(place, datacenter)
  const zone = inventory.around(place, computeResource)
  return {
    ...(region && {
      region: region.name,
      region_ext_id: region.ref.id,
      cloudregion_id: resourceId('region', inventory, region.ref.id),
    }),
    ...(zone && {
      zone: zone.name,
      zone_ext_id: zone.ref.id,
      zone_id: resourceId('zone', inventory, zone.ref.id),
    }),
    ...(on && {
      host: on.name,
      host_id: resourceId('host', inventory, on.ref.id),
      host_sn: on.serial ?? '',
      host_status: hostStatusOf(on).status,
      host_service_status: hostStatusOf(on).host_status,
    }),
  }
}

const ofLocation = [
  'region',
  'region_ext_id',
  'cloudregion_id',
  'zone',
  'zone_ext_id',
  'zone_id',
  'host',
  'host_id',
  'host_sn',
  'host_status',
  'host_service_status',
] as const

/** The fields that need an object that is missing because the inventory was too long, or a tag that is denied. */
function unreadFields(machine: Machine, inventory: Inventory): readonly DetailField[] {
  const areTagsUnread =
    machine.tags.areUnread ||
    isCutAbove(machine.refId('parent'), datacenter, inventory) ||
    machine.attributes.keys().some((key) => !inventory.attributes.has(key))
  const ofMapping = [
    ...(areTagsUnread ? (['tags'] as const) : []),
    ...(isCutAbove(machine.refId('resourcePool'), computeResource, inventory)
      ? (['tenant'] as const)
      : []),
  ]
  if (inventory.errors.length === 0) return ofMapping
  const lacks = (ids: readonly string[]) => ids.some((id) => id !== '' && !inventory.get(id))
  const location = locationOf(machine, inventory)
  const isElsewhere = lacks([machine.refId('runtime.host'), machine.refId('parent')])
  return [
    ...ofMapping,
    ...(isElsewhere ? ofLocation.filter((field) => !(field in location)) : []),
    ...(lacks(datastoreIdsOf(machine)) ? (['disks_info'] as const) : []),
    ...(lacks(networkIdsOf(machine)) ? (['nics'] as const) : []),
  ]
}

function notesOf(machine: Machine, inventory: Inventory): Record<string, string> {
  const notes = {
    source_status: statusOf(machine).note,
    guest_hostname: machine.text('guest.hostName'),
    tools_status: machine.text('guest.toolsRunningStatus'),
    tools_version_status: machine.text('guest.toolsVersionStatus2'),
    hardware_version: machine.text('config.version'),
    bios_uuid: machine.text('config.uuid'),
    managed_object_id: machine.ref.id,
    ...diskNotes(machine, inventory),
    ...snapshotNotes(machine),
  }
  return Object.fromEntries(Object.entries(notes).filter(([, text]) => text !== ''))
}

/** Converts a virtual machine to a server. Contains no counters, which would change in each scan. */
export function toServer(
  machine: Machine,
  { key, externalId }: Identity,
  inventory: Inventory,
): ReportedServer {
  const created = creationOf(machine)
  const tenant = tenantOf(machine, inventory)
  const facts: ReportedFacts = {
    name: nameOf(machine),
    description: machine.value('config.annotation')?.text ?? '',
    status: statusOf(machine).status,
    external_id: externalId,
    ...(created !== undefined && { created_at: created }),
    hypervisor: 'esxi',
    host_type: 'esxi',
    cloud_env: 'onpremise',
    ...locationOf(machine, inventory),
    vcpu_count: numberOf(machine.text('config.hardware.numCPU')),
    vmem_size: numberOf(machine.text('config.hardware.memoryMB')),
    disks_info: disksOf(machine, inventory),
    cdrom: cdromOf(machine),
    cdrom_support: true,
    nics: nicsOf(machine, inventory),
    isolated_devices: passedDevices(machine),
    ...operatingSystemOf(machine),
    bios: machine.text('config.firmware') === 'efi' ? 'UEFI' : 'BIOS',
    vga: 'vmware',
    tags: tagsOf(machine, inventory),
    notes: notesOf(machine, inventory),
  }
  const unread = unreadFields(machine, inventory)
  return { key, ...(tenant && { tenant }), facts, ...(unread.length > 0 && { unread }) }
}
