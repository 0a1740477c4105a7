import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { Json } from '../shared/json.ts'
import { ListBudget } from '../shared/list-budget.ts'
import { indexTables, type Lookups, type TableName } from './lookups.ts'
import { statusOf } from './status.ts'
import { toServer } from './to-server.ts'
import { pickUsed, type ListName } from './used-fields.ts'

const none = new Map<string, Json>()
const noLookups = indexTables({
  networks: none,
  subnets: none,
  ports: none,
  floating: none,
  groups: none,
  volumes: none,
  images: none,
  flavors: none,
})

const server = {
  id: 'a1',
  tenant_id: 'p1',
  name: 'web',
  status: 'ACTIVE',
  created: '2025-01-02T03:04:05Z',
  addresses: {},
  image: { id: 'i1' },
  flavor: { vcpus: 2, ram: 1_024, disk: 10, ephemeral: 5, swap: 256, original_name: 'm1' },
  'OS-EXT-STS:vm_state': 'active',
  'OS-EXT-STS:power_state': 1,
}

const listNames: Readonly<Record<string, ListName>> = {
  networks: 'networks',
  subnets: 'subnets',
  ports: 'ports',
  portsOf: 'ports',
  floating: 'floatingips',
  floatingOf: 'floatingips',
  groups: 'security_groups',
  volumes: 'volumes',
  images: 'images',
  flavors: 'flavors',
}
const budget = new ListBudget()
/** Only what is held in memory of them. */
const pickAll = (lookups: Partial<Lookups>) =>
  Object.fromEntries(
    Object.entries(lookups).map(([table, rows]) => [
      table,
      new Map(
        [...(rows as ReadonlyMap<string, Json | Json[]>)].map(([id, row]) => {
          const pick = (one: Json) => pickUsed(listNames[table] ?? 'ports', one, budget)
          return [id, Array.isArray(row) ? row.map(pick) : pick(row)]
        }),
      ),
    ]),
  ) as Partial<Lookups>

const convert = (changes: Json, lookups: Partial<Lookups> = {}, cut: readonly TableName[] = []) =>
  toServer(
    { ...server, ...changes },
    {
      site: { cloud: 'keystone.example', region: 'R' },
      lookups: { ...noLookups, ...pickAll(lookups) },
      projectNames: new Map([['p1', 'shop']]),
      failures: new Map(),
      cut: new Map(cut.map((table) => [table, new SourceError('incomplete', 'too long')])),
    },
  )

const factsOf = (changes: Json, lookups?: Partial<Lookups>) => {
  const converted = convert(changes, lookups)
  assert.ok('facts' in converted, 'it is readable')
  return converted.facts
}

