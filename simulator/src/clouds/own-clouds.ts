import { disks, firmware, region, sizes, storage, type Cloud } from './cloud.ts'

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
    disks: disks('qcow2 qcow2 raw', 'virtio scsi', [
      storage('local', 'ssd'),
      storage('rbd', 'ssd'),
      storage('local', 'rotate'),
    ]),
    firmware: firmware('BIOS pc std vnc, UEFI q35 qxl spice, UEFI q35 virtio vnc'),
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
    disks: disks(
      'vmdk',
      'pvscsi scsi sata',
      [storage('vsan', 'ssd'), storage('nas', 'hybrid'), storage('local', 'rotate')],
      { aio: 'threads' },
    ),
    firmware: firmware('BIOS pc vmware vnc, UEFI q35 vmware vnc'),
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
      { name: 'openstack-lab', regions: [region('RegionOne', 'RegionOne', 'nova az-gpu', '=')] },
    ],
    sizes: sizes(
      'm1.tiny 1 0.5, m1.small 1 2, m1.medium 2 4, m1.large 4 8, m1.xlarge 8 16, c1.large 8 8, r1.large 4 32, r1.xlarge 8 64',
    ),
    gpuSizes: sizes('g1.large 8 64, g1.xlarge 16 128'),
    disks: disks(
      'raw qcow2',
      'virtio scsi',
      [storage('rbd', 'ssd'), storage('lvm', 'hybrid'), storage('nova', 'rotate')],
      { cache: 'writeback', aio: 'threads' },
    ),
    firmware: firmware('BIOS pc cirrus vnc, UEFI q35 virtio vnc, UEFI virt virtio vnc'),
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
    accounts: [{ name: 'pve-büro', regions: [region('Büro Hamburg', 'ham', 'rack1 rack2', '-')] }],
    sizes: sizes('pve.c1m1 1 1, pve.c2m2 2 2, pve.c2m4 2 4, pve.c4m8 4 8, pve.c8m16 8 16'),
    gpuSizes: sizes('pve.c8m16 8 16'),
    disks: disks(
      'qcow2 raw',
      'scsi virtio ide',
      [storage('zfspool', 'ssd'), storage('nfs', 'rotate')],
      { cache: 'writethrough' },
    ),
    firmware: firmware('BIOS pc std vnc, UEFI q35 qxl spice'),
    macPrefix: 'bc:24:11',
    serial: 'S4',
    hasVpcs: false,
  },
]
