import { timestamp } from '../../domain/timestamp.ts'
import type { ReportedServer } from '../../domain/sources/source.ts'
import type { Json } from '../shared/json.ts'
import { osTypeOf } from '../shared/os-type.ts'
import { memberNameOf, type Daemon } from './daemon.ts'
import { devicesOf } from './devices.ts'
import { storageOf } from './disks.ts'
import { pathOf, type Instance } from './instance.ts'
import type { InstanceIndex } from './instance-index.ts'
import { imageIdOf, type Lookups } from './lookups.ts'
import type { Member } from './members.ts'
import { connectionOf } from './nics.ts'
import { countCpus, memoryOf } from './sizes.ts'
import { statusOf } from './status.ts'
import { hostIdOf, hostStatusOf } from './to-resources.ts'
import { unreadFields } from './unread-fields.ts'

/** Configuration of cloud-init. It may contain passwords, so it is not shown as tags. */
const cloudInit = /^user\.(?:user-data|vendor-data|meta-data|network-config)$/

function tagsOf(config: Instance['config']): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(config)
      .filter(([name]) => name.startsWith('user.') && !cloudInit.test(name))
      .map(([name, value]) => [name.slice('user.'.length), value]),
  )
}

/** From the properties of the image. Containers share the kernel of the host, which is Linux. */
function operatingSystemOf({ config, isVirtualMachine }: Instance) {
  const os = config['image.os'] ?? ''
  const release = config['image.release'] ?? config['image.version'] ?? ''
  const os_type = isVirtualMachine ? osTypeOf(os) : 'Linux'
  return { os_type, os_name: `${os} ${release}`.trim() }
}

function machineOf({ architecture, config, isVirtualMachine }: Instance) {
  if (!isVirtualMachine) return { bios: '', machine: '' }
  return {
    bios: config['security.csm'] === 'true' ? 'BIOS' : 'UEFI',
    machine: architecture === 'x86_64' ? 'q35' : 'virt',
  }
}

/** Go's zero time and the Unix epoch stand for unknown times. */
const isKnownTime = (time: string) => Date.parse(time) > 0

const lostOnStop = 'It is an ephemeral instance: it is deleted when it stops.'

function notesOf({ config, profiles, isEphemeral }: Instance, sourceStatus: string | undefined) {
  const autostart = config['boot.autostart']
  return {
    ...(sourceStatus !== undefined && { source_status: sourceStatus }),
    ...(autostart !== undefined && { boot_autostart: autostart }),
    ...(profiles.length > 0 && { profiles: profiles.join(',') }),
    ...(isEphemeral && { lost_on_stop: lostOnStop }),
  }
}

function hostFacts(daemon: Daemon, name: string, member: Member | undefined) {
  const zone = member?.failureDomain ?? ''
  return {
    host: name,
    host_id: hostIdOf(daemon, name),
    host_sn: member?.serial ?? '',
    host_type: 'incus',
    ...hostStatusOf(member),
    // Every cluster has the failure domain `default`, which says nothing.
    ...(zone !== '' && zone !== 'default' && { zone, zone_ext_id: zone }),
  }
}

/** The id of the image that an instance was made from. */
function imageOf(
  daemon: Daemon,
  { config, project }: Instance,
  { imageProjects }: Lookups,
): string {
  const fingerprint = config['volatile.base_image'] ?? ''
  const owner = imageProjects.get(project) ?? 'default'
  return fingerprint === '' ? '' : imageIdOf(daemon, owner, fingerprint)
}

/** Converts an instance to a server. Contains no counters, which would change in each scan. */
export function toServer(
  instance: Instance,
  /** Network interfaces of a running instance; undefined if they could not be read. */
  network: Json | undefined,
  { daemon, index, lookups }: { daemon: Daemon; index: InstanceIndex; lookups: Lookups },
): ReportedServer {
  const { config, isVirtualMachine, project } = instance
  const path = pathOf(instance)
  const key = index.keyOf(path)
  const memberName = memberNameOf(daemon, instance.location)
  const member = lookups.members?.get(memberName)
  const imageId = imageOf(daemon, instance, lookups)
  const { status, sourceStatus } = statusOf(instance.status)
  const unread = new Set(unreadFields(instance, memberName, lookups))
  if (!network) unread.add('nics')
  return {
    key,
    tenant: { id: project, name: project },
    ...(unread.size > 0 && { unread: [...unread] }),
    facts: {
      name: instance.name,
      description: instance.description,
      status,
      external_id: index.externalIdOf(path),
      hypervisor: isVirtualMachine ? 'kvm' : 'lxc',
      cloud_env: 'onpremise',
      ...hostFacts(daemon, memberName, member),
      vcpu_count: countCpus(config['limits.cpu'] ?? '', isVirtualMachine, member?.cpuCount ?? 0),
      vmem_size: memoryOf(config['limits.memory'] ?? '', isVirtualMachine, member?.memory ?? 0),
      ...storageOf(instance, imageId, lookups),
      image: config['image.description'] ?? '',
      image_id: imageId,
      ...connectionOf(instance, lookups, network ?? {}),
      isolated_devices: devicesOf(instance),
      ...machineOf(instance),
      ...operatingSystemOf(instance),
      shutdown_behavior: instance.isEphemeral ? 'terminate' : 'stop',
      disable_delete: config['security.protection.delete'] === 'true',
      ...(isKnownTime(instance.createdAt) && {
        created_at: timestamp(Date.parse(instance.createdAt)),
      }),
      tags: tagsOf(config),
      notes: notesOf(instance, sourceStatus),
    },
  }
}