describe('a server of Nova', () => {
  const statuses: readonly (readonly [Json, string])[] = [
    [{}, 'running'],
    [{ 'OS-EXT-STS:power_state': 4 }, 'ready'],
    [{ 'OS-EXT-STS:power_state': 3 }, 'suspend'],
    [{ 'OS-EXT-STS:task_state': 'powering-off' }, 'stopping'],
    [{ 'OS-EXT-STS:task_state': 'reboot_started_hard' }, 'starting'],
    [{ 'OS-EXT-STS:task_state': 'resize_migrating' }, 'change_flavor'],
    [{ 'OS-EXT-STS:task_state': 'image_uploading' }, 'running'],
    [{ 'OS-EXT-STS:vm_state': 'building', 'OS-EXT-STS:task_state': 'spawning' }, 'deploying'],
    [{ 'OS-EXT-STS:vm_state': 'error', hostId: '' }, 'sched_fail'],
    [{ 'OS-EXT-STS:vm_state': 'error', hostId: 'h' }, 'deploy_fail'],
  ]
  for (const [changes, status] of statuses) {
    test(`${JSON.stringify(changes)} is ${status}`, () =>
      assert.equal(statusOf({ ...server, ...changes }).status, status))
  }

  const states = [
    ['active', 'ACTIVE', 'running'],
    ['building', 'BUILD', 'schedule'],
    ['paused', 'PAUSED', 'suspend'],
    ['suspended', 'SUSPENDED', 'suspend'],
    ['stopped', 'SHUTOFF', 'ready'],
    ['rescued', 'RESCUE', 'running'],
    ['resized', 'VERIFY_RESIZE', 'sync_config'],
    ['shelved', 'SHELVED', 'ready'],
    ['shelved_offloaded', 'SHELVED_OFFLOADED', 'ready'],
    ['error', 'ERROR', 'sched_fail'],
  ] as const
  for (const [state, word, status] of states) {
    test(`in the state ${state}, or ${word} for those who may not see the state, is ${status}`, () => {
      const hidden = { ...server, 'OS-EXT-STS:vm_state': undefined, status: word }
      assert.equal(statusOf(hidden).status, status)
      assert.equal(statusOf({ ...server, 'OS-EXT-STS:vm_state': state }).status, status)
    })
  }

  test('that failed later, or has a state of its own, keeps the word of Nova', () => {
    const failed = {
      'OS-EXT-STS:vm_state': 'error',
      'OS-SRV-USG:launched_at': '2025',
      status: 'ERROR',
    }
    assert.deepEqual(statusOf(failed), { status: 'unknown', notes: { source_status: 'ERROR' } })
    const odd = { 'OS-EXT-STS:vm_state': 'dreaming', status: 'DREAMING' }
    assert.deepEqual(statusOf(odd), { status: 'unknown', notes: { source_status: 'DREAMING' } })
  })

  test('in a cell that is down is unreadable, under the same key', () => {
    const { name: _, addresses: __, ...partial } = server
    const converted = toServer(
      { ...partial, status: 'UNKNOWN' },
      {
        site: { cloud: 'c', region: 'R' },
        lookups: noLookups,
        projectNames: new Map(),
        failures: new Map(),
        cut: new Map(),
      },
    )
    assert.ok('reason' in converted)
    assert.deepEqual(converted.key, convert({}).key)
    assert.match(converted.reason, /cell/)
  })

  test('has an unread tenant if the name of its project is not known', () => {
    const names = (entries: [string, string][]) => ({
      site: { cloud: 'c', region: 'R' },
      lookups: noLookups,
      projectNames: new Map(entries),
      failures: new Map(),
      cut: new Map(),
    })
    const unreadWith = (entries: [string, string][]) => {
      const converted = toServer(server, names(entries))
      return 'facts' in converted && converted.unread
    }
    assert.deepEqual(unreadWith([]), ['tenant'])
    assert.equal(unreadWith([['p1', 'shop']]), undefined)
  })

  test('without a project fails, because it has no key', () => {
    assert.throws(() => convert({ tenant_id: undefined }), { kind: 'invalid-response' })
  })

  test('that is locked is protected against deletion', () => {
    const protections = [true, false, undefined].map((locked) => factsOf({ locked }).disable_delete)
    assert.deepEqual(protections, [true, false, false])
  })

  test('has the disks of its flavor', () => {
    const disks = factsOf({}).disks_info?.map(({ name, size, disk_type }) => [
      name,
      size,
      disk_type,
    ])
    assert.deepEqual(disks, [
      ['root', 10_240, 'sys'],
      ['ephemeral', 5_120, 'data'],
      ['swap', 256, 'swap'],
    ])
  })

  test('has its volumes without Cinder, and in the order of devices with it', () => {
    const attached = { 'os-extended-volumes:volumes_attached': [{ id: 'v1' }, { id: 'v2' }] }
    const flavor = { vcpus: 1, ram: 1 }
    const idsOf = (lookups: Partial<Lookups>) =>
      factsOf({ ...attached, image: '', flavor }, lookups).disks_info?.map((disk) => [
        disk.id,
        disk.size,
        disk.disk_type,
      ])
    assert.deepEqual(idsOf({}), [
      ['v1', 0, 'data'],
      ['v2', 0, 'data'],
    ])
    const at = (device: string) => ({ attachments: [{ server_id: 'a1', device }] })
    const volumes = new Map<string, Json>([
      ['v1', { id: 'v1', size: 2, ...at('/dev/vdb') }],
      ['v2', { id: 'v2', size: 1, ...at('/dev/vda') }],
    ])
    assert.deepEqual(idsOf({ volumes }), [
      ['v2', 1_024, 'sys'],
      ['v1', 2_048, 'data'],
    ])
  })

  test('takes the size from the list of flavors, if Nova names it by id only', () => {
    const flavors = new Map([['f1', { id: 'f1', name: 'm1.big', vcpus: 8, ram: 64, disk: 1 }]])
    const { vcpu_count, instance_type, flavor_id } = factsOf({ flavor: { id: 'f1' } }, { flavors })
    assert.deepEqual([vcpu_count, instance_type, flavor_id], [8, 'm1.big', 'f1'])
  })

  test('keeps fields only if a list was cut before a row that it names', () => {
    const port = {
      id: 'o1',
      device_id: 'a1',
      mac_address: 'm1',
      network_id: 'n1',
      security_groups: ['g1'],
      fixed_ips: [{ subnet_id: 's1', ip_address: '10.0.0.1' }],
    }
    const address = {
      addr: '10.0.0.1',
      'OS-EXT-IPS-MAC:mac_addr': 'm1',
      'OS-EXT-IPS:type': 'fixed',
    }
    const floating = { ...address, addr: '192.0.2.1', 'OS-EXT-IPS:type': 'floating' }
    const changes = {
      addresses: { lan: [address, floating] },
      flavor: { id: 'f1' },
      'os-extended-volumes:volumes_attached': [{ id: 'v1' }],
    }
    const row = (id: string) => new Map([[id, { id }]])
    const full: Partial<Lookups> = {
      networks: row('n1'),
      subnets: row('s1'),
      portsOf: new Map([['a1', [port]]]),
      floatingOf: new Map([['o1', { id: 'q1', floating_ip_address: '192.0.2.1' }]]),
      groups: row('g1'),
      volumes: row('v1'),
      images: row('i1'),
      flavors: row('f1'),
    }
    const unreadOf = (lookups: Partial<Lookups>, ...cut: readonly TableName[]) => {
      const converted = convert(changes, lookups, cut)
      return 'facts' in converted ? (converted.unread ?? []) : assert.fail('it is unreadable')
    }
    const fields: Readonly<Record<TableName, string>> = {
      networks: 'nics',
      subnets: 'nics',
      ports: 'src_ip_check',
      floating: 'eip',
      groups: 'secgroups',
      volumes: 'disks_info',
      images: 'os_type',
      flavors: 'vcpu_count',
    }
    for (const [name, field] of Object.entries(fields)) {
      const table = name as TableName
      const index = table === 'ports' || table === 'floating' ? (`${table}Of` as const) : table
      assert.deepEqual(unreadOf(full, table), [], `${table} has its rows`)
      const without = { ...full, [index]: new Map() }
      assert.ok(
        unreadOf(without, table).some((each) => each === field),
        `${table} lacks its row`,
      )
      assert.deepEqual(unreadOf(without), [], `${table} was not cut`)
    }
  })

  test('has the words of security groups that need none', () => {
    const rule = {
      direction: 'ingress',
      ethertype: 'IPv6',
      protocol: 'ipv6-icmp',
      port_range_min: 8,
    }
    const groups = new Map<string, Json>([
      ['g1', { id: 'g1', name: 'all', security_group_rules: [rule, { direction: 'egress' }] }],
    ])
    const portsOf = new Map([['a1', [{ id: 'n1', security_groups: ['g1'] }]]])
    const { security_rules } = factsOf({}, { groups, portsOf })
    assert.equal(security_rules, 'in:allow icmpv6 8 ::/0;out:allow any')
  })
})
