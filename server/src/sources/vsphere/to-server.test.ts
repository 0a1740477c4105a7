import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SourceError } from '../../domain/sources/source-error.ts'
import { ListBudget } from '../shared/list-budget.ts'
import { childrenOf, parseXml } from '../shared/parse-xml.ts'
import { createInventory, toEntity, type Entity } from './inventory.ts'
import { createMachine } from './machine.ts'
import { valuesOf } from './property-collector.ts'
import { toResources } from './to-resources.ts'
import { toServer } from './to-server.ts'

const properties = (values: Readonly<Record<string, string>>) =>
  valuesOf(
    childrenOf(
      parseXml(
        `<o xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">${Object.entries(values)
          .map(([name, value]) => `<p><name>${name}</name>${value}</p>`)
          .join('')}</o>`,
      ),
      'p',
    ),
  )
const text = (value: string) => `<val>${value}</val>`
const reference = (type: string, id: string) => `<val type="${type}">${id}</val>`

function entity(
  type: string,
  id: string,
  name: string,
  parent = '',
  values: Readonly<Record<string, string>> = {},
): Entity {
  const container = parent === '' ? {} : { parent: reference('Folder', parent) }
  const all = properties({ name: text(name), ...container, ...values })
  return toEntity({ ref: { type, id }, properties: all }, new ListBudget())
}

const entities = [
  entity('Folder', 'group-d1', 'Datacenters'),
  entity('Folder', 'group-d5', 'Europe', 'group-d1'),
  entity('Datacenter', 'datacenter-2', 'Berlin', 'group-d5'),
  entity('Folder', 'group-v3', 'vm', 'datacenter-2'),
  entity('Folder', 'group-v7', 'shops', 'group-v3'),
  entity('Folder', 'group-v8', 'web', 'group-v7'),
  entity('Folder', 'group-h4', 'host', 'datacenter-2'),
  entity('ClusterComputeResource', 'domain-c8', 'gold', 'group-h4'),
  {
    ...entity('HostSystem', 'host-9', '192.0.2.9', 'domain-c8', {
      'runtime.connectionState': text('notResponding'),
      'runtime.powerState': text('unknown'),
      'summary.hardware': `<val><otherIdentifyingInfo><identifierValue>none</identifierValue><identifierType><key>SerialNumberTag</key></identifierType></otherIdentifyingInfo><otherIdentifyingInfo><identifierValue>7XK2</identifierValue><identifierType><key>ServiceTag</key></identifierType></otherIdentifyingInfo><memorySize>274877906944</memorySize></val>`,
    }),
    vlans: new Map([['lan', 12]]),
  },
  entity('ResourcePool', 'resgroup-10', 'Resources', 'domain-c8'),
  entity('ResourcePool', 'resgroup-11', 'production', 'resgroup-10'),
  entity('VirtualApp', 'resgroup-v12', 'shop', 'resgroup-11'),
  entity('Network', 'network-13', 'lan', 'datacenter-2', { 'summary.accessible': text('true') }),
  entity('DistributedVirtualPortgroup', 'dvportgroup-14', 'lan', 'datacenter-2', {
    'config.defaultPortConfig': '<val><vlan><vlanId>34</vlanId></vlan></val>',
  }),
  entity('DistributedVirtualPortgroup', 'dvportgroup-15', 'uplinks', 'datacenter-2', {
    tag: '<val><Tag><key>SYSTEM/DVS.UPLINKPG</key></Tag></val>',
  }),
  entity('Datastore', 'datastore-16', 'fast', 'datacenter-2', { 'summary.type': text('VMFS') }),
]
const attributes = new Map([
  ['101', 'owner'],
  ['102', '__proto__'],
])
const inventory = createInventory(entities, attributes, 'vc')

const device = (type: string, key: number, content: string) =>
  `<VirtualDevice xsi:type="${type}"><key>${key}</key><deviceInfo><label>${type} ${key}</label></deviceInfo>${content}</VirtualDevice>`
