import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../shared/json.ts'
import { indexTables } from './lookups.ts'
import { regionIdOf } from './resource-ids.ts'
import { toResources } from './to-resources.ts'
import { toServer } from './to-server.ts'

const none = new Map<string, Json>()
const noTables = {
  networks: none,
  subnets: none,
  ports: none,
  floating: none,
  groups: none,
  volumes: none,
  images: none,
  flavors: none,
}
const byId = (rows: readonly Json[]) => new Map(rows.map((row) => [String(row['id']), row]))

test('networks have the addresses of their first IPv4 subnet, in pages of limited size', () => {
  const networks = Array.from({ length: 1_200 }, (_, number) => ({
    id: `n${number}`,
    status: number === 1 ? 'ACTIVE' : 'DOWN',
  }))
  const subnets = [
    { id: 's3', network_id: 'n1', ip_version: 4, cidr: '10.2.0.0/24' },
    { id: 's2', network_id: 'n1', ip_version: 4, cidr: '10.1.0.0/24', gateway_ip: '10.1.0.1' },
    { id: 's1', network_id: 'n1', ip_version: 6, cidr: 'fd00::/64' },
    { id: 's0', network_id: 'n0', ip_version: 6, cidr: 'fd00::/64' },
  ]
  const lookups = indexTables({ ...noTables, networks: byId(networks), subnets: byId(subnets) })
  const site = { cloud: 'c', region: 'R' }
  const named = { hosts: new Set(['host']), zones: new Set(['zone']) }
  const listed = { hypervisors: [], zones: [], flavors: [], denied: [], errors: [] }
  const pages = [...toResources(site, listed, named, lookups)]
  const all = pages.flatMap((page) => page.networks ?? [])
  assert.equal(all.length, 1_200)
  assert.ok(pages.every((page) => (page.networks?.length ?? 0) <= 500))
  const [first, second] = all
  assert.deepEqual([first?.status, second?.status], ['down', 'available'])
  assert.equal(first?.guest_ip_start, undefined)
  const { guest_ip_start, guest_ip_end, guest_ip_mask, guest_gateway } = second ?? {}
  assert.deepEqual(
    [guest_ip_start, guest_ip_end, guest_ip_mask, guest_gateway],
    ['10.1.0.2', '10.1.0.254', 24, '10.1.0.1'],
  )
  assert.deepEqual(
    pages.flatMap((page) => [...(page.hosts ?? []), ...(page.zones ?? [])]).map(({ name }) => name),
    ['zone', 'host'],
  )
})

test('images and flavors have the ids that servers refer to', () => {
  const image = {
    id: 'i1',
    name: 'debian',
    status: 'active',
    os_distro: 'debian',
    os_version: '12',
    architecture: 'x86_64',
    disk_format: 'qcow2',
    size: 3_000_000_000,
    min_disk: 10,
    min_ram: 512,
  }
  const flavor = {
    id: '7',
    name: 'g1',
    vcpus: 8,
    ram: 32_768,
    disk: 20,
    ephemeral: 5,
    extra_specs: { 'pci_passthrough:alias': 'a100:2' },
  }
  const lookups = indexTables({ ...noTables, images: byId([image, { id: 'i2' }]) })
  const site = { cloud: 'c', region: 'R' }
  const region = { cloudregion: 'R', cloudregion_id: regionIdOf(site) }
  const found = { hypervisors: [], zones: [], flavors: [flavor], denied: [], errors: [] }
  const pages = [...toResources(site, found, { hosts: new Set(), zones: new Set() }, lookups)]
  assert.deepEqual(
    pages.flatMap(({ images = [] }) => images),
    [
      {
        ...region,
        id: 'i1',
        name: 'debian',
        status: 'active',
        os_type: 'Linux',
        os_distribution: 'Debian',
        os_version: '12',
        os_arch: 'x86_64',
        disk_format: 'qcow2',
        size: 3_000_000_000,
        min_disk: 10_240,
        min_ram: 512,
        external_id: 'i1',
      },
      {
        ...region,
        id: 'i2',
        name: 'i2',
        status: 'unknown',
        os_type: '',
        os_distribution: '',
        os_version: '',
        os_arch: '',
        disk_format: '',
        size: 0,
        min_disk: 0,
        min_ram: 0,
        external_id: 'i2',
      },
    ],
  )
  const server = {
    id: 'a1',
    tenant_id: 'p1',
    name: 'a',
    status: 'ACTIVE',
    addresses: {},
    image: { id: 'i1' },
    flavor: { original_name: 'g1', vcpus: 8, ram: 32_768 },
  }
  const none = new Map()
  const read = toServer(server, { site, lookups, projectNames: none, failures: none, cut: none })
  const { image: name, image_id, flavor_id, flavor_uuid = '' } = 'facts' in read ? read.facts : {}
  assert.deepEqual([name, image_id, flavor_id], ['debian', 'i1', 'g1'])
  assert.deepEqual(
    pages.flatMap(({ flavors = [] }) => flavors),
    [
      {
        ...region,
        id: flavor_uuid,
        name: 'g1',
        cpu_core_count: 8,
        memory_size_mb: 32_768,
        attached_disk_size_gb: 25,
        gpu_count: 2,
        gpu_spec: 'a100',
        external_id: '7',
      },
    ],
  )
})
