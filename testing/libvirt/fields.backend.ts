import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { derivedId } from '../../server/src/domain/sources/derived-id.ts'
import type { ReportedServer } from '../../server/src/domain/sources/source.ts'
import { libvirtKind } from '../../server/src/sources/libvirt/libvirt-kind.ts'
import {
  requireServer,
  getReadable,
  scanAll,
  withSource,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import {
  requireNamedResources,
  scanResources,
} from '../../server/src/testing/inventory-world/resource-conformance.ts'
import { startLibvirt, type TestLibvirt } from './start.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'

describe('servers of a real libvirtd, field by field', () => {
  let libvirt: TestLibvirt
  before(async () => {
    libvirt = await startLibvirt()
  })
  after(() => libvirt.stop())

  const settings = () => ({ address: libvirt.address, credentials: {}, options: {} })

  async function requireFound(externalId: string): Promise<ReportedServer> {
    const server = await withSource(libvirtKind, settings(), (source) =>
      getReadable(source, referTo(externalId)),
    )
    assert.ok(server)
    return server
  }

  test('reports each field that libvirt knows', async () => {
    const file = (name: string) => join(libvirt.folder, name)
    const create = (...args: string[]) => execFileSync('qemu-img', ['create', '-q', ...args])
    create('-f', 'qcow2', file('debian-12.qcow2'), '3G')
    const backing = ['-b', file('debian-12.qcow2'), '-F', 'qcow2']
    create('-f', 'qcow2', ...backing, file('root.qcow2'), '5G')
    create('-f', 'raw', file('data.img'), '700M')
    writeFileSync(file('install.iso'), 'not much of an image')
    execFileSync('sh', ['-c', 'chmod 666 *.qcow2 *.img *.iso'], { cwd: libvirt.folder })
    const uuid = randomUUID()
    await libvirt.boot({
      name: 'rich',
      uuid,
      elements: `<title>Shop</title><description>Sells &lt;things&gt; &amp; more</description>
        <metadata>
          <os:libosinfo xmlns:os='http://libosinfo.org/xmlns/libvirt/domain/1.0'><os:os id='http://debian.org/debian/12'/></os:libosinfo>
          <muster:tags xmlns:muster='urn:muster:tags:1'><muster:tag name='team'>web</muster:tag></muster:tags>
          <nova:instance xmlns:nova='http://openstack.org/xmlns/libvirt/nova/1.1'>
            <nova:creationTime>2024-05-06 07:08:09</nova:creationTime>
            <nova:flavor name='m1.small'><nova:memory>96</nova:memory></nova:flavor>
            <nova:owner><nova:project uuid='0123'>shop</nova:project></nova:owner>
            <nova:root type='image' uuid='4567'/>
          </nova:instance>
        </metadata>`,
      devices: `
        <disk type='file' device='disk'><driver name='qemu' type='raw' cache='writeback' io='threads'/>
          <source file='${file('data.img')}'/><target dev='vdb' bus='virtio'/><boot order='3'/>
          <iotune><read_bytes_sec>1000000</read_bytes_sec><write_bytes_sec>2000000</write_bytes_sec></iotune></disk>
        <disk type='file' device='disk'><driver name='qemu' type='qcow2' cache='none'/>
          <source file='${file('root.qcow2')}'/><target dev='sda' bus='scsi' rotation_rate='1'/><boot order='2'/>
          <iotune><total_iops_sec>500</total_iops_sec></iotune></disk>
        <disk type='file' device='cdrom'><driver name='qemu' type='raw'/>
          <source file='${file('install.iso')}'/><target dev='hda' bus='ide'/><readonly/></disk>
        <controller type='scsi' model='virtio-scsi'/>
        <interface type='user'><mac address='52:54:00:AA:bb:01'/><model type='virtio'/>
          <ip family='ipv4' address='10.0.2.0' prefix='24'/><boot order='1'/></interface>
        <video><model type='vga'/></video>
        <graphics type='vnc' socket='${file('vnc')}'/>`,
    })
    const seen = await requireFound(uuid)
    assert.deepEqual(seen.key, ['libvirt', 'default', uuid])
    assert.deepEqual(seen.tenant, { id: '0123', name: 'shop' })
    const server = requireServer(seen, libvirtKind.provider)
    const expected = {
      name: 'rich',
      description: 'Shop\nSells <things> & more',
      status: 'running',
      external_id: uuid,
      provider: 'OneCloud',
      brand: 'OneCloud',
      hypervisor: 'qemu',
      cloud_env: 'onpremise',
      host_id: libvirt.hostUuid,
      host_type: 'hypervisor',
      host_status: 'running',
      host_service_status: 'online',
      vcpu_count: 1,
      vmem_size: 96,
      instance_type: 'm1.small',
      disk: 5_120 + 700,
      disk_count: 2,
      disks: 'disk0:5120M/qcow2/scsi/none//,disk1:700M/raw/virtio/writeback/threads/',
      cdrom: 'install.iso',
      cdrom_support: true,
      networks: 'eth0:10.0.2.0/24/52:54:00:aa:bb:01/',
      ips: '10.0.2.0',
      bios: 'BIOS',
      machine: 'pc',
      boot_order: 'nc',
      vga: 'std',
      vdi: 'vnc',
      os_type: 'Linux',
      os_name: 'Debian 12',
      shutdown_behavior: 'stop',
      created_at: '2024-05-06T07:08:09.000000Z',
      src_ip_check: false,
      src_mac_check: false,
      is_gpu: false,
    } as const
    const shown = Object.fromEntries(
      Object.keys(expected).map((name) => [name, server[name as keyof typeof expected]]),
    )
    assert.deepEqual(shown, expected)
    assert.notEqual(server.host, '')
    assert.equal(server.metadata['ext:team'], 'web')
    const [root, data] = server.disks_info
    assert.deepEqual(
      [root?.name, root?.disk_type, root?.medium_type, root?.iops, root?.image, root?.image_id],
      ['sda', 'sys', 'ssd', 500, 'debian-12.qcow2', '4567'],
    )
    assert.deepEqual(
      [data?.name, data?.disk_type, data?.storage_type, data?.bps, data?.iops],
      ['vdb', 'data', 'local', 3_000_000, 0],
    )

    await libvirt.virsh('destroy', uuid)
    const { facts } = await requireFound(uuid)
    assert.equal(facts.status, 'ready')
    assert.deepEqual(
      facts.disks_info?.map(({ size }) => size),
      [5_120, 700],
      'the sizes of disks are known of a stopped guest too',
    )
  })

  test('reports host devices and virtual networks of a guest', async () => {
    const network = randomUUID()
    await libvirt.defineNetwork(
      `<network><name>lan</name><uuid>${network}</uuid><bridge name='mustertest0'/>
        <ip address='192.168.77.1' netmask='255.255.255.0'><dhcp>
        <host mac='52:54:00:aa:bb:02' ip='192.168.77.5'/></dhcp></ip></network>`,
    )
    const pool = join(libvirt.folder, 'pool')
    const share = ['--source-host', 'nas', '--source-path', '/x', '--target', pool]
    await libvirt.virsh('pool-define-as', 'shares', 'netfs', ...share)
    const uuid = randomUUID()
    await libvirt.define(`<domain type='qemu'><name>passed</name><uuid>${uuid}</uuid>
      <memory unit='GiB'>2</memory><currentMemory unit='GiB'>1</currentMemory>
      <vcpu current='2'>4</vcpu>
      <os><type arch='x86_64' machine='q35'>hvm</type>
        <loader readonly='yes' type='pflash'>/nowhere/code.fd</loader><nvram>${pool}/vars.fd</nvram>
        <boot dev='cdrom'/><boot dev='hd'/></os>
      <features><acpi/></features>
      <devices>
        <disk type='file' device='disk'><source file='${pool}/a.img'/><target dev='vda' bus='virtio'/></disk>
        <disk type='network' device='disk'><driver type='raw'/><source protocol='rbd' name='pool/b'>
          <host name='ceph'/></source><target dev='vdb' bus='virtio'/></disk>
        <interface type='network'><mac address='52:54:00:aa:bb:02'/><source network='lan'/></interface>
        <interface type='bridge'><mac address='52:54:00:aa:bb:03'/><source bridge='br0'/>
          <filterref filter='clean-traffic'><parameter name='IP' value='203.0.113.7'/></filterref></interface>
        <hostdev mode='subsystem' type='pci' managed='yes'><source>
          <address domain='0x0000' bus='0x3b' slot='0x00' function='0x1'/></source></hostdev>
        <hostdev mode='subsystem' type='usb'><source><vendor id='0x0951'/><product id='0x1666'/></source></hostdev>
        <graphics type='spice'/><video><model type='qxl'/></video>
      </devices></domain>`)
    const seen = await requireFound(uuid)
    const server = requireServer(seen, libvirtKind.provider)
    assert.equal(server.status, 'ready')
    assert.deepEqual([server.vcpu_count, server.vmem_size], [2, 2_048])
    assert.deepEqual(
      [server.bios, server.machine, server.boot_order, server.vga, server.vdi],
      ['UEFI', 'q35', 'dc', 'qxl', 'spice'],
    )
    assert.deepEqual(
      server.disks_info.map(({ storage_type }) => storage_type),
      ['nfs', 'rbd'],
    )
    assert.equal(
      server.networks,
      'eth0:192.168.77.5/24/52:54:00:aa:bb:02/lan,eth1:203.0.113.7//52:54:00:aa:bb:03/br0',
    )
    assert.equal(server.nics[0]?.network_id, network)
    assert.deepEqual(server.secgroups, [{ id: '', name: 'clean-traffic' }])
    const guest_id = derivedId('server', ...seen.key)
    assert.deepEqual(
      server.isolated_devices.map((device) => [
        device.dev_type,
        device.addr,
        device.vendor_device_id,
        device.guest_id,
        device.host_id,
      ]),
      [
        ['PCI', '3b:00.1', '', guest_id, libvirt.hostUuid],
        ['USB', '', '0951:1666', guest_id, libvirt.hostUuid],
      ],
    )
    const all = await withSource(libvirtKind, settings(), scanAll)
    assert.deepEqual(all.get(guest_id), seen)
  })

  test('reports the host and its networks', async () => {
    const uuid = randomUUID()
    await libvirt.defineNetwork(
      `<network><name>vlan-42</name><uuid>${uuid}</uuid><forward mode='bridge'/><bridge name='br0'/>
        <virtualport type='openvswitch'/><vlan><tag id='42'/></vlan></network>`,
    )
    const scan = (address: string) =>
      withSource(libvirtKind, { ...settings(), address }, (source) =>
        scanResources(source, AbortSignal.timeout(30_000)),
      )
    const found = await scan(libvirt.address)
    requireNamedResources((await withSource(libvirtKind, settings(), scanAll)).values(), found)
    const [host] = found.hosts.values()
    const [, cpus] = /CPU\(s\): +(\d+)/.exec(await libvirt.virsh('nodeinfo')) ?? []
    const [, kibibytes] = /Memory size: +(\d+)/.exec(await libvirt.virsh('nodeinfo')) ?? []
    const [, version] = /hypervisor: QEMU (\S+)/.exec(await libvirt.virsh('version')) ?? []
    assert.deepEqual(
      [host?.id, host?.name, host?.cpu_count, host?.mem_size, host?.version],
      [
        libvirt.hostUuid,
        (await libvirt.virsh('hostname')).trim(),
        Number(cpus),
        Math.floor(Number(kibibytes) / 1_024),
        version,
      ],
    )
    assert.notEqual(host?.cpu_desc, '')
    assert.deepEqual(found.networks.get(uuid), {
      id: uuid,
      name: 'vlan-42',
      status: 'down',
      vlan_id: 42,
      external_id: uuid,
    })
    const [lan] = (await scan(libvirt.testAddress)).networks.values()
    const { id: _, external_id: __, ...fields } = lan ?? {}
    assert.deepEqual(fields, {
      name: 'default',
      status: 'available',
      guest_ip_start: '192.168.122.2',
      guest_ip_end: '192.168.122.254',
      guest_ip_mask: 24,
      guest_gateway: '192.168.122.1',
      vlan_id: 0,
    })
  })
})
