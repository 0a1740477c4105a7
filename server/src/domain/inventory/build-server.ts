import type { Server } from '@muster/contract'
import { metadataOf } from './metadata.ts'
import type { ServerFacts } from './server-facts.ts'

/** The value of every field that the source does not report. */
export const defaultServer: Server = {
  account: '',
  account_id: '',
  admin_secgrp_id: '',
  admin_security_rules: '',
  attach_time: null,
  auto_delete_at: null,
  auto_renew: false,
  backup_host_id: '',
  backup_host_name: '',
  backup_host_status: '',
  billing_cycle: '',
  billing_type: '',
  bios: '',
  boot_order: 'cdn',
  brand: '',
  can_delete: false,
  can_recycle: false,
  can_update: false,
  cdrom: '',
  cdrom_support: false,
  cloud_env: '',
  cloudregion: '',
  cloudregion_id: '',
  created_at: null,
  delete_fail_reason: '',
  deleted: false,
  deleted_at: null,
  description: '',
  disable_delete: false,
  disk: 0,
  disk_count: 0,
  disks: '',
  disks_info: [],
  domain_id: '',
  eip: '',
  eip_mode: '',
  environment: '',
  expired_at: null,
  external_id: '',
  flavor_id: '',
  host: '',
  host_id: '',
  host_service_status: '',
  host_sn: '',
  host_status: '',
  host_type: '',
  hypervisor: '',
  id: '',
  instance_type: '',
  ips: '',
  is_emulated: false,
  is_gpu: false,
  is_prepaid_recycle: false,
  is_system: false,
  isolated_devices: [],
  keypair: '',
  keypair_id: '',
  machine: '',
  manager: '',
  manager_domain: '',
  manager_domain_id: '',
  manager_id: '',
  manager_project: '',
  manager_project_id: '',
  metadata: {},
  name: '',
  networks: '',
  nics: [],
  os_name: '',
  os_type: '',
  pending_deleted: false,
  pending_deleted_at: null,
  project: '',
  project_domain: '',
  project_id: '',
  project_src: '',
  provider: '',
  region: '',
  region_ext_id: '',
  region_external_id: '',
  region_id: '',
  scaling_group_id: '',
  scaling_status: '',
  secgroup: '',
  secgroups: [],
  secgrp_id: '',
  security_rules: '',
  shutdown_behavior: '',
  src_ip_check: true,
  src_mac_check: true,
  status: 'unknown',
  tenant: '',
  tenant_id: '',
  update_fail_reason: '',
  update_version: 0,
  updated_at: null,
  vcpu_count: 0,
  vdi: '',
  vga: '',
  virtual_ips: '',
  vmem_size: 0,
  vpc: '',
  vpc_id: '',
  zone: '',
  zone_ext_id: '',
  zone_id: '',
}

/** What Muster adds to the facts of a source. */
export interface Circumstances {
  readonly domainId: string
  readonly managerDomainId: string
  /** The owner's own tags, without a prefix. */
  readonly ownTags: Readonly<Record<string, string>>
  /** Used if the source does not report it: when the server was first seen. */
  readonly createdAt: string
  readonly updateVersion: number
  readonly updatedAt: string
}

const joined = (texts: readonly string[]) => texts.filter((text) => text !== '').join(',')

const describeDisks = (disks: Server['disks_info']) =>
  disks
    .map(
      ({ index, size, disk_format, driver, cache_mode, aio_mode, fs }) =>
        `disk${index}:${size}M/${disk_format}/${driver}/${cache_mode}/${aio_mode}/${fs}`,
    )
    .join(',')

/** Sets the fields that follow from other fields. */
function withDerivedFields(server: Server): Server {
  const { disks_info, nics, secgroups, region, provider } = server
  const [group] = secgroups
  return {
    ...server,
    brand: server.brand === '' ? provider : server.brand,
    cloudregion: region,
    disk: disks_info.reduce((sum, { size }) => sum + size, 0),
    disk_count: disks_info.length,
    disks: describeDisks(disks_info),
    ips: joined([...nics.map(({ ip_addr }) => ip_addr), ...nics.map(({ ip6_addr }) => ip6_addr)]),
    is_gpu: server.is_gpu || server.isolated_devices.some(({ dev_type }) => dev_type === 'GPU'),
    region_external_id: server.region_ext_id === '' ? '' : `${provider}/${server.region_ext_id}`,
    region_id: server.cloudregion_id,
    secgroup: group?.name ?? '',
    secgrp_id: group?.id ?? '',
    tenant_id: server.project_id,
  }
}

/** The stored server: the facts of the source and what follows from them. Caller fields have default values. */
export function buildServer(facts: ServerFacts, circumstances: Circumstances): Server {
  const { adminGroup, tags = {}, notes = {}, ...known } = facts
  return withDerivedFields({
    ...defaultServer,
    ...known,
    admin_secgrp_id: adminGroup?.id ?? '',
    admin_security_rules: adminGroup?.rules ?? '',
    created_at: facts.created_at ?? circumstances.createdAt,
    domain_id: circumstances.domainId,
    manager_domain_id: circumstances.managerDomainId,
    metadata: metadataOf({ own: circumstances.ownTags, source: tags, notes }),
    update_version: circumstances.updateVersion,
    updated_at: facts.updated_at ?? circumstances.updatedAt,
  })
}

const fieldNames = Object.keys(defaultServer) as (keyof Server)[]

/** A server that another version of Muster stored, with exactly the fields of this version. */
export function upgradeServer(stored: Partial<Server>): Server {
  const known = fieldNames.filter((name) => stored[name] !== undefined)
  return withDerivedFields({
    ...defaultServer,
    ...Object.fromEntries(known.map((name) => [name, stored[name]])),
  })
}

/** The fields that a server stored by another version lacks. */
export const missingFields = (stored: Partial<Server>): ReadonlySet<string> =>
  new Set(fieldNames.filter((name) => stored[name] === undefined))
