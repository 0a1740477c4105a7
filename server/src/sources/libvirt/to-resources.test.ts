import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import { isSourceError, openAt, some, soon, uuidOf } from '../../testing/fake-libvirt-connection.ts'
import type { FakeHost } from '../../testing/fake-libvirt-responses.ts'
import { scanResources } from '../../testing/inventory-world/resource-conformance.ts'
import { parseXml } from '../shared/parse-xml.ts'
import { describeNetwork } from './networks.ts'
import { procedures } from './protocol.ts'
import { toResources } from './to-resources.ts'

const host = {
  name: 'kvm-1',
  uuid: uuidOf(9),
  serial: 'SN1',
  version: '9.0.0',
  hypervisorVersion: '7.2.0',
  cpuCount: 8,
  cpuModel: 'EPYC',
  memory: 65_536,
}
const noNetworks = new Map()
const handle = { name: 'lan', uuid: uuidOf(50) }

function networkFrom(inside: string) {
  const network = {
    uuid: handle.uuid,
    description: describeNetwork(parseXml(`<network>${inside}</network>`)),
    reserved: new Map(),
    leased: new Map(),
  }
  const { networks = [] } = toResources(host, '', new Map([['lan', network]]), {
    networks: [handle],
  })
  return networks[0]
}

function rangeOf(inside: string) {
  const network = networkFrom(inside)
  return [
    network?.guest_ip_start,
    network?.guest_ip_end,
    network?.guest_ip_mask,
    network?.guest_gateway,
  ]
}

const lan = {
  ...handle,
  xml: "<network><ip address='10.1.0.1' prefix='16'/></network>",
  leases: [],
}
const fullHost: Omit<FakeHost, 'uuid'> = {
  serial: 'SN-9',
  cpuModel: 'EPYC-Rome',
  hardware: { cpus: 16, kibibytes: 32_768_512 },
  hypervisorVersion: 7_002_017,
  networks: [lan, { ...lan, name: 'old', uuid: uuidOf(51), isInactive: true }],
}

describe('the host and networks of libvirt', () => {
  test('are reported in a scan, also without domains', async (context) => {
    const fake = await startFakeLibvirt(context, { host: fullHost })
    const found = await scanResources(await openAt(context, fake), soon())
    const [described] = found.hosts.values()
    assert.deepEqual(described, {
      id: described?.id,
      name: 'fake-host',
      status: 'running',
      host_status: 'online',
      host_type: 'hypervisor',
      access_ip: '',
      sn: 'SN-9',
      cpu_count: 16,
      cpu_desc: 'EPYC-Rome',
      mem_size: 32_000,
      version: '7.2.17',
      external_id: described?.id,
    })
    assert.deepEqual(
      [...found.networks.values()].map(({ id, name, status }) => [id, name, status]),
      [
        [uuidOf(50), 'lan', 'available'],
        [uuidOf(51), 'old', 'down'],
      ],
    )
    assert.equal(found.cloudregions.size + found.zones.size, 0)
  })

  test('are reported as far as this libvirt knows them', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const found = await scanResources(await openAt(context, fake), soon())
    const [described] = found.hosts.values()
    assert.equal(found.hosts.size, 1)
    assert.deepEqual(
      [described?.cpu_count, described?.cpu_desc, described?.mem_size, described?.version],
      [0, '', 0, ''],
    )
    assert.equal(found.networks.size, 0)
  })

  test('a failing connection fails the scan', async (context) => {
    const fake = await startFakeLibvirt(context, { host: fullHost })
    const source = await openAt(context, fake)
    fake.faults.set(procedures.connectListAllNetworks, 'closed')
    await assert.rejects(scanResources(source, soon()), isSourceError(/unreachable/))
  })

  test('a network has an unknown status if libvirt does not list the active ones', () => {
    const network = { uuid: handle.uuid, description: {}, reserved: new Map(), leased: new Map() }
    const { networks } = toResources(host, '', new Map([['lan', network]]), {})
    assert.deepEqual(networks, [
      { id: handle.uuid, name: 'lan', status: 'unknown', external_id: handle.uuid },
    ])
  })

  test('a network has the addresses that DHCP leases', () => {
    const inside = `<ip family='ipv6' address='2001:db8::1' prefix='64'/>
      <ip address='192.168.122.1' netmask='255.255.255.0'><dhcp>
        <range start='192.168.122.10' end='192.168.122.99'/>
        <range start='192.168.122.200' end='192.168.122.250'/></dhcp></ip>`
    assert.deepEqual(rangeOf(inside), ['192.168.122.10', '192.168.122.250', 24, '192.168.122.1'])
  })

  test('a network without DHCP has all addresses but the gateway', () => {
    const of = (address: string, prefix: number) =>
      rangeOf(`<ip address='${address}' prefix='${prefix}'/>`).slice(0, 2)
    assert.deepEqual(of('10.1.0.1', 16), ['10.1.0.2', '10.1.255.254'])
    assert.deepEqual(of('10.1.0.254', 24), ['10.1.0.1', '10.1.0.253'])
    assert.deepEqual(of('10.1.0.9', 24), ['10.1.0.1', '10.1.0.254'])
    assert.deepEqual(of('10.1.0.1', 31), ['', ''])
    assert.deepEqual(rangeOf(`<ip address='10.1.0.1'/>`), ['', '', 0, '10.1.0.1'])
    assert.deepEqual(rangeOf(`<bridge name='br0'/>`), Array.from({ length: 4 }))
  })

  test('a network has its VLAN, unless it has several', () => {
    assert.equal(networkFrom(`<vlan><tag id='42'/></vlan>`)?.vlan_id, 42)
    assert.equal(networkFrom(`<vlan trunk='yes'><tag id='42'/><tag id='43'/></vlan>`)?.vlan_id, 0)
  })

  test('the address of the host is known if the account names it', () => {
    const ipOf = (address: string) =>
      toResources(host, address, noNetworks, {}).hosts?.[0]?.access_ip
    assert.equal(ipOf('qemu+tls://192.0.2.7/system'), '192.0.2.7')
    assert.equal(ipOf('qemu+tls://[2001:db8::7]:99/system'), '2001:db8::7')
    assert.equal(ipOf('qemu+tls://kvm-1.example.org/system'), '')
    assert.equal(ipOf('qemu+unix:///system'), '')
  })

  test('a host without a UUID is not reported', () => {
    assert.deepEqual(toResources({ ...host, uuid: '' }, '', noNetworks, {}).hosts, [])
  })
})
