import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import {
  domain,
  isSourceError,
  openAt,
  some,
  soon,
  uuidOf,
} from '../../testing/fake-libvirt-connection.ts'
import { requireServer, scanAll } from '../../testing/inventory-world/source-conformance.ts'
import { maxConcurrentSizes } from './disk-sizes.ts'
import { procedures } from './protocol.ts'
import { referTo } from '../../testing/inventory-world/server-reference.ts'

describe('libvirt', () => {
  test('a scan reads all domains in pages', async (context) => {
    const many = Array.from({ length: 150 }, (_, number) => domain(number))
    const fake = await startFakeLibvirt(context, { domains: many, host: { serial: 'SN-9' } })
    const source = await openAt(context, fake)
    assert.equal(source.title, 'libvirt 9.1.2 on fake-host')
    const sizes: number[] = []
    for await (const { present } of source.scan(soon())) sizes.push(present.length)
    assert.deepEqual(sizes, [64, 64, 22, 0])
    const seen = await scanAll(source)
    assert.equal(seen.size, 150)
    assert.ok([...seen.values()].every(({ facts }) => facts.host_sn === 'SN-9'))
  })

  test('only read-only calls are made', async (context) => {
    const fake = await startFakeLibvirt(context, { domains: some })
    const source = await openAt(context, fake)
    await scanAll(source)
    await source.get(referTo(uuidOf(1)), soon())
    const known = new Set<number>(Object.values(procedures))
    assert.ok(fake.requests.every((procedure) => known.has(procedure)))
  })

  test('servers have details from networks, pools, filters and devices', async (context) => {
    const mac = '52:54:00:00:00:01'
    const inside = `<devices>
      <disk type='file' device='disk'><source file='/nfs/a'/><target dev='vda' bus='virtio'/></disk>
      <interface type='network'><mac address='${mac}'/><source network='lan'/><filterref filter='web'/></interface>
      <hostdev type='pci'><source><address domain='0' bus='0x3b' slot='0' function='0'/></source></hostdev></devices>`
    const fake = await startFakeLibvirt(context, {
      domains: [domain(1, { inside, capacities: { vda: 1_073_741_825 } })],
      host: {
        networks: [
          {
            name: 'lan',
            uuid: uuidOf(50),
            xml: "<network><ip address='10.1.0.1' prefix='16'/></network>",
            leases: [
              { mac, address: '10.1.0.9', expiry: 2_000 },
              { mac, address: '10.1.0.8', expiry: 1_000 },
              { mac, address: '2001:db8::9', expiry: 1_000, isIpv6: true },
            ],
          },
        ],
        pools: [
          {
            name: 'p',
            uuid: uuidOf(51),
            xml: "<pool type='netfs'><target><path>/nfs</path></target></pool>",
          },
        ],
        filters: [
          {
            name: 'web',
            uuid: uuidOf(52),
            xml: `<filter><filterref filter='no-mac-spoofing'/>
              <rule action='accept' direction='in'><tcp dstportstart='80' dstportend='81'/></rule>
              <rule action='accept' direction='in'><tcp srcipaddr='10.0.0.0' srcipmask='255.0.0.0' dstportstart='22'/></rule>
              <rule action='reject' direction='out'><udp-ipv6 dstipaddr='2001:db8::' dstipmask='32'/></rule>
              <rule action='accept' direction='in'><tcp srcipaddr='$PEER'/><mac srcmacaddr='$MAC'/></rule>
              <rule action='drop' direction='out'><mac match='no' srcmacaddr='$MAC'/></rule>
              <rule action='continue' direction='in'><all/></rule>
              <rule action='drop' direction='inout'><all/></rule></filter>`,
          },
        ],
        nodeDevices: {
          pci_0000_3b_00_0: `<device><capability type='pci'><class>0x030000</class><product id='0x1eb8'>T4</product><vendor id='0x10de'>NVIDIA</vendor></capability></device>`,
        },
      },
    })
    const source = await openAt(context, fake)
    const [server] = (await scanAll(source)).values()
    assert.ok(server)
    const { facts } = server
    assert.equal(facts.disks_info?.[0]?.storage_type, 'nfs')
    assert.equal(facts.disks_info?.[0]?.size, 1_025)
    assert.equal(requireServer(server, 'OneCloud').networks, `eth0:10.1.0.9/24/${mac}/lan`)
    assert.equal(facts.nics?.[0]?.ip6_addr, '2001:db8::9')
    assert.deepEqual(facts.secgroups, [{ id: uuidOf(52), name: 'web' }])
    assert.deepEqual(facts.security_rules?.split(';'), [
      'in:allow tcp 80-81',
      'in:allow tcp 22 10.0.0.0/8',
      'out:deny udp 2001:db8::/32',
      'in:deny any',
      'out:deny any',
    ])
    assert.deepEqual([facts.src_ip_check, facts.src_mac_check], [false, true])
    assert.equal(facts.isolated_devices?.[0]?.dev_type, 'GPU')
    assert.deepEqual(await source.get(referTo(uuidOf(1)), soon()), server)
  })

  const inside = `<devices><disk type='file' device='disk'><source file='/a'/><target dev='vda'/></disk></devices>`

  test('the last known size of a disk is used while libvirt cannot report it', async (context) => {
    const busy = domain(1, { inside })
    const fake = await startFakeLibvirt(context, {
      domains: [{ ...busy, capacities: { vda: 1_048_576 } }],
    })
    const source = await openAt(context, fake, {}, 300)
    const before = await scanAll(source)
    await source.close()
    fake.domains.set(busy.uuid, busy)
    assert.deepEqual(await scanAll(await openAt(context, fake, {}, 300)), before)
    fake.faults.set(procedures.domainGetBlockInfo, 'silence')
    assert.deepEqual(await scanAll(await openAt(context, fake, {}, 300)), before)
  })

  test('a scan waits only once for disk sizes that hang', async (context) => {
    const many = Array.from({ length: 150 }, (_, number) => domain(number, { inside }))
    const fake = await startFakeLibvirt(context, {
      domains: many,
      faults: { [procedures.domainGetBlockInfo]: 'silence' },
    })
    const source = await openAt(context, fake, {}, 500)
    const seen = await scanAll(source)
    const sizeCalls = fake.requests.filter((one) => one === procedures.domainGetBlockInfo)
    assert.equal(sizeCalls.length, maxConcurrentSizes)
    assert.equal(seen.size, 150)
    assert.ok([...seen.values()].every(({ facts }) => facts.disks_info?.[0]?.size === 0))
  })

  test('an aborted scan reports no disk sizes', async (context) => {
    const fake = await startFakeLibvirt(context, {
      domains: [domain(1, { inside })],
      faults: { [procedures.domainGetBlockInfo]: 'silence' },
    })
    const source = await openAt(context, fake, {}, 60_000)
    const end = new AbortController()
    setTimeout(() => end.abort(), 200)
    await assert.rejects(
      source.scan(end.signal)[Symbol.asyncIterator]().next(),
      isSourceError(/^timeout$/),
    )
  })

  test('a domain that does not exist is undefined', async (context) => {
    const source = await openAt(context, await startFakeLibvirt(context, { domains: some }))
    for (const externalId of [uuidOf(9), 'i-0123', '']) {
      assert.equal(await source.get(referTo(externalId), soon()), undefined)
    }
  })

  test('a domain that disappears during a scan is omitted', async (context) => {
    const fake = await startFakeLibvirt(context, {
      domains: [...some, domain(4, { state: 5, isTransient: true })],
    })
    const source = await openAt(context, fake)
    assert.equal((await scanAll(source)).size, 3)
    fake.faults.set(procedures.domainGetXmlDesc, { error: 42 })
    assert.equal((await scanAll(source)).size, 0)
  })
})
