/** The content of every back end: sizes, hosts, images, networks and security groups. */
export const flavors = [
  {
    flavorid: '1',
    name: 'm1.tiny',
    vcpus: 1,
    memory_mb: 512,
    root_gb: 1,
    ephemeral_gb: 0,
    swap: 0,
    extra_specs: {},
  },
  {
    flavorid: '2',
    name: 'm1.small',
    vcpus: 1,
    memory_mb: 2048,
    root_gb: 20,
    ephemeral_gb: 0,
    swap: 0,
    extra_specs: {},
  },
  {
    flavorid: '3',
    name: 'm1.medium',
    vcpus: 2,
    memory_mb: 4096,
    root_gb: 40,
    ephemeral_gb: 10,
    swap: 512,
    extra_specs: {},
  },
  {
    flavorid: 'g1',
    name: 'g1.large',
    vcpus: 8,
    memory_mb: 32_768,
    root_gb: 80,
    ephemeral_gb: 0,
    swap: 0,
    extra_specs: { 'pci_passthrough:alias': 'nvidia-a100-gpu:2' },
  },
]

export const zones = {
  nova: ['compute-01', 'compute-02'],
  'az-east': ['compute-03', 'compute-04'],
}

export const images = [
  {
    id: '7e4a3f0c-2f1a-4a40-9a55-3f3d6a5b0001',
    name: 'debian-12',
    os_distro: 'debian',
    os_version: '12',
    hw_disk_bus: 'virtio',
    hw_firmware_type: 'uefi',
    hw_machine_type: 'q35',
    hw_video_model: 'virtio',
  },
  { id: '7e4a3f0c-2f1a-4a40-9a55-3f3d6a5b0002', name: 'windows-2022', os_type: 'windows' },
]

export const networks = [
  {
    id: '0f3c8a52-37a2-4a02-9c1e-6c2f43b80001',
    name: 'private',
    subnets: [
      {
        id: 'b1d5e1b0-51c4-4a05-8a21-5e2c7c1d0001',
        name: 'private-v4',
        ip_version: 4,
        cidr: '10.20.0.0/16',
        gateway_ip: '10.20.0.1',
      },
      {
        id: 'b1d5e1b0-51c4-4a05-8a21-5e2c7c1d0002',
        name: 'private-v6',
        ip_version: 6,
        cidr: 'fd00:20::/64',
        gateway_ip: 'fd00:20::1',
      },
    ],
  },
  {
    id: '0f3c8a52-37a2-4a02-9c1e-6c2f43b80002',
    name: 'storage',
    subnets: [
      {
        id: 'b1d5e1b0-51c4-4a05-8a21-5e2c7c1d0003',
        name: 'storage-v4',
        ip_version: 4,
        cidr: '172.30.0.0/16',
        gateway_ip: '172.30.0.1',
      },
    ],
  },
]

export const securityGroups = [
  {
    id: '5c1a7b52-7d6b-4b4c-9f7b-0d8f2c9f0001',
    name: 'default',
    security_group_rules: [
      { direction: 'egress', ethertype: 'IPv4', protocol: null, remote_ip_prefix: null },
    ],
  },
  {
    id: '5c1a7b52-7d6b-4b4c-9f7b-0d8f2c9f0002',
    name: 'web',
    security_group_rules: [
      {
        direction: 'ingress',
        ethertype: 'IPv4',
        protocol: 'tcp',
        port_range_min: 443,
        port_range_max: 443,
        remote_ip_prefix: '0.0.0.0/0',
      },
    ],
  },
]
