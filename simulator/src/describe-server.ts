import type { ReportedFacts, ServerKey } from '@muster/server/source-port'
import { serverIdOf } from '@muster/server/source-port'
import { billingOf } from './billing.ts'
import type { Size } from './clouds/cloud.ts'
import { devicesOf } from './devices.ts'
import { chance, diceOf, diceOfText, pick, roll, stamp, uuid } from './random-hash.ts'
import { disksOf, imageId } from './disks.ts'
import { externalIdOf } from './external-ids.ts'
import { startTime, tickLength, type Life } from './lifecycle.ts'
import { connectionOf } from './networks.ts'
import { linuxes, windowses } from './operating-systems.ts'
import { descriptionOf, nameOf, purposeOf, tagsOf, type Purpose } from './purposes.ts'
import { securityOf } from './security.ts'
import type { createSites, Site } from './sites.ts'
import type { State } from './status.ts'

const day = 86_400_000
const history = 3 * 365 * day
const gpuShare = 0.02
const otherDeviceShare = 0.004
/** Servers of one roll-out have the same creation time. */
const rolloutShare = 0.08
const strangeStatuses = ['crashed', 'paused-io', 'notresponding', 'ERROR(host down)']
const keypairs = ['ops-2024', 'deploy', 'jenkins', 'm.chen', 'ansible']
const scalingStatuses = ['ready', 'ready', 'ready', 'joining', 'removing', 'pending_remove']
const isos = ['ubuntu-24.04-live-server-amd64.iso', 'virtio-win-0.1.248.iso']

interface Subject {
  readonly seed: number
  readonly index: number
  readonly dice: number
  readonly project: number
  /** The index of the server within its project. */
  readonly inProject: number
  readonly life: Life
  readonly state: State
  readonly sites: ReturnType<typeof createSites>
}

/** The natural key of a server. It stays the same when the fleet grows. */
export const serverKey = (seed: number, index: number): ServerKey => [
  'simulator',
  String(seed),
  String(index),
]

/** Describes a server. Everything follows from its random seed and its history of changes. */
export function describeServer(subject: Subject): ReportedFacts {
  const { seed, index, dice, project, inProject, life, state } = subject
  const { site, host, backup } = subject.sites.siteAndHost(project, dice)
  const { cloud } = site
  const purpose = purposeOf(dice)
  const name = nameOf(dice, purpose, inProject)
  const os = pick(dice, 5, purpose.isWindows ? windowses : linuxes)
  const isOwn = cloud.serial !== undefined
  const isGpu = chance(dice, 6) < gpuShare
  const hasDevice = isOwn && (isGpu || chance(dice, 7) < otherDeviceShare)
  const size = sizeOf(dice, site, purpose, life.size, isGpu)
  const createdAt = creationTime(subject)
  const created_at = stamp(createdAt, microsOfCreation(subject))
  const place = { seed, index, dice, site, project, inProject }
  const connection = connectionOf({ ...place, version: life.address })
  const security = securityOf(seed, dice, site, project)
  const billing = billingOf(dice, life.since)
  const firmware = pick(dice, 9, cloud.firmware)
  const hasKeypair = os.type === 'Linux' && chance(dice, 11) < 0.65
  const keypair = hasKeypair ? pick(dice, 12, keypairs) : ''
  const isScaled = chance(dice, 13) < 0.03
  const hasBackup = cloud.provider === 'OneCloud' && chance(dice, 14) < 0.05
  const facts: ReportedFacts = {
    name,
    description: descriptionOf(dice, purpose),
    status: state.status,
    provider: cloud.provider,
    brand: cloud.provider,
    hypervisor: cloud.hypervisor,
    cloud_env: cloud.cloud_env,
    environment: cloud.environment,
    external_id: externalIdOf({ index, dice, account: site, name }),
    region: site.region,
    cloudregion_id: site.cloudregion_id,
    region_ext_id: site.region_ext_id,
    zone: site.zone,
    zone_id: site.zone_id,
    zone_ext_id: site.zone_ext_id,
    host: host.name,
    host_id: host.id,
    host_sn: host.serial,
    host_type: cloud.host_type,
    host_status: host.status,
    host_service_status: host.service,
    backup_host_id: hasBackup ? backup.id : '',
    backup_host_name: hasBackup ? backup.name : '',
    backup_host_status: hasBackup ? backup.status : '',
    ...sizeFacts(seed, site, size),
    disks_info: disksOf({ seed, dice, site, os, purpose }),
    image: os.image,
    image_id: imageId(seed, site, os),
    nics: connection.nics,
    vpc: connection.vpc,
    vpc_id: connection.vpc_id,
    eip: connection.eip,
    eip_mode: connection.eip_mode,
    virtual_ips: connection.virtual_ips,
    secgroups: security.secgroups,
    security_rules: security.security_rules,
    isolated_devices: hasDevice
      ? devicesOf({
          dice,
          server: serverIdOf({ key: serverKey(seed, index) }),
          host: host.id,
          createdAt: created_at,
          isGpu,
        })
      : [],
    is_gpu: isGpu,
    billing_type: billing.billing_type,
    billing_cycle: billing.billing_cycle,
    expired_at: billing.expired_at,
    auto_renew: billing.auto_renew,
    is_prepaid_recycle: billing.is_prepaid_recycle,
    can_recycle: billing.billing_type === 'prepaid' && chance(dice, 16) < 0.3,
    os_type: os.type,
    os_name: os.name,
    bios: firmware.bios,
    machine: firmware.machine,
    boot_order: chance(dice, 17) < 0.9 ? 'cdn' : 'dcn',
    vga: firmware.vga,
    vdi: firmware.vdi,
    cdrom: isOwn && chance(dice, 18) < 0.03 ? pick(dice, 19, isos) : '',
    cdrom_support: isOwn,
    shutdown_behavior: isScaled ? 'terminate' : 'stop',
    src_ip_check: chance(dice, 120) < 0.96,
    src_mac_check: chance(dice, 121) < 0.98,
    keypair,
    keypair_id: hasKeypair ? uuid(diceOfText(seed, keypair), project) : '',
    scaling_group_id: isScaled ? uuid(diceOf(seed ^ 0x5ca1e, project), 2) : '',
    scaling_status: isScaled ? pick(dice, 122, scalingStatuses) : '',
    disable_delete: chance(dice, 123) < 0.15,
    is_system: chance(dice, 124) < 0.004,
    is_emulated: true,
    created_at,
    updated_at: changeTime(subject, createdAt),
    tags: tagsOf(dice, purpose, state.isSteady ? life.label : life.label + life.status),
    notes: state.status === 'unknown' ? { source_status: pick(dice, 125, strangeStatuses) } : {},
  }
  return security.adminGroup ? { ...facts, adminGroup: security.adminGroup } : facts
}

