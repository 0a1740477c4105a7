import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { requireServer } from '../../testing/inventory-world/source-conformance.ts'
import { parseXml } from '../shared/parse-xml.ts'
import type { HostResources } from './host-resources.ts'
import { toServer, type DomainDetails } from './to-server.ts'

const uuid = '11111111-2222-4333-8444-555555555555'
const host = {
  name: 'kvm-1',
  uuid: 'host-uuid',
  serial: 'SN1',
  version: '9.0.0',
  hypervisorVersion: '7.2.0',
  cpuCount: 8,
  cpuModel: 'EPYC',
  memory: 65_536,
}
const bare: HostResources = {
  networks: new Map(),
  pools: new Map(),
  filters: new Map(),
  isUnread: () => false,
}

function convert(
  inside: string,
  changes: Partial<DomainDetails> = {},
  hostResources: Partial<HostResources> = {},
  type = 'kvm',
) {
  const xml = parseXml(`<domain type='${type}'><uuid>${uuid}</uuid>${inside}</domain>`)
  const domain: DomainDetails = {
    uuid,
    xml,
    state: 1,
    reason: 1,
    isTransient: false,
    capacities: new Map(),
    nodeDevices: new Map(),
    ...changes,
  }
  const place = { group: 'default', host, hostResources: { ...bare, ...hostResources } }
  return toServer(domain, place)
}
const show = (...args: Parameters<typeof convert>) => requireServer(convert(...args), 'OneCloud')

