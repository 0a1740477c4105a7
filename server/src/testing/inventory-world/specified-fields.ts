import { servers, type FieldType } from '@muster/contract'

/** The tables of the specification (platform-api.md), copied and not taken from the contract. */
const names = (text: string): readonly string[] => text.trim().split(/,\s+/)

const tableOfServer = {
  boolean: names(
    'auto_renew, can_delete, can_recycle, can_update, cdrom_support, deleted, disable_delete, is_emulated, is_gpu, is_prepaid_recycle, is_system, pending_deleted, src_ip_check, src_mac_check',
  ),
  timestamp: names(
    'attach_time, auto_delete_at, created_at, deleted_at, expired_at, pending_deleted_at, updated_at',
  ),
  integer: names('disk, disk_count, update_version, vcpu_count, vmem_size'),
  map: ['metadata'],
  array: names('disks_info, isolated_devices, nics, secgroups'),
  string: names(
    'account, account_id, admin_secgrp_id, admin_security_rules, backup_host_id, backup_host_name, backup_host_status, billing_cycle, billing_type, bios, boot_order, brand, cdrom, cloud_env, cloudregion, cloudregion_id, delete_fail_reason, description, disks, domain_id, eip, eip_mode, environment, external_id, flavor_id, host, host_id, host_service_status, host_sn, host_status, host_type, hypervisor, id, instance_type, ips, keypair, keypair_id, machine, manager, manager_domain, manager_domain_id, manager_id, manager_project, manager_project_id, name, networks, os_name, os_type, project, project_domain, project_id, project_src, provider, region, region_ext_id, region_external_id, region_id, scaling_group_id, scaling_status, secgroup, secgrp_id, security_rules, shutdown_behavior, status, tenant, tenant_id, update_fail_reason, vdi, vga, virtual_ips, vpc, vpc_id, zone, zone_ext_id, zone_id',
  ),
} as const

type SpecifiedKind = keyof typeof tableOfServer

const specifiedNames = new Set<string>(Object.values(tableOfServer).flat())

/** Fields that Muster adds to the specification, by the types of its description. */
const addedNames = (...types: FieldType[]): readonly string[] =>
  Object.entries(servers.fields)
    .filter(([name, { type }]) => types.includes(type) && !specifiedNames.has(name))
    .map(([name]) => name)

export const specifiedServer = {
  ...tableOfServer,
  array: [...tableOfServer.array, ...addedNames('object')],
  boolean: [...tableOfServer.boolean, ...addedNames('boolean')],
  timestamp: [...tableOfServer.timestamp, ...addedNames('timestamp')],
  integer: [...tableOfServer.integer, ...addedNames('number')],
  string: [...tableOfServer.string, ...addedNames('text', 'enum')],
} as const

export const specifiedDisk = {
  string: names(
    'aio_mode, cache_mode, disk_format, disk_type, driver, fs, id, image, image_id, medium_type, name, storage_type',
  ),
  integer: names('bps, index, iops, size'),
} as const

export const specifiedDevice = {
  string: names(
    'addr, description, dev_type, guest_id, host_id, id, model, name, vendor_device_id',
  ),
  timestamp: names('created_at, deleted_at, updated_at'),
  boolean: names('deleted, is_emulated'),
  integer: names('reserved_cpu, reserved_memory, reserved_storage, update_version'),
} as const

export const specifiedNic = {
  string: names('ip_addr, ip6_addr, mac, network_id, team_with, vpc_id'),
  boolean: ['is_exit'],
} as const

export const specifiedGroup = { string: names('id, name') } as const

type Table = Readonly<Partial<Record<SpecifiedKind, readonly string[]>>>

/** UTC with six decimals, or null for a timestamp that does not exist (decision 0004). */
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/

const isKind: Readonly<Record<SpecifiedKind, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  timestamp: (value) => value === null || (typeof value === 'string' && moment.test(value)),
  integer: (value) => Number.isSafeInteger(value),
  map: (value) =>
    Object.values(value as object).every((text) => typeof text === 'string') &&
    !Array.isArray(value),
  array: (value) => Array.isArray(value),
  string: (value) => typeof value === 'string',
}

/** What is wrong with an object by such a table: keys too many or missing, and values of another type. */
export function deviations(object: object, table: Table): string[] {
  const wanted = Object.values(table).flat()
  const values = object as Readonly<Record<string, unknown>>
  return [
    ...wanted.filter((name) => !Object.hasOwn(values, name)).map((name) => `${name} is missing`),
    ...Object.keys(values)
      .filter((name) => !wanted.includes(name))
      .map((name) => `${name} is not specified`),
    ...Object.entries(table).flatMap(([kind, fields]) =>
      fields
        .filter((name) => Object.hasOwn(values, name))
        .filter((name) => !isKind[kind as SpecifiedKind](values[name]))
        .map((name) => `${name} is no ${kind}: ${JSON.stringify(values[name])}`),
    ),
  ]
}
