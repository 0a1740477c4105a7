import { Type, type Static } from 'typebox'
import { OptionalTimestamp, exactObject, sameType } from '../scalars.ts'
import {
  boolean,
  enumeration,
  filterable,
  number,
  object,
  searchable,
  short,
  shortSearchable,
  text,
  timestamp,
  wireSchema,
  type FieldName,
  type FieldUsedFor,
  type Resource,
} from './resource.ts'

const texts = Type.String()
const integers = Type.Integer()
const booleans = Type.Boolean()

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
    texts,
  ),
  ...sameType(['bps', 'index', 'iops', 'size'], integers),
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
    texts,
  ),
  ...sameType(['created_at', 'deleted_at', 'updated_at'], OptionalTimestamp),
  ...sameType(['deleted', 'is_emulated'], booleans),
  ...sameType(['reserved_cpu', 'reserved_memory', 'reserved_storage', 'update_version'], integers),
})
export type IsolatedDevice = Static<typeof IsolatedDevice>

export const Nic = exactObject({
  ...sameType(['ip_addr', 'ip6_addr', 'mac', 'network_id', 'team_with', 'vpc_id'], texts),
  is_exit: booleans,
})
export type Nic = Static<typeof Nic>

export const SecurityGroup = exactObject(sameType(['id', 'name'], texts))
export type SecurityGroup = Static<typeof SecurityGroup>

export const Metadata = Type.Record(Type.String(), Type.String())

const counted = [...filterable, 'count'] as const
const shortCounted = [...counted, 'short'] as const
const perCaller = [] as const

