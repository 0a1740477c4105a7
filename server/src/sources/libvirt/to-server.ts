import type {
  DetailField,
  ReportedFacts,
  ReportedServer,
  ServerKey,
} from '../../domain/sources/source.ts'
import { devicesOf } from './devices.ts'
import { cdromOf, disksOf, lacksPool } from './disks.ts'
import type { Host } from './host.ts'
import { describeMachine } from './machine.ts'
import { connectionOf, unreadOfNics } from './nics.ts'
import { readMetadata, type DomainMetadata } from './metadata-tags.ts'
import { operatingSystemOf } from './operating-system.ts'
import { attributeOf, childOf, numberOf, textOf, type XmlElement } from '../shared/parse-xml.ts'
import { isActive, statusOf } from './status.ts'
import type { HostResources } from './host-resources.ts'

/** A domain, combined from several responses of libvirt. */
export interface DomainDetails {
  readonly uuid: string
  readonly xml: XmlElement
  readonly state: number
  readonly reason: number
  /** Whether the domain disappears when it stops. */
  readonly isTransient: boolean
  /** Sizes of its disks in bytes, by target device. */
  readonly capacities: ReadonlyMap<string, number>
  /** Whether a size is missing because the guest is busy. */
  readonly isSizeUnread?: boolean
  readonly nodeDevices: ReadonlyMap<string, XmlElement>
}

export interface HostLocation {
  /** The group of hosts between which guests migrate. */
  readonly group: string
  readonly host: Host
  readonly hostResources: HostResources
}

/** In mebibytes. libvirt's default unit is KiB. */
const units: ReadonlyMap<string, number> = new Map(
  Object.entries({
    b: 1 / 1_048_576,
    bytes: 1 / 1_048_576,
    KB: 1_000 / 1_048_576,
    KiB: 1 / 1_024,
    MB: 1_000_000 / 1_048_576,
    MiB: 1,
    GB: 1_000_000_000 / 1_048_576,
    GiB: 1_024,
    TiB: 1_048_576,
  }),
)

const lostOnStop = 'It is a transient domain: it exists only while it runs.'

export const keyOf = (group: string, uuid: string): ServerKey => ['libvirt', group, uuid]

function memoryOf(domain: XmlElement): number {
  const unit = attributeOf(childOf(domain, 'memory'), 'unit') || 'KiB'
  return Math.round(numberOf(textOf(domain, 'memory')) * (units.get(unit) ?? 1 / 1_024))
}

/** The CPUs that are plugged in now, of the maximum. */
function coresOf(domain: XmlElement): number {
  const current = numberOf(attributeOf(childOf(domain, 'vcpu'), 'current'))
  return current > 0 ? current : numberOf(textOf(domain, 'vcpu'))
}

const describe = (domain: XmlElement) =>
  [textOf(domain, 'title'), textOf(domain, 'description')].filter((text) => text !== '').join('\n')

/** What happens when the guest powers off. */
function shutdownBehavior(domain: XmlElement, isTransient: boolean): string {
  if (/restart/.test(textOf(domain, 'on_poweroff'))) return ''
  return isTransient ? 'terminate' : 'stop'
}

/** Converts a domain to a server. Contains no counters or times, which would change in each scan. */
export function toServer(domain: DomainDetails, location: HostLocation): ReportedServer {
  const key = keyOf(location.group, domain.uuid)
  const metadata = readMetadata(childOf(domain.xml, 'metadata'))
  const unread = unreadFields(domain, location.hostResources)
  return {
    key,
    ...(metadata.tenant && { tenant: metadata.tenant }),
    facts: factsOf(domain, location, metadata),
    ...(unread.length > 0 && { unread }),
  }
}

/** The fields that failed calls leave incomplete. */
function unreadFields(
  { xml, isSizeUnread = false }: DomainDetails,
  hostResources: HostResources,
): readonly DetailField[] {
  const devices = childOf(xml, 'devices')
  const areDisksUnread = isSizeUnread || lacksPool(devices, hostResources)
  return [
    ...(areDisksUnread ? (['disks_info'] as const) : []),
    ...unreadOfNics(devices, hostResources),
  ]
}

function factsOf(
  { uuid, xml, state, reason, isTransient, capacities, nodeDevices }: DomainDetails,
  { host, hostResources }: HostLocation,
  metadata: DomainMetadata,
): ReportedFacts {
  const devices = childOf(xml, 'devices')
  const { status, sourceStatus } = statusOf(state, reason)
  return {
    // Not trimmed: spaces are part of the name.
    name: childOf(xml, 'name')?.text ?? '',
    description: describe(xml),
    status,
    external_id: uuid,
    hypervisor: attributeOf(xml, 'type'),
    cloud_env: 'onpremise',
    host: host.name,
    host_id: host.uuid,
    host_sn: host.serial,
    host_type: 'hypervisor',
    host_status: 'running',
    host_service_status: 'online',
    vcpu_count: coresOf(xml),
    vmem_size: memoryOf(xml),
    instance_type: metadata.instanceType,
    disks_info: disksOf(devices, {
      uuid,
      pools: hostResources.pools,
      capacities,
      imageId: metadata.imageId,
    }),
    cdrom: cdromOf(devices),
    cdrom_support: true,
    ...connectionOf(devices, hostResources, isActive(state)),
    isolated_devices: devicesOf(devices, { uuid, nodeDevices }),
    ...describeMachine(xml),
    ...operatingSystemOf(childOf(xml, 'metadata')),
    shutdown_behavior: shutdownBehavior(xml, isTransient),
    ...(metadata.createdAt !== undefined && { created_at: metadata.createdAt }),
    tags: metadata.tags,
    notes: {
      ...(sourceStatus !== undefined && { source_status: sourceStatus }),
      ...(isTransient && { lost_on_stop: lostOnStop }),
    },
  }
}
