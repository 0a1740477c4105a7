import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { inventoryResources, type OperationId } from '@muster/contract'
import type { InventoryObject } from '../../domain/inventory/kinds.ts'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { ask } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer, withDisk } from '../../testing/inventory-world/minimal-server.ts'
import {
  startInventoryWorld,
  type InventoryCaller,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'

type Listed = Record<string, { id: string; name: string }[]> & { total: number }

const nic = (network_id: string) => ({
  network_id,
  ip_addr: '',
  ip6_addr: '',
  mac: '',
  team_with: '',
  vpc_id: 'vpc-1',
  is_exit: false,
})

/** Two servers of each project on a host of its own, all in one region. */
const serversOf = (projectId: string, at: number): ServerFacts[] => {
  const named: Partial<ServerFacts> = {
    host: `Kvm-${at}`,
    host_id: `host-${at}`,
    host_sn: `sn-${at}`,
    host_status: 'running',
    zone: `zone ${at}`,
    zone_id: `zone-${at}`,
    region: 'berlin',
    cloudregion_id: 'region-1',
    manager: `tenant ${at}`,
    manager_id: `manager-${at}`,
    image: `debian ${at}`,
    image_id: `ami-${at}`,
    os_type: 'Linux',
    instance_type: 'm1.small',
    flavor_id: '1',
    flavor_uuid: `flavor-${at}`,
    vcpu_count: 2,
    vmem_size: 4_096,
    nics: [nic(`net-${at}`), nic('net-shared'), nic(`net-${at}`)],
  }
  return [
    minimalServer(projectId, {
      ...named,
      name: `${at}a`,
      ...withDisk({ id: `disk-${at}`, fs: 'xfs', image: 'debian', iops: 7, bps: 9 }),
    }),
    minimalServer(projectId, { ...named, name: `${at}b` }),
    minimalServer(projectId, {
      ...named,
      name: `${at}bin`,
      pending_deleted: true,
      ...withDisk({ id: `disk-${at}-bin` }),
    }),
  ]
}

onEngineOfLane('hosts, networks, disks, regions, zones and managers', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    await fleet.record(fleet.projects.flatMap(({ id }, at) => serversOf(id, at)))
  })
  after(() => fleet.platform.close())

  const lists = {
    hosts: 'listHosts',
    networks: 'listNetworks',
    disks: 'listDisks',
    images: 'listImages',
    flavors: 'listFlavors',
    cloudregions: 'listCloudRegions',
    zones: 'listZones',
    cloudproviders: 'listManagers',
  } as const satisfies Record<string, OperationId>
  type Kind = keyof typeof lists

  const list = async (caller: InventoryCaller, kind: Kind, query = '') => {
    const body = await caller.get<Listed>(lists[kind], { query: `order_by=id&order=asc&${query}` })
    return { items: body[kind] ?? [], total: body.total }
  }
  const ids = async (caller: InventoryCaller, kind: Kind, query = '') => {
    const { items, total } = await list(caller, kind, query)
    assert.equal(total, items.length)
    return items.map(({ id }) => id).join(' ')
  }

  test('are the disks of servers that the caller sees, with fields of the server', async () => {
    const { owner, domainAdmin, admin, auditor } = fleet.callers
    assert.equal(await ids(owner, 'disks'), 'disk-0 disk-0-bin')
    const ofDomain = [0, 1, 2].flatMap((at) => [`disk-${at}`, `disk-${at}-bin`]).join(' ')
    assert.equal(await ids(domainAdmin, 'disks'), ofDomain)
    for (const caller of [auditor, admin]) assert.equal((await list(caller, 'disks')).total, 10)
    assert.equal(await ids(auditor, 'disks', 'scope=project'), 'disk-3 disk-3-bin')
    await owner.fail('ResourceNotFoundError', 'getDisk', { path: { id: 'disk-1' } })
    const { disk } = await owner.get<{ disk: InventoryObject<'disks'> }>('getDisk', {
      path: { id: 'disk-0' },
    })
    assert.deepEqual(
      [disk.guest, disk.guest_status, disk.provider, disk.cloudregion, disk.zone, disk.zone_id],
      ['0a', 'running', 'Aws', 'berlin', 'zone 0', 'zone-0'],
    )
    assert.deepEqual(
      [disk.disk_size, disk.fs_format, disk.template, disk.iops, disk.throughput],
      [20_480, 'xfs', 'debian', 7, 9],
    )
    assert.equal(await ids(admin, 'disks', 'guest=2a'), 'disk-2')
    assert.equal(await ids(admin, 'disks', 'zone=zone 3&fs_format=XFS&provider=aws'), 'disk-3')
    assert.equal(await ids(owner, 'disks', 'guest=2a'), '')
  })

  test('are those that a visible server names, and all of them with a system role', async () => {
    const { owner, viewer, domainAdmin, auditor, admin } = fleet.callers
    for (const caller of [owner, viewer]) {
      assert.equal(await ids(caller, 'hosts'), 'host-0')
      assert.equal(await ids(caller, 'zones'), 'zone-0')
      assert.equal(await ids(caller, 'cloudregions'), 'region-1')
      assert.equal(await ids(caller, 'cloudproviders'), 'manager-0')
      assert.equal(await ids(caller, 'networks'), 'net-0 net-shared')
      assert.equal(await ids(caller, 'images'), 'ami-0')
      assert.equal(await ids(caller, 'flavors'), 'flavor-0')
    }
    assert.equal(await ids(domainAdmin, 'hosts'), 'host-0 host-1 host-2')
    assert.equal(await ids(domainAdmin, 'networks'), 'net-0 net-1 net-2 net-shared')
    for (const caller of [auditor, admin]) {
      assert.equal(await ids(caller, 'hosts'), 'host-0 host-1 host-2 host-3 host-4')
      assert.equal(await ids(caller, 'hosts', 'scope=max'), 'host-0 host-1 host-2 host-3 host-4')
    }
    assert.equal(await ids(auditor, 'hosts', 'scope=project'), 'host-3')
    assert.equal(await ids(admin, 'networks', 'scope=domain'), 'net-4 net-shared')
    await owner.fail('ForbiddenError', 'listHosts', { query: 'scope=system' })
  })

  test('show what servers say about images and flavors, until the source tells more', async () => {
    const { owner } = fleet.callers
    const { image } = await owner.get<{ image: InventoryObject<'images'> }>('getImage', {
      path: { id: 'ami-0' },
    })
    assert.partialDeepStrictEqual(image, {
      name: 'debian 0',
      status: 'unknown',
      os_type: 'Linux',
      os_arch: '',
      provider: 'Aws',
      cloudregion: 'berlin',
      external_id: 'ami-0',
      guest_count: 2,
    })
    const { flavor } = await owner.get<{ flavor: InventoryObject<'flavors'> }>('getFlavor', {
      path: { id: 'flavor-0' },
    })
    assert.partialDeepStrictEqual(flavor, {
      name: 'm1.small',
      cpu_core_count: 2,
      memory_size_mb: 4_096,
      provider: 'Aws',
      cloudregion_id: 'region-1',
      external_id: '1',
      guest_count: 2,
    })
    assert.equal(await ids(owner, 'flavors', 'memory_size_mb=4096'), 'flavor-0')
  })

  test('are also those that a server in the recycle bin names, without counting it', async () => {
    const { owner, auditor } = fleet.callers
    const named = { zone: 'old', zone_id: 'zone-old', nics: [nic('net-old')] }
    const recycled = minimalServer(fleet.projects[0]?.id ?? '', { ...named, pending_deleted: true })
    await fleet.record([recycled])
    const { zone } = await owner.get<{ zone: InventoryObject<'zones'> }>('getZone', {
      path: { id: 'zone-old' },
    })
    assert.deepEqual([zone.name, zone.guest_count], ['old', 0])
    assert.equal(await ids(owner, 'networks', 'id=net-old'), 'net-old')
    const elsewhere = { path: { id: 'zone-old' }, query: 'scope=project' }
    await auditor.fail('ResourceNotFoundError', 'getZone', elsewhere)
    await fleet.platform.inventory.recordServers({ present: [], gone: [recycled.id] })
    await owner.fail('ResourceNotFoundError', 'getZone', { path: { id: 'zone-old' } })
    assert.equal(await ids(owner, 'networks', 'id=net-old'), '')
  })

  test('do not tell the manager of another tenant', async () => {
    const { items } = await list(fleet.callers.owner, 'networks', 'id=net-shared&details=true')
    const [network] = items as Partial<InventoryObject<'networks'>>[]
    assert.deepEqual([network?.manager, network?.manager_id], ['', ''])
  })

  test('count the visible live servers', async () => {
    const { owner, domainAdmin, admin } = fleet.callers
    const counts = async (caller: InventoryCaller, kind: Kind, id: string, query = '') => {
      const { items } = await list(caller, kind, `id=${id}&details=true&${query}`)
      const [item] = items as unknown as { guests?: number; guest_count?: number }[]
      return item?.guests ?? item?.guest_count
    }
    assert.equal(await counts(owner, 'cloudregions', 'region-1'), 2)
    assert.equal(await counts(domainAdmin, 'cloudregions', 'region-1'), 6)
    assert.equal(await counts(admin, 'cloudregions', 'region-1'), 10)
    assert.equal(await counts(admin, 'cloudregions', 'region-1', 'scope=project'), 2)
    assert.equal(await counts(owner, 'networks', 'net-shared'), 2)
    assert.equal(await counts(admin, 'networks', 'net-shared'), 10)
    assert.equal(await counts(admin, 'networks', 'net-3'), 2)
    assert.equal(await counts(admin, 'hosts', 'host-1'), 2)
    assert.equal(await counts(admin, 'zones', 'zone-1'), 2)
    assert.equal(await counts(admin, 'cloudproviders', 'manager-1'), 2)
  })

  test('show and compare only some fields of a host without a system role', async () => {
    const { owner, domainAdmin, auditor } = fleet.callers
    const few = [...inventoryResources.hosts.fieldsWithoutSystemRole]
    for (const caller of [owner, domainAdmin]) {
      const { host } = await caller.get<{ host: InventoryObject<'hosts'> }>('getHost', {
        path: { id: 'host-0' },
      })
      assert.deepEqual(Object.keys(host).toSorted(), few.toSorted())
      const { items } = await list(caller, 'hosts', 'details=true')
      assert.deepEqual(Object.keys(items[0] ?? {}).toSorted(), few.toSorted())
      for (const query of [
        'sn=sn-0',
        'q=sn:sn-0',
        'order_by=sn',
        'field=sn',
        "filter=sn.startswith('s')",
        'order_by=created_at',
      ]) {
        await caller.fail('InputParameterError', 'listHosts', { query })
      }
      const { details } = await caller.fail('InputParameterError', 'listHosts', {
        query: 'q=created>2020-01-01',
      })
      assert.doesNotMatch(details, /did you mean "created"/)
      assert.equal(await ids(caller, 'hosts', 'search=sn-0'), '')
    }
    const { host } = await auditor.get<{ host: InventoryObject<'hosts'> }>('getHost', {
      path: { id: 'host-0' },
    })
    assert.deepEqual(Object.keys(host), Object.keys(inventoryResources.hosts.fields))
    assert.deepEqual(
      [host.sn, host.status, host.provider, host.cloudregion, host.zone_id, host.guests],
      ['sn-0', 'running', 'Aws', 'berlin', 'zone-0', 2],
    )
    assert.equal(await ids(auditor, 'hosts', 'sn=sn-0'), 'host-0')
    assert.equal(await ids(auditor, 'hosts', 'search=SN-0'), 'host-0')
  })

  test('are sorted by name if the caller may not see when they were created', async () => {
    const names = async (query: string) => {
      const body = await fleet.callers.domainAdmin.get<Listed>('listHosts', { query })
      return (body['hosts'] ?? []).map(({ name }) => name).join(' ')
    }
    assert.equal(await names(''), 'Kvm-0 Kvm-1 Kvm-2')
    assert.equal(await names('order=desc'), 'Kvm-2 Kvm-1 Kvm-0')
    assert.equal(await names('order_by=name'), 'Kvm-2 Kvm-1 Kvm-0')
  })

  test('can be filtered, sorted and paged like servers', async () => {
    const { admin } = fleet.callers
    assert.equal(await ids(admin, 'hosts', 'zone=zone-2'), 'host-2')
    assert.equal(await ids(admin, 'hosts', 'zone=zone 2'), 'host-2')
    assert.equal(await ids(admin, 'hosts', 'provider=aws&name=Kvm-1'), 'host-1')
    assert.equal(await ids(admin, 'hosts', 'name=kvm-1'), '')
    assert.equal(await ids(admin, 'hosts', 'q=-name:Kvm-1 zone:zone-1,zone-2'), 'host-2')
    assert.equal(await ids(admin, 'hosts', "filter=name.contains('VM-3')"), 'host-3')
    assert.equal(await ids(admin, 'hosts', 'search=vm-4'), 'host-4')
    await admin.fail('InputParameterError', 'listHosts', { query: 'order_by=guests' })
    const pages: string[] = []
    let marker = ''
    do {
      const query = `order_by=name&limit=2${marker && `&marker=${marker}`}`
      const { body, headers } = await admin.call<Listed>('listHosts', { query })
      assert.equal(body.total, 5)
      pages.push((body['hosts'] ?? []).map(({ id }) => id).join(' '))
      marker = /marker=([^&>]+)/.exec(headers.get('link') ?? '')?.[1] ?? ''
    } while (marker !== '')
    assert.deepEqual(pages, ['host-4 host-3', 'host-2 host-1', 'host-0'])
    const { headers } = await admin.call<Listed>('listHosts', { query: 'limit=2' })
    const ofHosts = /marker=([^&>]+)/.exec(headers.get('link') ?? '')?.[1] ?? ''
    await admin.get('listHosts', { query: `limit=2&marker=${ofHosts}` })
    await admin.fail('InputParameterError', 'listNetworks', { query: `limit=2&marker=${ofHosts}` })
    const climc = await admin.get<Listed>('listHosts', {
      query: 'details=false&limit=20&offset=0&summary_stats=false',
    })
    assert.equal(climc['hosts']?.length, 5)
    const flags = [
      ['listHosts', 'storage_not_attached'],
      ['listManagers', 'has_object_storage'],
      ['listManagers', 'usable'],
    ] as const
    for (const [list, flag] of flags) {
      const plain = await admin.get(list)
      assert.deepEqual(await admin.get(list, { query: `${flag}=false&admin=true` }), plain)
      await admin.fail('InputParameterError', list, { query: `${flag}=true` })
    }
  })

  test('lead to their servers', async () => {
    const { owner, admin } = fleet.callers
    const servers = async (caller: InventoryCaller, query: string) => {
      const path = `order_by=name&order=asc&scope=max&${query}`
      const body = await caller.get<Listed>('listServers', { query: path })
      assert.equal(body.total, body['servers']?.length)
      return (body['servers'] ?? []).map(({ name }) => name).join(' ')
    }
    assert.equal(await servers(admin, 'q=network:net-1'), '1a 1b')
    assert.equal(await servers(admin, 'network=net-1&network=net-3'), '1a 1b 3a 3b')
    assert.equal(await servers(admin, 'q=network:net-1,net-3 -host_id:host-1'), '3a 3b')
    assert.equal(await servers(admin, 'q=-network:net-1,net-2,net-3,net-4'), '0a 0b')
    assert.equal(await servers(admin, 'q=network:net-1&pending_delete=true'), '1bin')
    assert.equal(await servers(owner, 'q=network:net-shared'), '0a 0b')
    assert.equal(await servers(admin, 'q=network:no-such-network'), '')
    for (const [field, kind] of [
      ['host_id', 'host'],
      ['zone_id', 'zone'],
      ['manager_id', 'manager'],
    ]) {
      assert.equal(await servers(admin, `q=${field}:${kind}-1`), '1a 1b')
    }
  })

  test('are found by id or name, and by name only if it is unique', async () => {
    const { owner, admin } = fleet.callers
    const { zone } = await admin.get<{ zone: { id: string } }>('getZone', {
      path: { id: 'zone 3' },
    })
    assert.equal(zone.id, 'zone-3')
    await owner.fail('ResourceNotFoundError', 'getZone', { path: { id: 'zone-3' } })
    await owner.fail('ResourceNotFoundError', 'getZone', { path: { id: 'zone 3' } })
    await fleet.record([
      minimalServer(fleet.projects[4]?.id ?? '', { zone: 'zone 3', zone_id: 'zone-33' }),
    ])
    const { details } = await admin.fail('ConflictError', 'getZone', { path: { id: 'zone 3' } })
    assert.match(details, /zone-3, zone-33/)
  })

  test('answer with an ETag', async () => {
    const { admin } = fleet.callers
    const first = await ask(fleet.url, '/hosts', { token: admin.token })
    const etag = first.headers.get('etag') ?? ''
    const headers = { 'if-none-match': etag }
    const again = await ask(fleet.url, '/hosts', { token: admin.token, headers })
    assert.equal(again.status, 304)
  })
})
