import { region, sizes, storage, type Cloud } from './cloud.ts'

/** Private clouds, whose hosts are visible. */
export const ownClouds: readonly Cloud[] = [
  {
    provider: 'OneCloud',
    hypervisor: 'kvm',
    cloud_env: 'onpremise',
    environment: '',
    host_type: 'hypervisor',
    accounts: [
      {
        name: 'kvm-frankfurt',
        regions: [region('Frankfurt', 'fra', '1a 1b 2a')],
      },
      {
        name: 'kvm-北京',
        regions: [region('北京', 'bjs', '1a 1b')],
      },
    ],
    sizes: sizes(
      'ecs.g1.c1m1 1 1, ecs.g1.c1m2 1 2, ecs.g1.c2m4 2 4, ecs.g1.c2m8 2 8, ecs.g1.c4m8 4 8, ecs.g1.c4m16 4 16, ecs.g1.c8m16 8 16, ecs.g1.c8m32 8 32, ecs.g1.c16m64 16 64, ecs.g1.c32m128 32 128',
    ),
    gpuSizes: sizes('ecs.g1.c8m32 8 32, ecs.g1.c16m64 16 64'),
    disks: {
      formats: ['qcow2', 'qcow2', 'raw'],
      drivers: ['virtio', 'scsi'],
      cache: 'none',
      aio: 'native',
      storages: [storage('local', 'ssd'), storage('rbd', 'ssd'), storage('local', 'rotate')],
    },
    firmware: [
      { bios: 'BIOS', machine: 'pc', vga: 'std', vdi: 'vnc' },
      { bios: 'UEFI', machine: 'q35', vga: 'qxl', vdi: 'spice' },
      { bios: 'UEFI', machine: 'q35', vga: 'virtio', vdi: 'vnc' },
    ],
    macPrefix: '00:22:5b',
    serial: 'CZ',
    hasVpcs: false,
  },
  {
    provider: 'VMware',
    hypervisor: 'esxi',
    cloud_env: 'onpremise',
    environment: '',
    host_type: 'esxi',
    accounts: [
      {
        name: 'vcenter-zürich',
        regions: [
          region('DC-Nord', 'datacenter-21', 'domain-c26 domain-c34', '='),
          region('DC-Süd', 'datacenter-44', 'domain-c51', '='),
        ],
      },
    ],
    sizes: sizes(
      'vm.c1m2 1 2, vm.c2m4 2 4, vm.c2m8 2 8, vm.c4m8 4 8, vm.c4m16 4 16, vm.c8m32 8 32, vm.c12m48 12 48, vm.c16m96 16 96',
    ),
    gpuSizes: sizes('vm.c8m32 8 32, vm.c16m96 16 96'),
    disks: {
      formats: ['vmdk'],
      drivers: ['pvscsi', 'scsi', 'sata'],
      cache: 'none',
      aio: 'threads',
      storages: [storage('vsan', 'ssd'), storage('nas', 'hybrid'), storage('local', 'rotate')],
    },
    firmware: [
      { bios: 'BIOS', machine: 'pc', vga: 'vmware', vdi: 'vnc' },
      { bios: 'UEFI', machine: 'q35', vga: 'vmware', vdi: 'vnc' },
    ],
    macPrefix: '00:50:56',
    serial: '7J',
    hasVpcs: false,
  },
  {
    provider: 'OpenStack',
    hypervisor: 'openstack',
    cloud_env: 'private',
    environment: '',
    host_type: 'openstack',
    accounts: [
      {
        name: 'openstack-lab',
        regions: [region('RegionOne', 'RegionOne', 'nova az-gpu', '=')],
      },
    ],
    sizes: sizes(
      'm1.tiny 1 0.5, m1.small 1 2, m1.medium 2 4, m1.large 4 8, m1.xlarge 8 16, c1.large 8 8, r1.large 4 32, r1.xlarge 8 64',
    ),
    gpuSizes: sizes('g1.large 8 64, g1.xlarge 16 128'),
    disks: {
      formats: ['raw', 'qcow2'],
      drivers: ['virtio', 'scsi'],
      cache: 'writeback',
      aio: 'threads',
      storages: [storage('rbd', 'ssd'), storage('lvm', 'hybrid'), storage('nova', 'rotate')],
    },
    firmware: [
      { bios: 'BIOS', machine: 'pc', vga: 'cirrus', vdi: 'vnc' },
      { bios: 'UEFI', machine: 'q35', vga: 'virtio', vdi: 'vnc' },
      { bios: 'UEFI', machine: 'virt', vga: 'virtio', vdi: 'vnc' },
    ],
    macPrefix: 'fa:16:3e',
    serial: 'J3',
    hasVpcs: true,
  },
  {
    provider: 'Proxmox',
    hypervisor: 'proxmox',
    cloud_env: 'private',
    environment: '',
    host_type: 'proxmox',
    accounts: [
      {
        name: 'pve-büro',
        regions: [region('Büro Hamburg', 'ham', 'rack1 rack2', '-')],
      },
    ],
    sizes: sizes('pve.c1m1 1 1, pve.c2m2 2 2, pve.c2m4 2 4, pve.c4m8 4 8, pve.c8m16 8 16'),
    gpuSizes: sizes('pve.c8m16 8 16'),
    disks: {
      formats: ['qcow2', 'raw'],
      drivers: ['scsi', 'virtio', 'ide'],
      cache: 'writethrough',
      aio: 'native',
      storages: [storage('zfspool', 'ssd'), storage('nfs', 'rotate')],
    },
    firmware: [
      { bios: 'BIOS', machine: 'pc', vga: 'std', vdi: 'vnc' },
      { bios: 'UEFI', machine: 'q35', vga: 'qxl', vdi: 'spice' },
    ],
    macPrefix: 'bc:24:11',
    serial: 'S4',
    hasVpcs: false,
  },
]
