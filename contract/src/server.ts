import { Type, type Static } from 'typebox'
import { OptionalTimestamp, exactObject, sameType } from './scalars.ts'

const text = Type.String()
const integer = Type.Integer()
const flag = Type.Boolean()

export const Disk = exactObject({
  ...sameType(
    [
      'aio_mode',
      'cache_mode',
      'disk_format',
      'disk_type',
      'driver',
      'fs',
      'id',
      'image',
      'image_id',
      'medium_type',
      'name',
      'storage_type',
    ],
    text,
  ),
  ...sameType(['bps', 'index', 'iops', 'size'], integer),
})
export type Disk = Static<typeof Disk>

export const IsolatedDevice = exactObject({
  ...sameType(
    [
      'addr',
      'description',
      'dev_type',
      'guest_id',
      'host_id',
      'id',
      'model',
      'name',
      'vendor_device_id',
    ],
    text,
  ),
  ...sameType(['created_at', 'deleted_at', 'updated_at'], OptionalTimestamp),
  ...sameType(['deleted', 'is_emulated'], flag),
  ...sameType(['reserved_cpu', 'reserved_memory', 'reserved_storage', 'update_version'], integer),
})
export type IsolatedDevice = Static<typeof IsolatedDevice>

export const Nic = exactObject({
  ...sameType(['ip_addr', 'ip6_addr', 'mac', 'network_id', 'team_with', 'vpc_id'], text),
  is_exit: flag,
})
export type Nic = Static<typeof Nic>

export const SecurityGroup = exactObject(sameType(['id', 'name'], text))
export type SecurityGroup = Static<typeof SecurityGroup>

/** The scalar fields of a server. */
export const serverBooleans = [
  'auto_renew',
  'can_delete',
  'can_recycle',
  'can_update',
  'cdrom_support',
  'deleted',
  'disable_delete',
  'is_emulated',
  'is_gpu',
  'is_prepaid_recycle',
  'is_system',
  'pending_deleted',
  'src_ip_check',
  'src_mac_check',
] as const

export const serverTimestamps = [
  'attach_time',
  'auto_delete_at',
  'created_at',
  'deleted_at',
  'expired_at',
  'pending_deleted_at',
  'updated_at',
] as const

export const serverNumbers = [
  'disk',
  'disk_count',
  'update_version',
  'vcpu_count',
  'vmem_size',
] as const

export const serverTexts = [
  'account',
  'account_id',
  'admin_secgrp_id',
  'admin_security_rules',
  'backup_host_id',
  'backup_host_name',
  'backup_host_status',
  'billing_cycle',
  'billing_type',
  'bios',
  'boot_order',
  'brand',
  'cdrom',
  'cloud_env',
  'cloudregion',
  'cloudregion_id',
  'delete_fail_reason',
  'description',
  'disks',
  'domain_id',
  'eip',
  'eip_mode',
  'environment',
  'external_id',
  'flavor_id',
  'host',
  'host_id',
  'host_service_status',
  'host_sn',
  'host_status',
  'host_type',
  'hypervisor',
  'id',
  'instance_type',
  'ips',
  'keypair',
  'keypair_id',
  'machine',
  'manager',
  'manager_domain',
  'manager_domain_id',
  'manager_id',
  'manager_project',
  'manager_project_id',
  'name',
  'networks',
  'os_name',
  'os_type',
  'project',
  'project_domain',
  'project_id',
  'project_src',
  'provider',
  'region',
  'region_ext_id',
  'region_external_id',
  'region_id',
  'scaling_group_id',
  'scaling_status',
  'secgroup',
  'secgrp_id',
  'security_rules',
  'shutdown_behavior',
  'status',
  'tenant',
  'tenant_id',
  'update_fail_reason',
  'vdi',
  'vga',
  'virtual_ips',
  'vpc',
  'vpc_id',
  'zone',
  'zone_ext_id',
  'zone_id',
] as const

/** Computed for each caller, so nobody can filter, sort or group by them. */
export const callerFields = [
  'admin_secgrp_id',
  'admin_security_rules',
  'can_delete',
  'can_update',
  'delete_fail_reason',
  'update_fail_reason',
] as const
export type CallerField = (typeof callerFields)[number]

const serverFields = {
  ...sameType(serverBooleans, flag),
  ...sameType(serverTimestamps, OptionalTimestamp),
  ...sameType(serverNumbers, integer),
  ...sameType(serverTexts, text),
  disks_info: Type.Array(Disk),
  isolated_devices: Type.Array(IsolatedDevice),
  nics: Type.Array(Nic),
  secgroups: Type.Array(SecurityGroup),
}

export const Metadata = Type.Record(Type.String(), Type.String())

export const Server = exactObject({ ...serverFields, metadata: Metadata })
export type Server = Static<typeof Server>

/** Lists contain `metadata` only with `with_meta`. */
const ListedServer = exactObject({ ...serverFields, metadata: Type.Optional(Metadata) })

export const ServerList = exactObject({
  limit: integer,
  offset: integer,
  // Without `details`, a list contains only some of the fields.
  servers: Type.Array(Type.Partial(ListedServer, { additionalProperties: false })),
  total: integer,
})