export const servers = {
  key: 'server',
  keys: 'servers',
  noun: 'Server',
  nouns: 'Servers',
  one: 'a server',
  many: 'servers',
  fields: {
    // The short form first, in its order on the wire.
    id: text('UUID of the server', shortSearchable),
    name: text('Name', shortSearchable),
    status: enumeration(
      '`running`, `ready` (stopped), `suspend`, `unknown`, … See the documentation of statuses.',
      shortCounted,
      'unknown',
    ),
    description: text('Description', shortSearchable),
    created_at: timestamp('When the server was created at the source, or first seen', short),
    updated_at: timestamp('When Muster last saw a change', short),
    project_id: text('Id of the project', short),
    tenant_id: text('Alias of `project_id`', short),
    domain_id: text('Id of the domain of the project', short),
    provider: enumeration(
      '`OneCloud` (own KVM hosts), `VMware`, `OpenStack`, `Aws`, `Azure`, …',
      shortCounted,
    ),
    brand: enumeration('The provider, or the name that the account gives to it', shortCounted),
    hypervisor: enumeration('`kvm`, `esxi`, `openstack`, `aws`, `azure`, …', shortCounted),
    os_type: enumeration('`Linux`, `Windows`, `VMware`, …', shortCounted),
    vcpu_count: number('Number of vCPUs', short),
    vmem_size: number('Memory in MB', short),
    disk: number('Sum of all disks in MB', short),
    ips: text('Addresses of all NICs, comma-separated, IPv4 first', shortSearchable),
    zone: text('Name of the zone', shortCounted),
    region: text('Name of the region', shortCounted),
    cloudregion_id: text('Id of the region', short),
    zone_id: text('Id of the zone', short),
    host_id: text('Id of the host', short),
    instance_type: text('Name of the instance type at the source', short),
    billing_type: enumeration('`postpaid` or `prepaid`', short),
    external_id: text('Id at the source', shortSearchable),
    is_gpu: boolean('Whether the server has a GPU', short),
    pending_deleted: boolean('Whether the server is in the recycle bin', short),

    account: text('Name of the cloud account that reports the server', counted),
    account_id: text('Id of the cloud account', filterable),
    admin_secgrp_id: text(
      'Security group that an operator enforces. Empty without a domain or system role.',
      perCaller,
    ),
    admin_security_rules: text('Rules of the security group that an operator enforces', perCaller),
    attach_time: timestamp('When the cloud account was attached', filterable),
    auto_delete_at: timestamp('When the server will be deleted from the recycle bin', filterable),
    auto_renew: boolean('Whether a prepaid server is renewed automatically', filterable),
    backup_host_id: text('Id of the standby host of a mirrored server', filterable),
    backup_host_name: text('Name of the standby host', filterable),
    backup_host_status: enumeration('Status of the standby host', filterable),
    billing_cycle: text(
      'Prepaid period: a number and a unit (`I` minute, `H`, `D`, `W`, `M`, `Y`), such as `1M`',
      filterable,
    ),
    bios: enumeration('`BIOS` or `UEFI`', filterable),
    boot_order: text('Order of boot devices: `c` disk, `d` CD-ROM, `n` network', filterable, 'cdn'),
    can_delete: boolean('Whether you can delete the server now', perCaller),
    can_recycle: boolean('Whether a prepaid server can be recycled', filterable),
    can_update: boolean('Whether you can change the server now', perCaller),
    cdrom: text('Inserted CD-ROM image', filterable),
    cdrom_support: boolean('Whether the source knows CD-ROM drives', filterable),
    cloud_env: enumeration('`public`, `private` or `onpremise`', filterable),
    cloudregion: text('Alias of `region`', filterable),
    delete_fail_reason: text('Why `can_delete` is false', perCaller),
    deleted: boolean('Whether the source no longer has the server', filterable),
    deleted_at: timestamp('When the source was first found without the server', filterable),
    disable_delete: boolean('Whether the server is protected against deletion', filterable),
    disk_count: number('Number of disks', filterable),
    disks: text(
      'One text per disk, comma-separated: `disk0:<size>M/<format>/<driver>/<cache>/<aio>/<fs>`',
      filterable,
    ),
    disks_info: object('Disks', Type.Array(Disk), []),
    eip: text('Public address', filterable),
    eip_mode: enumeration('`public_ip` (part of the server) or `elastic_ip`', filterable),
    environment: text('Environment of the source, such as `InternationalCloud`', filterable),
    expired_at: timestamp('End of the prepaid period', filterable),
    flavor_id: text('Id of the instance type at the source', filterable),
    flavor_uuid: text('UUID of the instance type, as in the list of flavors', filterable),
    host: text('Name of the host', searchable),
    host_service_status: enumeration('`online` if the source responds, else `offline`', filterable),
    host_sn: text('Serial number of the host', filterable),
    host_status: enumeration('Status of the host', filterable),
    host_type: enumeration(
      "`hypervisor` (KVM), `baremetal`, `esxi`, or the cloud's name",
      filterable,
    ),
    image: text('Name of the image that the server was made from', filterable),
    image_id: text('Id of the image', filterable),
    is_emulated: boolean('Whether the simulator made the server', filterable),
    is_prepaid_recycle: boolean(
      'Whether the server is in the pool of recycled prepaid servers',
      filterable,
    ),
    is_system: boolean('Whether the server belongs to the platform', filterable),
    isolated_devices: object('Passed-through devices', Type.Array(IsolatedDevice), []),
    keypair: text('Name of the SSH key', filterable),
    keypair_id: text('Id of the SSH key', filterable),
    machine: enumeration('`pc`, `q35` or `virt`', filterable),
    manager: text(
      'Name of the manager: the tenant or subscription of the account, or the account itself',
      filterable,
    ),
    manager_domain: text('Name of the domain that owns the manager', filterable),
    manager_domain_id: text('Id of the domain that owns the manager', filterable),
    manager_id: text('Id of the manager', filterable),
    manager_project: text('Name of the project that owns the manager', filterable),
    manager_project_id: text('Id of the project that owns the manager', filterable),
    metadata: object(
      'Tags by prefixed key: `user:` set in Muster, `ext:` from the source, `sys:` set by Muster',
      Metadata,
      {},
    ),
    networks: text(
      'One text per NIC, comma-separated: `eth0:<address>/<mask>/<mac>/<network>`',
      filterable,
    ),
    nics: object('Network interfaces', Type.Array(Nic), []),
    os_name: text('Distribution and version of the operating system', filterable),
    pending_deleted_at: timestamp('When the server was moved to the recycle bin', filterable),
    project: text('Name of the project', filterable),
    project_domain: text('Name of the domain of the project', filterable),
    project_src: enumeration(
      '`cloud` if the tenant at the source chose the project, else `local`',
      filterable,
    ),
    region_ext_id: text('Id of the region at the source', filterable),
    region_external_id: text(
      'Provider and id of the region at the source, such as `Aws/eu-central-1`',
      filterable,
    ),
    region_id: text('Alias of `cloudregion_id`', filterable),
    scaling_group_id: text('Id of the scaling group', filterable),
    scaling_status: enumeration(
      'Status in the scaling group: `joining`, `ready`, `removing`, `remove_failed`, `pending_remove`',
      filterable,
    ),
    secgroup: text('Name of the first security group', filterable),
    secgroups: object('Security groups', Type.Array(SecurityGroup), []),
    secgrp_id: text('Id of the first security group', filterable),
    security_rules: text(
      'Rules of the security groups, separated by `;`, such as `in:allow tcp 22`',
      filterable,
    ),
    shutdown_behavior: enumeration('`stop` or `terminate`', filterable),
    src_ip_check: boolean(
      'Whether packets with other source addresses are dropped',
      filterable,
      true,
    ),
    src_mac_check: boolean(
      'Whether packets with other source MAC addresses are dropped',
      filterable,
      true,
    ),
    tenant: text('Alias of `project`', filterable),
    update_fail_reason: text('Why `can_update` is false', perCaller),
    update_version: number('Number of changes since the server was first seen', filterable),
    vdi: enumeration('`vnc` or `spice`', filterable),
    vga: enumeration('`std`, `qxl`, `virtio`, `cirrus` or `vmware`', filterable),
    virtual_ips: text('Shared addresses, comma-separated', filterable),
    vpc: text('Names of the VPCs, comma-separated', filterable),
    vpc_id: text('Ids of the VPCs, comma-separated', filterable),
    zone_ext_id: text('Id of the zone at the source', filterable),
  },
  columns: [
    'name',
    'status',
    'ips',
    'project',
    'vcpu_count',
    'vmem_size',
    'provider',
    'region',
    'zone',
    'created_at',
  ],
} as const satisfies Resource

export const Server = wireSchema(servers)
export type Server = Static<typeof Server>

/** Computed for each caller, so lists cannot be filtered, sorted or grouped by them. */
export type CallerField = {
  [Name in FieldName<typeof servers>]: (typeof servers)['fields'][Name]['type'] extends 'object'
    ? never
    : Exclude<Name, FieldUsedFor<typeof servers, 'filter'>>
}[FieldName<typeof servers>]

export const callerFields = Object.entries(servers.fields)
  .filter(([, { type, uses }]) => type !== 'object' && uses.length === 0)
  .map(([name]) => name as CallerField)
