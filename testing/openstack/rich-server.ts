import { derivedId } from '../../server/src/domain/sources/derived-id.ts'
import type { ReportedFacts } from '../../server/src/domain/sources/source.ts'
import type { TestOpenStack } from './start.ts'
import { images, networks } from './world.ts'

/** Adds a server with everything that OpenStack knows. Returns the facts that Muster must report. */
export async function addRichServer(
  openstack: TestOpenStack,
): Promise<{ id: string; facts: ReportedFacts }> {
  const { stubs } = openstack
  const id = await openstack.add({
    name: 'rich',
    description: 'has everything',
    flavor: 'g1',
    zone: 'az-east',
    host: 'compute-03',
    networks: 2,
    floating: true,
    groups: ['default', 'web'],
    boots_from_volume: true,
    volumes: [
      {
        size: 30,
        name: '',
        volume_type: 'ssd',
        volume_image_metadata: { image_id: images[0]?.id, image_name: 'debian-12' },
      },
      { size: 10, name: 'data', volume_type: 'slow' },
    ],
    metadata: { role: 'web', env: 'prod' },
    tags: ['blue'],
    key: 'demo-key',
    locked: true,
    created: '2025-03-04T05:06:07',
  })
  const [boot, data] = [...stubs.volumes.keys()].slice(-2)
  const [first, second] = [...stubs.ports.values()].filter(({ device_id }) => device_id === id)
  const found = await openstack.keystone.call<{ services: readonly { id: string }[] }>(
    'GET',
    'services?type=compute',
  )
  const cloud = found.services[0]?.id ?? ''
  const hostId = derivedId('host', 'openstack', cloud, 'RegionOne', 'compute-03.example')
  const createdAt = '2025-03-04T05:06:07.000000Z'
  const nic = (port: typeof first, network: number) => ({
    ip_addr: port?.fixed_ips[0]?.ip_address ?? '',
    ip6_addr: port?.fixed_ips[1]?.ip_address ?? '',
    mac: port?.mac_address ?? '',
    mask: 16,
    network: networks[network]?.name ?? '',
    network_id: networks[network]?.id ?? '',
    is_exit: false,
  })
  const nics = [nic(first, 0), nic(second, 1)]
  const facts: ReportedFacts = {
    name: 'rich',
    description: 'has everything',
    external_id: id,
    status: 'running',
    created_at: createdAt,
    hypervisor: 'openstack',
    host_type: 'openstack',
    cloud_env: 'private',
    region: 'RegionOne',
    region_ext_id: 'RegionOne',
    cloudregion_id: derivedId('region', 'openstack', cloud, 'RegionOne'),
    zone: 'az-east',
    zone_ext_id: 'az-east',
    zone_id: derivedId('zone', 'openstack', cloud, 'RegionOne', 'az-east'),
    host: 'compute-03.example',
    host_id: hostId,
    instance_type: 'g1.large',
    flavor_id: 'g1.large',
    flavor_uuid: derivedId('flavor', 'openstack', cloud, 'RegionOne', 'g1.large'),
    image: 'debian-12',
    image_id: images[0]?.id ?? '',
    vcpu_count: 8,
    vmem_size: 32_768,
    disks_info: [
      {
        driver: 'virtio',
        id: boot ?? '',
        name: '/dev/vda',
        size: 30 * 1_024,
        disk_type: 'sys',
        storage_type: 'ssd',
        image: 'debian-12',
        image_id: images[0]?.id ?? '',
      },
      {
        driver: 'virtio',
        id: data ?? '',
        name: 'data',
        size: 10 * 1_024,
        disk_type: 'data',
        storage_type: 'slow',
      },
    ],
    nics,
    eip: first?.floating_ip ?? '',
    eip_mode: 'elastic_ip',
    src_ip_check: true,
    secgroups: [
      { id: '5c1a7b52-7d6b-4b4c-9f7b-0d8f2c9f0001', name: 'default' },
      { id: '5c1a7b52-7d6b-4b4c-9f7b-0d8f2c9f0002', name: 'web' },
    ],
    security_rules: 'out:allow any;in:allow tcp 443',
    isolated_devices: [
      { dev_type: 'GPU', model: 'nvidia-a100-gpu' },
      { dev_type: 'GPU', model: 'nvidia-a100-gpu' },
    ],
    is_gpu: true,
    keypair: 'demo-key',
    keypair_id: 'demo-key',
    disable_delete: true,
    os_type: 'Linux',
    os_name: 'Debian 12',
    bios: 'UEFI',
    machine: 'q35',
    vga: 'virtio',
    tags: { blue: '', env: 'prod', role: 'web' },
  }
  return { id, facts }
}