/** A size that fits the purpose; each resize takes the next one. */
function sizeOf(
  dice: number,
  { cloud }: Site,
  { size: [from, to] }: Purpose,
  version: number,
  isGpu: boolean,
): Size {
  const among = isGpu ? cloud.gpuSizes : cloud.sizes
  const [low, high] = isGpu ? [0, 1] : [from, to]
  const start = Math.floor((low + chance(dice, 126) * (high - low)) * among.length)
  return among[(start + version) % among.length] as Size
}

type SizeSite = Pick<Site, 'account' | 'cloud' | 'cloudregion_id'>

const describedSizes = new Map<string, ReturnType<typeof describeSize>>()

/** The size of a server in its facts. Cached: few, and needed for every server. */
export function sizeFacts(seed: number, site: SizeSite, size: Size) {
  const key = `${seed} ${site.cloudregion_id} ${size.name}`
  const known = describedSizes.get(key)
  if (known) return known
  const described = describeSize(seed, site, size)
  describedSizes.set(key, described)
  return described
}

const describeSize = (seed: number, site: SizeSite, { name, cores, memory }: Size) => ({
  vcpu_count: cores,
  vmem_size: memory,
  instance_type: name,
  flavor_id:
    site.cloud.serial === undefined
      ? name
      : uuid(diceOfText(seed, `${seed} ${site.account} ${name}`), 3),
  flavor_uuid: uuid(diceOfText(seed, `${site.cloudregion_id} ${name}`), 7),
})

const isRolledOut = (dice: number) => chance(dice, 130) < rolloutShare
const rolloutOf = ({ seed, index }: Subject) => diceOf(seed ^ 0x2011, index >> 6)

function creationTime(subject: Subject): number {
  const { dice, state } = subject
  if (state.cameAt !== undefined) return state.cameAt
  const age = chance(isRolledOut(dice) ? rolloutOf(subject) : dice, 131)
  // More servers are young than old.
  return startTime - day - Math.floor(age * Math.sqrt(age) * history)
}

function microsOfCreation(subject: Subject): number {
  const { dice, state } = subject
  if (state.cameAt !== undefined) return 0
  return roll(isRolledOut(dice) ? rolloutOf(subject) : dice, 132)
}

/** Before the first change, a random time since creation; then the end of the last change. */
function changeTime({ dice, life, state }: Subject, createdAt: number): string {
  if (life.changes === 0) {
    return stamp(
      createdAt + Math.floor(chance(dice, 133) * (startTime - createdAt)),
      roll(dice, 134),
    )
  }
  const isOver = state.takesTime && !life.isMoving
  return stamp(life.since + (isOver ? tickLength : 0), 0)
}