describe('a domain as a server', () => {
  test('has a status for every state', () => {
    const of = (state: number, reason = 1) => {
      const { status, metadata } = show('<name>a</name>', { state, reason })
      return [status, metadata['sys:source_status']]
    }
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8].map((state) => of(state)),
      [
        ['unknown', 'nostate'],
        ['running', undefined],
        ['running', undefined],
        ['suspend', undefined],
        ['stopping', undefined],
        ['ready', undefined],
        ['unknown', 'crashed'],
        ['suspend', undefined],
        ['unknown', 'state 8'],
      ],
    )
    assert.deepEqual(of(3, 2), ['migrating', undefined])
    assert.deepEqual(of(3, 11), ['starting', undefined])
  })

  test('has its memory in mebibytes, whatever the unit', () => {
    const bytes = 2 ** 34
    const units: Readonly<Record<string, number>> = {
      b: 1,
      bytes: 1,
      KB: 1e3,
      KiB: 2 ** 10,
      MB: 1e6,
      MiB: 2 ** 20,
      GB: 1e9,
      GiB: 2 ** 30,
      TiB: 2 ** 40,
    }
    for (const [unit, factor] of Object.entries(units)) {
      const number = Math.ceil(bytes / factor)
      const { vmem_size } = show(`<memory unit='${unit}'>${number}</memory>`)
      assert.equal(vmem_size, Math.round((number * factor) / 2 ** 20), unit)
    }
    assert.equal(show('<memory>2048</memory>').vmem_size, 2)
  })

  test('has the details that Nova wrote', () => {
    const seen = convert(
      `<name>instance-0000002a</name>
      <metadata><nova:instance xmlns:nova="http://openstack.org/xmlns/libvirt/nova/1.1">
        <nova:package version="26.0.0"/><nova:name>shop-1</nova:name>
        <nova:creationTime>2024-05-06 07:08:09</nova:creationTime>
        <nova:flavor name="m1.small"><nova:memory>2048</nova:memory><nova:vcpus>1</nova:vcpus></nova:flavor>
        <nova:owner><nova:user uuid="u1">ada</nova:user><nova:project uuid="p1">shop</nova:project></nova:owner>
        <nova:root type="image" uuid="i1"/></nova:instance></metadata>
      <memory unit='KiB'>2097152</memory><currentMemory unit='KiB'>1048576</currentMemory>
      <vcpu placement='static' current='1'>8</vcpu>
      <sysinfo type='smbios'><system><entry name='serial'>x</entry></system></sysinfo>
      <os><type arch='x86_64' machine='pc-i440fx-7.2'>hvm</type><boot dev='hd'/><smbios mode='sysinfo'/></os>
      <on_poweroff>destroy</on_poweroff>
      <devices><disk type='network'>
        <driver name='qemu' type='raw' cache='writeback' removeThings='unmap'/>
        <source protocol='rbd' name='vms/x_disk'><host name='10.0.0.1' port='6789'/></source>
        <target dev='vda' bus='virtio'/><iotune><total_bytes_sec>10485760</total_bytes_sec></iotune></disk>
      <interface type='bridge'><mac address='fa:16:3e:00:00:01'/><source bridge='br-int'/><target dev='tap1'/></interface>
      <video><model type='virtio'/></video><graphics type='vnc' port='5900' autoport='yes'/></devices>`,
      { capacities: new Map([['vda', 21_474_836_480]]) },
    )
    assert.deepEqual(seen.key, ['libvirt', 'default', uuid])
    assert.deepEqual(seen.tenant, { id: 'p1', name: 'shop' })
    const server = requireServer(seen, 'OneCloud')
    assert.equal(server.created_at, '2024-05-06T07:08:09.000000Z')
    assert.deepEqual(
      [server.vcpu_count, server.vmem_size, server.instance_type],
      [1, 2_048, 'm1.small'],
    )
    assert.equal(server.disks, 'disk0:20480M/raw/virtio/writeback//')
    const [disk] = server.disks_info
    assert.deepEqual([disk?.storage_type, disk?.bps, disk?.image_id], ['rbd', 10_485_760, 'i1'])
    assert.equal(server.networks, 'eth0://fa:16:3e:00:00:01/br-int')
    assert.equal(server.metadata['ext:nova.instance.name'], 'shop-1')
    assert.equal(server.metadata['ext:nova.instance.flavor.memory'], '2048')
    assert.equal(server.metadata['ext:nova.instance.owner.project.uuid'], 'p1')
    assert.deepEqual(
      [server.bios, server.machine, server.vga, server.vdi],
      ['BIOS', 'pc', 'virtio', 'vnc'],
    )
    assert.deepEqual([server.host, server.host_id, server.host_sn], ['kvm-1', 'host-uuid', 'SN1'])
  })

  test('describes Windows with a GPU', () => {
    const gpu =
      parseXml(`<device><name>pci_0000_3b_00_0</name><capability type='pci'><class>0x030200</class>
      <product id='0x1db6'>GV100GL [Tesla V100 PCIe 32GB]</product><vendor id='0x10de'>NVIDIA Corporation</vendor></capability></device>`)
    const server = show(
      `<name>win</name><title>Graphics</title>
      <metadata><libosinfo:libosinfo xmlns:libosinfo="http://libosinfo.org/xmlns/libvirt/domain/1.0">
        <libosinfo:os id="http://microsoft.com/win/2k19"/></libosinfo:libosinfo></metadata>
      <memory unit='GiB'>16</memory><vcpu>8</vcpu>
      <os firmware='efi'><type arch='x86_64' machine='pc-q35-7.2'>hvm</type></os>
      <devices>
        <disk type='block' device='disk'><driver type='raw' cache='none' io='native'/><source dev='/dev/vg0/win'/>
          <target dev='sda' bus='sata' rotation_rate='7200'/><boot order='2'/></disk>
        <disk type='file' device='cdrom'><target dev='sdb' bus='sata'/><boot order='1'/></disk>
        <disk type='file' device='cdrom'><source file='/iso/virtio-win.iso'/><target dev='sdc' bus='sata'/></disk>
        <disk type='nvme' device='disk'><driver type='raw'/><source type='pci' managed='yes' namespace='1'>
          <address domain='0x0001' bus='0x01' slot='0x00' function='0x0'/></source><target dev='vdb' bus='virtio'/></disk>
        <hostdev mode='subsystem' type='pci'><source><address domain='0x0000' bus='0x3b' slot='0x00' function='0x0'/></source></hostdev>
        <hostdev mode='subsystem' type='mdev' model='vfio-pci'><source><address uuid='c2177883-f1bb-47f0-914d-32a22e3a8804'/></source></hostdev>
        <hostdev mode='subsystem' type='scsi'><source/></hostdev>
        <interface type='hostdev'><mac address='52:54:00:00:00:01'/><source><address type='pci' domain='0x0' bus='0x5e' slot='0x02' function='0x1'/></source>
          <teaming type='transient' persistent='ua-backup0'/></interface>
        <interface type='bridge'><mac address='52:54:00:00:00:02'/><source bridge='br0'/><alias name='ua-backup0'/><teaming type='persistent'/></interface>
        <video><model type='none'/></video><graphics type='spice'/></devices>`,
      { nodeDevices: new Map([['pci_0000_3b_00_0', gpu]]) },
      { pools: new Map([['vg0', { storageType: 'lvm', path: '/dev/vg0' }]]) },
    )
    assert.deepEqual([server.os_type, server.os_name], ['Windows', 'Windows Server 2019'])
    assert.deepEqual([server.bios, server.machine, server.boot_order], ['UEFI', 'q35', 'dc'])
    assert.deepEqual([server.cdrom, server.vga, server.vdi], ['virtio-win.iso', '', 'spice'])
    assert.equal(server.description, 'Graphics')
    assert.deepEqual(
      server.disks_info.map((disk) => [disk.storage_type, disk.medium_type, disk.aio_mode]),
      [
        ['lvm', 'rotate', 'native'],
        ['local', '', ''],
      ],
    )
    assert.equal(server.is_gpu, true)
    assert.deepEqual(
      server.isolated_devices.map((device) => [
        device.dev_type,
        device.addr,
        device.vendor_device_id,
      ]),
      [
        ['GPU', '3b:00.0', '10de:1db6'],
        ['PCI', 'c2177883-f1bb-47f0-914d-32a22e3a8804', ''],
        ['NIC', '5e:02.1', ''],
        ['NVME-PT', '0001:01:00.0', ''],
      ],
    )
    assert.equal(server.isolated_devices[0]?.model, 'GV100GL [Tesla V100 PCIe 32GB]')
    assert.deepEqual(
      server.nics.map((nic) => nic.team_with),
      ['52:54:00:00:00:02', '52:54:00:00:00:01'],
    )
  })

  const filters = new Map([
    ['web', { uuid: 'f1', included: ['clean-traffic'], rules: ['in:allow tcp 80'] }],
    ['clean-traffic', { uuid: 'f2', included: [], rules: ['out:allow any'] }],
  ])
  const nic = (filter: string, address = '', mac = 1) =>
    `<interface type='network'><mac address='52:54:00:00:00:0${mac}'/><source network='lan'/>
      ${filter === '' ? '' : `<filterref filter='${filter}'>${address === '' ? '' : `<parameter name='IP' value='${address}'/>`}</filterref>`}</interface>`

  test('has the rules of its network filters', () => {
    const guarded = show(`<devices>${nic('web')}</devices>`, {}, { filters })
    assert.deepEqual([guarded.src_ip_check, guarded.src_mac_check], [true, true])
    assert.deepEqual(guarded.secgroups, [{ id: 'f1', name: 'web' }])
    assert.equal(guarded.security_rules, 'in:allow tcp 80;out:allow any')
    const half = show(`<devices>${nic('web')}${nic('', '', 2)}</devices>`, {}, { filters })
    assert.deepEqual([half.src_ip_check, half.src_mac_check], [false, false])
    assert.equal(show('<devices/>').src_ip_check, false)
  })

  test('has configured addresses first, and leased ones while it runs', () => {
    const mac = '52:54:00:00:00:01'
    const networks = new Map([
      [
        'lan',
        {
          uuid: 'n1',
          description: {},
          reserved: new Map(),
          leased: new Map([[mac, { ip: '192.168.1.5', ip6: '2001:db8::5', mask: 24 }]]),
        },
      ],
    ])
    const devices = `<devices>${nic('')}</devices>`
    const running = show(devices, {}, { networks })
    assert.equal(running.networks, `eth0:192.168.1.5/24/${mac}/lan`)
    assert.equal(running.ips, '192.168.1.5,2001:db8::5')
    assert.equal(running.nics[0]?.network_id, 'n1')
    assert.equal(show(devices, { state: 5 }, { networks }).ips, '')
    const written = show(`<devices>${nic('x', '8.8.8.8')}</devices>`, {}, { networks })
    assert.deepEqual([written.nics[0]?.ip_addr, written.nics[0]?.is_exit], ['8.8.8.8', true])
  })

  test('is terminated or stopped when the guest powers off', () => {
    assert.equal(show('<on_poweroff>destroy</on_poweroff>').shutdown_behavior, 'stop')
    assert.equal(show('', { isTransient: true }).shutdown_behavior, 'terminate')
    assert.equal(show('<on_poweroff>restart</on_poweroff>').shutdown_behavior, '')
  })

  test('accepts memory in any unit', () => {
    const sizes = ["<memory unit='b'>1073741824", '<memory>1048576', "<memory unit='TiB'>1"]
    assert.deepEqual(
      sizes.map((size) => show(`${size}</memory>`).vmem_size),
      [1_024, 1_024, 1_048_576],
    )
  })

  test('has the tags of its metadata, within limits', () => {
    const tags = (inside: string) => convert(`<metadata>${inside}</metadata>`).facts.tags
    const own = (inside: string) => tags(`<m:tags xmlns:m='urn:muster:tags:1'>${inside}</m:tags>`)
    assert.deepEqual(
      own("<m:tag name='team'>web</m:tag><m:tag name='empty'/><m:cost> 7 </m:cost>"),
      {
        team: 'web',
        cost: '7',
      },
    )
    assert.deepEqual(own("<m:tag name='__proto__'>x</m:tag>"), JSON.parse('{"__proto__": "x"}'))
    const many = own(
      Array.from({ length: 100 }, (_, at) => `<m:tag name='k${at}'>v</m:tag>`).join(''),
    )
    assert.equal(Object.keys(many ?? {}).length, 64)
    const long = own(
      `<m:tag name='k'>${'v'.repeat(5_000)}</m:tag><m:tag name='${'k'.repeat(200)}'>v</m:tag>`,
    )
    assert.deepEqual(long, { k: 'v'.repeat(1_024) })
    assert.deepEqual(tags("<app xmlns='urn:app'><a b='1'><c>2</c></a></app>"), {
      'app.a.b': '1',
      'app.a.c': '2',
    })
  })

  test('keeps texts unchanged', () => {
    const name = `Jörg &lt;script&gt;alert(1)&lt;/script&gt; &amp; "服务器"`
    const server = show(`<name>${name}</name><description>${'x'.repeat(5_000)}</description>`)
    assert.equal(server.name, 'Jörg <script>alert(1)</script> & "服务器"')
    assert.equal(server.description.length, 5_000)
  })

  test('names the hypervisor: QEMU without KVM is emulation', () => {
    for (const type of ['kvm', 'qemu', 'xen']) assert.equal(show('', {}, {}, type).hypervisor, type)
  })

  test('is reported even with minimal data', () => {
    const server = show('', {}, {}, 'xen')
    assert.deepEqual([server.name, server.vcpu_count, server.hypervisor], ['', 0, 'xen'])
    assert.deepEqual([server.bios, server.boot_order], ['', 'cdn'])
  })

  test('has the operating system of its metadata', () => {
    const os = (id: string) => {
      const { os_type, os_name } = show(
        `<metadata><l:libosinfo xmlns:l="http://libosinfo.org/xmlns/libvirt/domain/1.0"><l:os id="${id}"/></l:libosinfo></metadata>`,
      )
      return [os_type, os_name]
    }
    assert.deepEqual(os('http://ubuntu.com/ubuntu/22.04'), ['Linux', 'Ubuntu 22.04'])
    assert.deepEqual(os('http://freebsd.org/freebsd/13.1'), ['FreeBSD', 'FreeBSD 13.1'])
    assert.deepEqual(os('http://libosinfo.org/linux/2022'), ['Linux', 'linux 2022'])
    assert.deepEqual(os('http://haiku-os.org/haiku/r1'), ['', 'haiku r1'])
    assert.deepEqual(os('nonsense'), ['', ''])
  })
})
