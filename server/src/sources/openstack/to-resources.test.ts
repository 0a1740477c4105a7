import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../shared/json.ts'
import { indexTables } from './lookups.ts'
import { toResources } from './to-resources.ts'

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
  const listed = { hypervisors: [], zones: [], areZonesDenied: true, errors: [] }
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
