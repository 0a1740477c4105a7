import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Ajv } from 'ajv'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { serverOperations, ServerList } from '../servers/operations.ts'
import type { FieldType, Resource } from './resource.ts'
import { Disk, IsolatedDevice, Nic, SecurityGroup, Server, servers } from './servers.ts'

/** The specification's tables, written out: names by type. */
interface Table {
  readonly boolean?: string
  readonly timestamp?: string
  readonly integer?: string
  readonly string?: string
}

const specifiedServer: Table = {
  boolean: `auto_renew, can_delete, can_recycle, can_update, cdrom_support, deleted, disable_delete,
    is_emulated, is_gpu, is_prepaid_recycle, is_system, pending_deleted, src_ip_check, src_mac_check`,
  timestamp: `attach_time, auto_delete_at, created_at, deleted_at, expired_at, pending_deleted_at,
    updated_at`,
  integer: 'disk, disk_count, update_version, vcpu_count, vmem_size',
  string: `account, account_id, admin_secgrp_id, admin_security_rules, backup_host_id,
    backup_host_name, backup_host_status, billing_cycle, billing_type, bios, boot_order, brand,
    cdrom, cloud_env, cloudregion, cloudregion_id, delete_fail_reason, description, disks,
    domain_id, eip, eip_mode, environment, external_id, flavor_id, host, host_id,
    host_service_status, host_sn, host_status, host_type, hypervisor, id, instance_type, ips,
    keypair, keypair_id, machine, manager, manager_domain, manager_domain_id, manager_id,
    manager_project, manager_project_id, name, networks, os_name, os_type, project,
    project_domain, project_id, project_src, provider, region, region_ext_id, region_external_id,
    region_id, scaling_group_id, scaling_status, secgroup, secgrp_id, security_rules,
    shutdown_behavior, status, tenant, tenant_id, update_fail_reason, vdi, vga, virtual_ips, vpc,
    vpc_id, zone, zone_ext_id, zone_id`,
}

const diskTable: Table = {
  string: `aio_mode, cache_mode, disk_format, disk_type, driver, fs, id, image, image_id,
    medium_type, name, storage_type`,
  integer: 'bps, index, iops, size',
}

const isolatedDeviceTable: Table = {
  string: 'addr, description, dev_type, guest_id, host_id, id, model, name, vendor_device_id',
  timestamp: 'created_at, deleted_at, updated_at',
  boolean: 'deleted, is_emulated',
  integer: 'reserved_cpu, reserved_memory, reserved_storage, update_version',
}

const nicTable: Table = {
  string: 'ip_addr, ip6_addr, mac, network_id, team_with, vpc_id',
  boolean: 'is_exit',
}

const securityGroupTable: Table = { string: 'id, name' }

const namesIn = (list = '') => list.split(',').map((name) => name.trim())

const sorted = (names: readonly string[]) => [...names].sort()

const fieldsOf = (table: Table): [string, keyof Table][] =>
  (['boolean', 'timestamp', 'integer', 'string'] as const).flatMap((type) =>
    table[type] === undefined ? [] : namesIn(table[type]).map((name) => [name, type] as const),
  ) as [string, keyof Table][]

/** Fields that Muster adds to the specification, by the types of its description. */
const addedNames = (...types: FieldType[]): string =>
  Object.entries(servers.fields)
    .filter(([name, { type }]) => types.includes(type) && !namesOfSpecification.has(name))
    .map(([name]) => `, ${name}`)
    .join('')
const namesOfSpecification = new Set(fieldsOf(specifiedServer).map(([name]) => name))
const serverTable: Table = {
  boolean: specifiedServer.boolean + addedNames('boolean'),
  timestamp: specifiedServer.timestamp + addedNames('timestamp'),
  integer: specifiedServer.integer + addedNames('number'),
  string: specifiedServer.string + addedNames('text', 'enum'),
}

const ajv = new Ajv({ strict: false, validateFormats: false })

/** Values of every JSON type. The accepted ones identify the type of a field. */
const specimens: Record<keyof Table, readonly unknown[]> = {
  boolean: [true, false],
  // A timestamp that does not exist is null (decision 0004).
  timestamp: ['2026-05-04T08:00:00.000000Z', null],
  integer: [0, 12],
  string: ['', 'text'],
}
const misfits: Record<keyof Table, readonly unknown[]> = {
  boolean: [0, 'true', null, [], {}],
  timestamp: ['', '2026-05-04T08:00:00Z', '2026-05-04T08:00:00.000000+02:00', 0, false, [], {}],
  integer: [1.5, '1', null, true, [], {}],
  string: [0, true, null, [], {}],
}

const valueOf = (type: keyof Table) => specimens[type][0]
const objectOf = (table: Table): Record<string, unknown> =>
  Object.fromEntries(fieldsOf(table).map(([name, type]) => [name, valueOf(type)]))

