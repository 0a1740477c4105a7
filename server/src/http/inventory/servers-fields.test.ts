import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server } from '@muster/contract'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { filledServer, madeByMuster } from '../../testing/inventory-world/filled-server.ts'
import {
  askServers,
  listServers,
  showServer,
  projectAt,
} from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import {
  deviations,
  specifiedDevice,
  specifiedDisk,
  specifiedGroup,
  specifiedNic,
  specifiedServer,
} from '../../testing/inventory-world/specified-fields.ts'

onEngineOfLane('the server object', (engine) => {
  let fleet: InventoryWorld
  let filled: ServerFacts
  let bare: ServerFacts
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    const { id: project_id } = projectAt(fleet, 0)
    filled = filledServer(project_id)
    bare = {
      project_id,
      id: '00000000-0000-4000-8000-000000000001',
      name: '',
      status: 'init',
      created_at: '2026-01-01T00:00:00.000000Z',
      provider: 'OneCloud',
      account_id: '',
    }
    await fleet.record([filled, bare])
  })
  after(() => fleet.platform.close())

  const { map: _metadata, ...listed } = specifiedServer
  const owner = () => fleet.callers.owner
  const admin = () => fleet.callers.admin

  test('has exactly the fields and types of the specification, and what Muster adds', async () => {
    for (const { id } of [filled, bare]) {
      assert.deepEqual(deviations(await showServer(owner(), id), specifiedServer), [])
    }
    const { servers } = await listServers(owner(), 'details=true')
    for (const server of servers) assert.deepEqual(deviations(server, listed), [])
    const withMeta = await listServers(owner(), 'details=true&with_meta=true')
    for (const server of withMeta.servers) {
      assert.deepEqual(deviations(server, specifiedServer), [])
    }
  })

  test('has nested objects with exactly the specified fields', async () => {
    const server = await showServer(owner(), filled.id)
    const nested = [
      [server.disks_info, specifiedDisk, 2],
      [server.isolated_devices, specifiedDevice, 1],
      [server.nics, specifiedNic, 3],
      [server.secgroups, specifiedGroup, 2],
    ] as const
    for (const [objects, table, count] of nested) {
      assert.equal(objects.length, count)
      for (const object of objects) assert.deepEqual(deviations(object, table), [])
    }
    const { disks_info, isolated_devices, nics, secgroups } = server
    const wanted = {
      disks_info: filled.disks_info,
      isolated_devices: filled.isolated_devices,
      nics: filled.nics,
      secgroups: filled.secgroups,
    }
    assert.deepEqual({ disks_info, isolated_devices, nics, secgroups }, wanted)
  })

  test('has the values of the source under the right names', async () => {
    const server = await showServer(owner(), filled.id)
    const facts = Object.entries(filled).filter(
      ([name]) => !madeByMuster.has(name) && Object.hasOwn(server, name) && name !== 'is_gpu',
    )
    assert.ok(facts.length > 75, String(facts.length))
    for (const [name, value] of facts) assert.deepEqual(server[name as keyof Server], value, name)
  })

  test('has derived values as documented', async () => {
    const project = projectAt(fleet, 0)
    const server = await showServer(admin(), filled.id)
    const { name, id, domain, domainId } = project
    const expected: Partial<Server> = {
      project: name,
      tenant: name,
      project_id: id,
      tenant_id: id,
      project_domain: domain,
      domain_id: domainId,
      manager_project: name,
      manager_domain: domain,
      manager_domain_id: domainId,
      disk: 11264,
      disk_count: 2,
      is_gpu: true,
      update_version: 0,
      disks:
        'disk0:10240M/disk_format-0/driver-0/cache_mode-0/aio_mode-0/fs-0,disk1:1024M/disk_format-1/driver-1/cache_mode-1/aio_mode-1/fs-1',
      ips: '10.4.0.1,10.4.0.2,10.4.0.3,fd00::1,fd00::3',
      cloudregion: server.region,
      region_id: server.cloudregion_id,
      region_external_id: 'the provider/the region_ext_id',
      secgroup: 'first',
      secgrp_id: 'sg1',
      admin_secgrp_id: 'forced',
      admin_security_rules: 'in:deny any',
      deleted: false,
      deleted_at: null,
      can_delete: false,
      metadata: {
        'ext:Name': 'seven',
        'sys:protected_by': 'source',
        'sys:source_status': 'RUNNING',
      },
    }
    const told = Object.keys(expected).map((key) => [key, server[key as keyof Server]])
    assert.deepEqual(Object.fromEntries(told), expected)
  })

  test('has null, an empty value, zero or false if the source has none', async () => {
    const server = await showServer(owner(), bare.id)
    const given = ['id', 'status', 'created_at', 'updated_at', 'provider', 'brand', 'metadata']
    const owned = ['project', 'tenant', 'project_id', 'tenant_id', 'project_domain', 'domain_id']
    const told = new Set([...given, ...owned, 'can_update', 'delete_fail_reason'])
    // These have a default value.
    const usual = {
      boot_order: 'cdn',
      shutdown_behavior: '',
      src_ip_check: true,
      src_mac_check: true,
    }
    for (const [name, value] of Object.entries(usual)) {
      assert.equal(server[name as keyof Server], value, name)
      told.add(name)
    }
    const blanks = { string: '', timestamp: null, integer: 0, boolean: false } as const
    for (const kind of ['string', 'timestamp', 'integer', 'boolean'] as const) {
      for (const name of specifiedServer[kind].filter((each) => !told.has(each))) {
        assert.equal(server[name as keyof Server], blanks[kind], name)
      }
    }
    for (const name of specifiedServer.array)
      assert.deepEqual(server[name as keyof Server], [], name)
    assert.deepEqual([server.brand, server.metadata], ['OneCloud', {}])
  })

  test('has the same key order in lists and details, for every server', async () => {
    const [first, second] = await Promise.all([
      showServer(owner(), filled.id),
      showServer(owner(), bare.id),
    ])
    assert.deepEqual(Object.keys(first), Object.keys(second))
    const { servers } = await listServers(admin(), 'scope=system&details=true&with_meta=true')
    for (const server of servers) assert.deepEqual(Object.keys(server), Object.keys(first))
    const nic = (at: number) => Object.keys(first.nics[at] ?? {})
    assert.deepEqual(nic(0), nic(1))
  })

  test('is byte-identical in lists and details', async () => {
    const { text } = await askServers(fleet.url, owner(), 'details=true&with_meta=true')
    const { servers } = await listServers(owner(), 'details=true&with_meta=true')
    for (const { id = '' } of servers) {
      assert.ok(text.includes(JSON.stringify(await showServer(owner(), id))), id)
    }
  })

  test('can be filtered by each of its fields', async () => {
    const server = await showServer(owner(), filled.id)
    const asked = [
      ...specifiedServer.string,
      ...specifiedServer.timestamp,
      ...specifiedServer.integer,
    ].filter((name) => !/^(id$|(can|admin|delete|update)_(?!version))/.test(name))
    const found = async (name: string, value: string) =>
      (await listServers(owner(), `${name}=${encodeURIComponent(value)}&id=${filled.id}`)).total
    const absent = { timestamp: '1999-01-01', integer: '424242', string: 'other' }
    for (const name of asked) {
      const value = server[name as keyof Server] as string | number | null
      if (value === null) continue
      assert.equal(await found(name, String(value)), 1, name)
      const kind = (['timestamp', 'integer'] as const).find((each) =>
        specifiedServer[each].includes(name),
      )
      assert.equal(await found(name, absent[kind ?? 'string']), 0, name)
    }
  })
})