const describeWith = (
  values: Readonly<Record<string, string>>,
  tags = {},
  known = inventory,
  areUnread = false,
) => {
  const content = {
    ref: { type: 'VirtualMachine', id: 'vm-1' },
    properties: properties({ name: text('a%2fb %25'), ...values }),
    isDenied: false,
  }
  const identity = { key: ['vsphere', 'vc', 'uuid'], externalId: 'uuid' }
  return toServer(
    createMachine(content, { byCategory: new Map(Object.entries(tags)), areUnread }),
    identity,
    known,
  )
}

describe('a virtual machine', () => {
  test('is located by its host, resource pool and folder', () => {
    const { facts, tenant } = describeWith(
      {
        parent: reference('Folder', 'group-v8'),
        resourcePool: reference('VirtualApp', 'resgroup-v12'),
        'runtime.host': reference('HostSystem', 'host-9'),
        customValue:
          '<val><CustomFieldValue><key>101</key><value>Ada</value></CustomFieldValue><CustomFieldValue><key>999</key><value>?</value></CustomFieldValue></val>',
      },
      { tier: 'gold, web' },
    )
    assert.equal(facts.name, 'a/b %')
    assert.deepEqual([facts.region, facts.zone, facts.host], ['Berlin', 'gold', '192.0.2.9'])
    assert.deepEqual([facts.host_status, facts.host_service_status], ['unknown', 'offline'])
    assert.equal(facts.host_sn, '7XK2')
    assert.equal(tenant?.name, 'production/shop')
    assert.deepEqual(facts.tags, { folder: 'shops/web', owner: 'Ada', tier: 'gold, web' })
  })

  test('keeps the fields that need objects that an inventory without end lacks', () => {
    const values = {
      parent: reference('Folder', 'group-v8'),
      resourcePool: reference('VirtualApp', 'resgroup-v12'),
      'runtime.host': reference('HostSystem', 'host-9'),
      'config.hardware.device': `<val>${device('VirtualDisk', 2000, '<backing><datastore type="Datastore">datastore-16</datastore></backing>')}${device('VirtualE1000', 4000, '<macAddress>00:50:56:00:00:01</macAddress><backing><network type="Network">network-13</network></backing>')}</val>`,
    }
    const without = (pattern: RegExp, errors = [new SourceError('incomplete', 'too long')]) => {
      const rest = entities.filter(({ ref }) => !pattern.test(ref.id))
      const { facts, unread } = describeWith(
        values,
        {},
        createInventory(rest, attributes, 'vc', '', errors),
      )
      return [facts.region, unread]
    }
    const ofHost = ['host', 'host_id', 'host_sn', 'host_status', 'host_service_status']
    const ofZone = ['zone', 'zone_ext_id', 'zone_id']
    assert.deepEqual(without(/^none$/), ['Berlin', undefined])
    assert.deepEqual(without(/^host-/), ['Berlin', [...ofZone, ...ofHost]])
    assert.deepEqual(without(/^datastore-/), ['Berlin', ['disks_info']])
    assert.deepEqual(without(/^network-/), ['Berlin', ['nics']])
    assert.deepEqual(without(/^group-v7$/), ['Berlin', ['tags']])
    assert.deepEqual(without(/^resgroup-10$/), ['Berlin', ['tenant']])
    // The user may not see them.
    assert.deepEqual(without(/^(?:host|datastore|network|resgroup)-/, []), ['Berlin', undefined])
  })

  test('has unread tags if the vCenter denies them, or the name of an attribute', () => {
    const attribute = (key: string) => ({
      customValue: `<val><CustomFieldValue><key>${key}</key><value>Ada</value></CustomFieldValue></val>`,
    })
    for (const [key, areDenied] of [
      ['101', false],
      ['101', true],
      ['999', false],
    ] as const) {
      const { unread } = describeWith(attribute(key), {}, inventory, areDenied)
      assert.deepEqual(unread, areDenied || key === '999' ? ['tags'] : undefined)
    }
  })

  test('may have tags with any name', () => {
    const { facts } = describeWith(
      {
        customValue:
          '<val><CustomFieldValue><key>102</key><value>text</value></CustomFieldValue></val>',
      },
      { constructor: 'gold', toString: 'silver' },
    )
    assert.deepEqual(Object.entries(facts.tags ?? {}), [
      ['__proto__', 'text'],
      ['constructor', 'gold'],
      ['toString', 'silver'],
    ])
  })

  test('has no tenant and no folder at the top', () => {
    const { facts, tenant } = describeWith({
      parent: reference('Folder', 'group-v3'),
      resourcePool: reference('ResourcePool', 'resgroup-10'),
    })
    assert.deepEqual([tenant, facts.tags], [undefined, {}])
    assert.deepEqual([facts.region, facts.zone, facts.host], ['Berlin', undefined, undefined])
  })

  test('has the addresses that VMware Tools reports', () => {
    const { facts } = describeWith({
      'config.hardware.device': `<val>${device(
        'VirtualVmxnet3',
        4001,
        '<macAddress>00:50:56:00:00:02</macAddress><backing><port><portgroupKey>dvportgroup-14</portgroupKey></port></backing>',
      )}${device(
        'VirtualE1000',
        4000,
        '<macAddress>00:50:56:00:00:01</macAddress><backing><deviceName>lan</deviceName><network type="Network">network-13</network></backing>',
      )}</val>`,
      'guest.ipAddress': text('192.0.2.7'),
      'guest.net': `<val><GuestNicInfo><ipAddress>fe80::1</ipAddress><ipAddress>2001:db8::7</ipAddress><ipAddress>169.254.1.1</ipAddress><ipAddress>198.51.100.7</ipAddress><deviceConfigId>4001</deviceConfigId><ipConfig><ipAddress><ipAddress>198.51.100.7</ipAddress><prefixLength>25</prefixLength></ipAddress></ipConfig></GuestNicInfo><GuestNicInfo><ipAddress>10.0.0.7</ipAddress><macAddress>00:50:56:00:00:01</macAddress><deviceConfigId>-1</deviceConfigId></GuestNicInfo></val>`,
    })
    assert.deepEqual(
      facts.nics?.map(({ ip_addr, mask, ip6_addr, mac }) => [ip_addr, mask, ip6_addr, mac]),
      [
        ['10.0.0.7', 0, '', '00:50:56:00:00:01'],
        ['198.51.100.7', 25, '2001:db8::7', '00:50:56:00:00:02'],
      ],
    )
  })

  test('has disks by controller and unit, a CD image and passed-through devices', () => {
    const disk = (key: number, controller: number, backing: string, size: string) =>
      device(
        'VirtualDisk',
        key,
        `<backing xsi:type="${backing}"><datastore type="Datastore">datastore-16</datastore><thinProvisioned>true</thinProvisioned></backing><controllerKey>${controller}</controllerKey><unitNumber>0</unitNumber>${size}`,
      )
    const { facts } = describeWith({
      'config.hardware.device': `<val>${device('VirtualNVMEController', 31000, '')}${device('VirtualLsiLogicSASController', 1000, '')}${disk(2001, 31000, 'VirtualDiskRawDiskMappingVer1BackingInfo', '<capacityInKB>1025</capacityInKB>')}${disk(2000, 1000, 'VirtualDiskFlatVer2BackingInfo', '<capacityInKB>1024</capacityInKB><capacityInBytes>5368709120</capacityInBytes>')}${device('VirtualCdrom', 3000, '<backing><fileName>[fast] iso/debian.iso</fileName></backing>')}${device('VirtualPCIPassthrough', 13000, '<backing><id>0000:3b:00.0</id><deviceId>1eb8</deviceId><vendorId>4318</vendorId><deviceName>T4</deviceName></backing>')}${device('VirtualPCIPassthrough', 13001, '<backing><vgpu>grid_t4-4q</vgpu></backing>')}</val>`,
    })
    assert.deepEqual(
      facts.disks_info?.map((one) => [one.size, one.driver, one.disk_format]),
      [
        [5120, 'scsi', 'vmdk'],
        [2, 'nvme', 'raw'],
      ],
    )
    assert.ok(facts.disks_info?.every(({ storage_type }) => storage_type === 'vmfs'))
    assert.deepEqual([facts.cdrom, facts.notes?.['datastores']], ['debian.iso', 'fast'])
    assert.deepEqual(
      facts.isolated_devices?.map((one) => [
        one.dev_type,
        one.model,
        one.addr,
        one.vendor_device_id,
      ]),
      [
        ['GPU', 'T4', '3b:00.0', '10de:1eb8'],
        ['GPU', 'grid_t4-4q', '', ''],
      ],
    )
  })

  test('counts nested snapshots and names the newest', () => {
    const snapshot = (name: string, at: string, children = '') =>
      `<name>${name}</name><createTime>${at}</createTime>${children}`
    const { facts } = describeWith({
      snapshot: `<val><rootSnapshotList>${snapshot('one', '2026-01-01T00:00:00Z', `<childSnapshotList>${snapshot('two %2f', '2026-03-01T00:00:00Z')}</childSnapshotList>`)}</rootSnapshotList><rootSnapshotList>${snapshot('three', '2026-02-01T00:00:00Z')}</rootSnapshotList></val>`,
    })
    const { snapshots, newest_snapshot, newest_snapshot_at } = facts.notes ?? {}
    assert.deepEqual(
      [snapshots, newest_snapshot, newest_snapshot_at],
      ['3', 'two /', '2026-03-01T00:00:00.000Z'],
    )
  })

  test('has an unknown status without a connection', () => {
    const status = (connection: string, power: string) => {
      const { facts } = describeWith({
        'runtime.connectionState': text(connection),
        'runtime.powerState': text(power),
      })
      return [facts.status, facts.notes?.['source_status']]
    }
    assert.deepEqual(status('connected', 'suspended'), ['suspend', undefined])
    assert.deepEqual(status('orphaned', 'poweredOn'), ['unknown', 'orphaned'])
    assert.deepEqual(status('connected', 'melting'), ['unknown', 'melting'])
  })

  test('has the operating system of VMware Tools, else the configured one', () => {
    let tools = 'guestToolsRunning'
    const system = (family: string, id: string, ...names: readonly string[]) => {
      const { facts } = describeWith({
        'guest.guestFamily': text(family),
        'guest.toolsRunningStatus': text(tools),
        'config.guestId': text(id),
        'guest.guestFullName': text(names[0] ?? ''),
        'config.guestFullName': text('configured'),
      })
      return `${facts.os_type}: ${facts.os_name}`
    }
    assert.equal(system('windowsGuest', 'ubuntu64Guest', 'Windows 11'), 'Windows: Windows 11')
    assert.equal(system('', 'rhel9_64Guest'), 'Linux: configured')
    assert.equal(system('', 'windows2019srv_64Guest'), 'Windows: configured')
    assert.equal(system('', 'otherGuest64'), ': configured')
    assert.equal(system('', 'other5xLinux64Guest'), 'Linux: configured')
    assert.equal(system('', 'vmkernel7Guest'), 'VMware: configured')
    assert.equal(system('', 'somethingNew64Guest'), ': configured')
    assert.equal(system('linuxGuest', 'otherGuest64'), 'Linux: configured')
    assert.equal(system('linuxGuest', 'freebsd13_64Guest'), 'FreeBSD: configured')
    assert.equal(system('linuxGuest', 'windows2019srv_64Guest'), 'Linux: configured')
    tools = 'guestToolsNotRunning'
    assert.equal(system('linuxGuest', 'otherGuest64'), ': configured')
  })
})

test('networks have VLANs, and uplinks are no networks', () => {
  const { networks = [], hosts = [] } = toResources(inventory)
  assert.deepEqual(
    networks.map(({ external_id, vlan_id, status }) => [external_id, vlan_id, status]),
    [
      ['network-13', 12, 'available'],
      ['dvportgroup-14', 34, 'down'],
    ],
  )
  assert.deepEqual(
    hosts.map(({ access_ip, mem_size, enabled }) => [access_ip, mem_size, enabled]),
    [['192.0.2.9', 262_144, false]],
  )
})