/** Checks a schema against its table: exactly these keys, all required, each of exactly this type. */
function requireTable(schema: object, table: Table, rest: Record<string, unknown> = {}): void {
  const accepts = ajv.compile(schema)
  const { properties, required, additionalProperties } = schema as {
    properties: object
    required: string[]
    additionalProperties: unknown
  }
  const names = [...fieldsOf(table).map(([name]) => name), ...Object.keys(rest)]
  assert.deepEqual(sorted(Object.keys(properties)), sorted(names))
  assert.deepEqual(sorted(required), sorted(names))
  assert.equal(additionalProperties, false)

  const whole = { ...objectOf(table), ...rest }
  assert.ok(accepts(whole), ajv.errorsText(accepts.errors))
  assert.ok(!accepts({ ...whole, stranger: '' }), 'takes a key that is not in the table')
  for (const [name, type] of fieldsOf(table)) {
    for (const value of specimens[type]) {
      assert.ok(accepts({ ...whole, [name]: value }), `${name} refuses ${JSON.stringify(value)}`)
    }
    for (const value of misfits[type]) {
      assert.ok(!accepts({ ...whole, [name]: value }), `${name} takes ${JSON.stringify(value)}`)
    }
    const { [name]: _left, ...without } = whole
    assert.ok(!accepts(without), `${name} may be missing`)
  }
}

const listFields = {
  disks_info: [objectOf(diskTable)],
  isolated_devices: [objectOf(isolatedDeviceTable)],
  nics: [objectOf(nicTable)],
  secgroups: [objectOf(securityGroupTable)],
}
/** The lists that Muster adds. */
for (const [name, { schema }] of Object.entries(servers.fields as Resource['fields'])) {
  const { items } = schema as { readonly items?: TSchema }
  if (items !== undefined && !(name in listFields)) {
    Object.assign(listFields, { [name]: [Value.Create(items)] })
  }
}
const metadata = { 'user:env': 'prod', 'any name at all': '' }
const wholeServer = { ...objectOf(serverTable), ...listFields, metadata }

describe('the server object of the specification', () => {
  test('has exactly the fields of the table and what Muster adds, each of its type', () => {
    assert.equal(fieldsOf(specifiedServer).length, 14 + 7 + 5 + 75)
    requireTable(Server, serverTable, { ...listFields, metadata })
  })

  test('nests exactly disks, isolated devices, NICs and security groups', () => {
    requireTable(Disk, diskTable)
    requireTable(IsolatedDevice, isolatedDeviceTable)
    requireTable(Nic, nicTable)
    requireTable(SecurityGroup, securityGroupTable)
    const accepts = ajv.compile(Server)
    for (const [name, [element]] of Object.entries(listFields)) {
      for (const misfit of [element, null, '', [null], [{}], [{ ...element, stranger: 1 }]]) {
        assert.ok(!accepts({ ...wholeServer, [name]: misfit }), `${name} takes a misfit`)
      }
      assert.ok(accepts({ ...wholeServer, [name]: [] }))
    }
  })

  test('metadata maps text to text', () => {
    const accepts = ajv.compile(Server)
    assert.ok(accepts({ ...wholeServer, metadata: {} }))
    for (const misfit of [null, [], '', { a: 1 }, { a: null }, { a: {} }]) {
      assert.ok(!accepts({ ...wholeServer, metadata: misfit }))
    }
  })
})

describe('the server list of the specification', () => {
  const accepts = ajv.compile(ServerList)
  const page = { limit: 20, offset: 0, servers: [wholeServer], total: 1 }

  test('has exactly limit, offset, servers and total', () => {
    assert.deepEqual(sorted(Object.keys(ServerList.properties)), [
      'limit',
      'offset',
      'servers',
      'total',
    ])
    assert.ok(accepts(page), ajv.errorsText(accepts.errors))
    assert.ok(!accepts({ ...page, next: 1 }))
    for (const name of ['limit', 'offset', 'total']) assert.ok(!accepts({ ...page, [name]: '1' }))
    for (const name of Object.keys(page)) assert.ok(!accepts({ ...page, [name]: undefined }))
  })

  test('takes servers without metadata, and none with a stranger', () => {
    const { metadata: _left, ...without } = wholeServer
    assert.ok(accepts({ ...page, servers: [without] }))
    assert.ok(!accepts({ ...page, servers: [{ ...without, stranger: 1 }] }))
    assert.ok(!accepts({ ...page, servers: [{ ...without, metadata: { a: 1 } }] }))
  })
})

test('the operations of the specification on servers are there, and what Muster adds', () => {
  assert.deepEqual(
    serverOperations.map(({ method, path, access }) => `${method} ${path} ${access}`),
    [
      'GET /servers token',
      'GET /servers/statistics token',
      'GET /servers/tag-value-pairs token',
      'GET /servers/timeline token',
      'GET /servers/{id} token',
      'GET /servers/{id}/metadata token',
      'POST /servers/{id}/metadata token',
      'PUT /servers/{id}/metadata token',
      'POST /servers/{id}/user-metadata token',
      'POST /servers/{id}/set-user-metadata token',
      'GET /servers/{id}/history token',
      'POST /servers/{id}/syncstatus token',
    ],
  )
  const detail = ajv.compile(serverOperations[4].responses[200].body)
  assert.ok(detail({ server: wholeServer }))
  assert.ok(!detail({ server: wholeServer, more: 1 }))
  assert.ok(!detail(wholeServer))
})
