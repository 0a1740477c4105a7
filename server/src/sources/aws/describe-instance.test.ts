import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Instance } from '@aws-sdk/client-ec2'
import { derivedId } from '../../domain/sources/derived-id.ts'
import { requireServer } from '../../testing/inventory-world/source-conformance.ts'
import { describeInstance } from './describe-instance.ts'
import type { Lookup } from './region-lookup.ts'
import type { RegionLookups } from './region-lookups.ts'

type Shelf = { readonly [Name in keyof RegionLookups]?: Readonly<Record<string, object>> }

/** What is known of the things around an instance. */
const bookOf = (shelf: Shelf): RegionLookups => {
  const lookup = (things: Readonly<Record<string, object>> = {}) => ({
    load: async () => {},
    loadAll: async () => {},
    all: () => Object.values(things),
    get: (id: string | undefined) => things[id ?? ''],
  })
  const names = [
    'addresses',
    'attributes',
    'groups',
    'images',
    'keyPairs',
    'spotRequests',
    'subnets',
    'types',
    'volumes',
    'vpcs',
    'zones',
  ] as const
  return Object.fromEntries(names.map((name) => [name, lookup(shelf[name])])) as Record<
    string,
    Lookup<object>
  > as unknown as RegionLookups
}

const plain: Instance = {
  InstanceId: 'i-1',
  InstanceType: 'm5.large',
  State: { Name: 'running' },
  LaunchTime: new Date('2026-06-01T00:00:00Z'),
}

function see(changes: Partial<Instance>, shelf: Shelf = {}, region = 'eu-west-1') {
  const owned = { owner: '210987654321', instance: { ...plain, ...changes } }
  const seen = describeInstance(owned, region, bookOf(shelf))
  const server = requireServer(seen, 'Aws')
  const { disks_info, isolated_devices, is_gpu, nics } = server
  return { ...seen.facts, disks_info, isolated_devices, is_gpu, nics, server }
}

describe('an EC2 instance', () => {
  test('is identified by account, region and id', () => {
    const owned = { owner: '210987654321', instance: plain }
    const { key, tenant, facts } = describeInstance(owned, 'eu-west-1', bookOf({}))
    assert.deepEqual(key, ['aws', '210987654321', 'eu-west-1', 'i-1'])
    assert.deepEqual(tenant, { id: '210987654321', name: '210987654321' })
    assert.equal(facts.name, 'i-1')
  })

  test('has a Muster status', () => {
    const words = {
      pending: 'starting',
      running: 'running',
      stopping: 'stopping',
      stopped: 'ready',
      'shutting-down': 'deleting',
    }
    for (const [Name, status] of Object.entries(words)) {
      const seen = see({ State: { Name: Name as 'running' } })
      assert.deepEqual([seen.status, seen.notes], [status, undefined])
    }
    const odd = see({ State: { Name: 'odd' as 'running' } })
    assert.deepEqual([odd.status, odd.notes], ['unknown', { source_status: 'odd' }])
  })

  test("has its protection and what the guest's shutdown does, as far as they were read", () => {
    const attributes = { 'i-1': { disable_delete: true, shutdown_behavior: 'terminate' } }
    const { server } = see({}, { attributes })
    assert.deepEqual([server.disable_delete, server.shutdown_behavior], [true, 'terminate'])
    assert.equal(see({}).disable_delete, undefined)
  })

  test('says why a stop would end it', () => {
    const store = see({ RootDeviceType: 'instance-store' })
    assert.match(store.notes?.['lost_on_stop'] ?? '', /instance store/)
    const spotRequests = { once: { Type: 'one-time' }, always: { Type: 'persistent' } }
    const once = see({ SpotInstanceRequestId: 'once' }, { spotRequests })
    assert.match(once.notes?.['lost_on_stop'] ?? '', /one-time Spot/)
    assert.equal(see({ SpotInstanceRequestId: 'always' }, { spotRequests }).notes, undefined)
    assert.equal(see({ RootDeviceType: 'ebs' }).notes, undefined)
  })

  test('is created when its first network interface is attached, not at its last start', () => {
    const NetworkInterfaces = [
      { Attachment: { DeviceIndex: 1, AttachTime: new Date('2019-01-01T00:00:00Z') } },
      { Attachment: { DeviceIndex: 0, AttachTime: new Date('2025-03-04T05:06:07Z') } },
    ]
    const RootDeviceName = '/dev/xvda'
    const BlockDeviceMappings = [
      { DeviceName: '/dev/sdb', Ebs: { AttachTime: new Date('2018-01-01T00:00:00Z') } },
      { DeviceName: '/dev/xvda', Ebs: { AttachTime: new Date('2025-03-04T05:06:08Z') } },
    ]
    assert.equal(
      see({ NetworkInterfaces, RootDeviceName, BlockDeviceMappings }).created_at,
      '2025-03-04T05:06:07.000000Z',
    )
    assert.equal(
      see({ RootDeviceName, BlockDeviceMappings }).created_at,
      '2025-03-04T05:06:08.000000Z',
    )
    assert.equal(see({}).created_at, '2026-06-01T00:00:00.000000Z')
    assert.equal(see({ LaunchTime: new Date('x') }).created_at, undefined)
  })

  test('does not depend on the order of lists in EC2 responses', () => {
    const card = (index: number, groups: string[]) => ({
      Attachment: { DeviceIndex: index },
      PrivateIpAddress: `10.0.0.${index}`,
      VpcId: 'vpc-1',
      Groups: groups.map((GroupId) => ({ GroupId, GroupName: GroupId })),
      PrivateIpAddresses: [
        { PrivateIpAddress: `10.0.0.${index}`, Primary: true },
        { PrivateIpAddress: `10.0.1.${index}`, Primary: false },
        { PrivateIpAddress: `10.0.2.${index}`, Primary: false },
      ],
      Ipv6Addresses: [{ Ipv6Address: 'fd00::2' }, { Ipv6Address: 'fd00::1' }],
    })
    const one: Partial<Instance> = {
      NetworkInterfaces: [card(0, ['sg-2', 'sg-1']), card(1, ['sg-3'])],
      SecurityGroups: [{ GroupId: 'sg-1' }, { GroupId: 'sg-2' }],
      Tags: [
        { Key: 'b', Value: '2' },
        { Key: 'a', Value: '1' },
      ],
      RootDeviceName: '/dev/sda1',
      BlockDeviceMappings: ['/dev/sda1', '/dev/sdb', '/dev/sdc'].map((DeviceName) => ({
        DeviceName,
        Ebs: { VolumeId: DeviceName },
      })),
    }
    const turned = Object.fromEntries(
      Object.entries(one).map(([name, list]) => [
        name,
        Array.isArray(list) ? list.toReversed() : list,
      ]),
    )
    const volumes = { '/dev/sda1': { Size: 1 }, '/dev/sdb': { Size: 2 }, '/dev/sdc': { Size: 3 } }
    const first = see(one, { volumes })
    assert.equal(JSON.stringify(see(turned, { volumes })), JSON.stringify(first))
    assert.equal(first.virtual_ips, '10.0.1.0,10.0.2.0,10.0.1.1,10.0.2.1')
    assert.equal(first.server.ips, '10.0.0.0,10.0.0.1,fd00::1,fd00::1')
    assert.deepEqual(
      first.secgroups?.map(({ id }) => id),
      ['sg-1', 'sg-2', 'sg-3'],
    )
    assert.deepEqual(
      first.disks_info?.map(({ size, disk_type }) => [size, disk_type]),
      [
        [1_024, 'sys'],
        [2_048, 'data'],
        [3_072, 'data'],
      ],
    )
  })

  test('has the configured cores and the memory of its type', () => {
    const types = {
      'm5.large': { VCpuInfo: { DefaultVCpus: 2 }, MemoryInfo: { SizeInMiB: 8_192 } },
    }
    const seen = see({}, { types })
    assert.deepEqual([seen.vcpu_count, seen.vmem_size], [2, 8_192])
    assert.equal(see({ CpuOptions: { CoreCount: 1, ThreadsPerCore: 1 } }, { types }).vcpu_count, 1)
  })

  test('has disks with their limits', () => {
    const seen = see(
      {
        RootDeviceName: '/dev/xvda',
        BlockDeviceMappings: [
          { DeviceName: '/dev/xvda', Ebs: { VolumeId: 'vol-1' } },
          { DeviceName: '/dev/sdz', Ebs: { VolumeId: 'vol-gone' } },
        ],
        ImageId: 'ami-1',
      },
      {
        volumes: {
          'vol-1': {
            Size: 8,
            VolumeType: 'gp3',
            Iops: 3_000,
            Throughput: 125,
            Tags: [{ Key: 'Name', Value: 'system' }],
          },
        },
        images: { 'ami-1': { Name: 'an image' } },
        types: {
          'm5.large': {
            InstanceStorageInfo: { NvmeSupport: 'supported', Disks: [{ Count: 2, SizeInGB: 100 }] },
          },
        },
      },
    )
    assert.deepEqual(seen.disks_info, [
      {
        id: 'vol-1',
        name: 'system',
        index: 0,
        size: 8_192,
        disk_type: 'sys',
        disk_format: 'raw',
        driver: 'xen',
        cache_mode: '',
        aio_mode: '',
        medium_type: 'ssd',
        storage_type: 'gp3',
        fs: '',
        iops: 3_000,
        bps: 131_072_000,
        image: 'an image',
        image_id: 'ami-1',
      },
    ])
  })

  test('has an elastic or a temporary public address', () => {
    const NetworkInterfaces = [{ Association: { PublicIp: '198.51.100.7' } }]
    assert.equal(see({ NetworkInterfaces }).eip_mode, 'public_ip')
    assert.equal(
      see({ NetworkInterfaces }, { addresses: { '198.51.100.7': {} } }).eip_mode,
      'elastic_ip',
    )
    const none = see({ NetworkInterfaces: [{}] })
    assert.deepEqual([none.eip, none.eip_mode, none.nics?.[0]?.is_exit], ['', '', false])
  })

  test('has region, zone and host', () => {
    const Placement = { AvailabilityZone: 'us-east-1a', HostId: 'h-1' }
    const seen = see(
      { Placement },
      { zones: { 'us-east-1a': { ZoneId: 'use1-az6' } } },
      'us-east-1',
    )
    assert.deepEqual(
      [seen.region, seen.zone, seen.zone_ext_id, seen.host, seen.environment],
      ['AWS US East (N. Virginia)', 'us-east-1a', 'use1-az6', 'h-1', 'InternationalCloud'],
    )
    assert.equal(seen.host_id, derivedId('host', 'aws', 'h-1'))
    assert.equal(see({}, {}, 'cn-north-1').environment, 'ChinaCloud')
    assert.equal(see({}, {}, 'us-gov-west-1').environment, 'InternationalCloud')
    assert.equal(see({}, {}, 'xx-new-7').region, 'AWS xx-new-7')
  })

  test('has GPUs and other accelerators', () => {
    const gpus = see(
      {},
      {
        types: {
          'm5.large': { GpuInfo: { Gpus: [{ Name: 'A100', Manufacturer: 'NVIDIA', Count: 8 }] } },
        },
      },
    )
    assert.equal(gpus.isolated_devices?.length, 8)
    assert.equal(new Set(gpus.isolated_devices?.map(({ id }) => id)).size, 8)
    assert.ok(gpus.is_gpu)
    const other = see(
      {},
      {
        types: {
          'm5.large': { FpgaInfo: { Fpgas: [{ Name: 'VU9P', Manufacturer: 'Xilinx', Count: 1 }] } },
        },
      },
    )
    assert.deepEqual(
      other.isolated_devices?.map(({ dev_type, model }) => [dev_type, model]),
      [['PCI', 'Xilinx VU9P']],
    )
    assert.equal(other.is_gpu, false)
  })

  test('has the auto scaling group of its tag', () => {
    const seen = see({ Tags: [{ Key: 'aws:autoscaling:groupName', Value: 'web' }] })
    assert.deepEqual(
      [seen.scaling_group_id, seen.tags],
      ['web', { 'aws:autoscaling:groupName': 'web' }],
    )
  })

  test('accepts tags with any name', () => {
    const Tags = ['__proto__', 'constructor', 'toString'].map((Key) => ({ Key, Value: 'x' }))
    const { tags = {}, description } = see({ Tags })
    assert.deepEqual(Object.keys(tags).sort(), ['__proto__', 'constructor', 'toString'])
    assert.equal(description, '')
  })

  test('boots with BIOS or UEFI', () => {
    assert.equal(see({}).bios, 'BIOS')
    assert.equal(see({ Architecture: 'arm64' }).bios, 'UEFI')
    assert.equal(see({ BootMode: 'uefi-preferred' }).bios, 'UEFI')
    assert.equal(
      see({ BootMode: 'uefi-preferred', CurrentInstanceBootMode: 'legacy-bios' }).bios,
      'BIOS',
    )
    assert.equal(see({ ImageId: 'a' }, { images: { a: { BootMode: 'uefi' } } }).bios, 'UEFI')
  })

  for (const [name, description, expected] of [
    [
      'ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20260101',
      'Canonical, Ubuntu, 24.04, amd64 noble image',
      'Ubuntu 24.04',
    ],
    ['debian-12-amd64-20240507-1740', 'Debian 12 (20240507-1740)', 'Debian 12'],
    [
      'RHEL-9.4.0_HVM-20240605-x86_64-82-Hourly2-GP3',
      'Provided by Red Hat, Inc.',
      'Red Hat Enterprise Linux 9.4',
    ],
    [
      'al2023-ami-2023.5.20240624.0-kernel-6.1-x86_64',
      'Amazon Linux 2023 AMI 2023.5',
      'Amazon Linux 2023',
    ],
    ['amzn2-ami-hvm-2.0.20230404.1-x86_64-gp2', 'Amazon Linux 2 AMI', 'Amazon Linux 2'],
    [
      'Windows_Server-2012-R2_RTM-English-64Bit-Base-2017.10.13',
      'Microsoft Windows Server 2012 R2',
      'Windows Server 2012 R2',
    ],
    ['Rocky-9-EC2-Base-9.4-20240509.0.x86_64', '', 'Rocky Linux 9'],
    [
      'suse-sles-15-sp5-v20240129-hvm-ssd-x86_64',
      'SUSE Linux Enterprise Server 15 SP5',
      'SUSE Linux Enterprise Server 15',
    ],
    ['our-golden-image-17', 'made from Debian 11', 'Debian 11'],
    ['our-golden-image-18', '', 'our-golden-image-18'],
  ] as const) {
    test(`runs ${expected} if its image is ${name}`, () => {
      const images = { 'ami-1': { Name: name, Description: description } }
      assert.equal(see({ ImageId: 'ami-1' }, { images }).os_name, expected)
    })
  }

  test('has the operating system of its billing details if the image is not visible', () => {
    const seen = see({
      Platform: 'windows' as 'Windows',
      PlatformDetails: 'Windows with SQL Server Web',
    })
    assert.deepEqual([seen.os_type, seen.os_name], ['Windows', 'Windows with SQL Server Web'])
    assert.deepEqual(
      [see({ PlatformDetails: 'Linux/UNIX' }).os_type, see({}).os_name],
      ['Linux', ''],
    )
    assert.equal(see({ Architecture: 'arm64_mac' }).os_type, 'macOS')
    assert.equal(see({}).os_type, '')
    const images = { 'ami-1': { Name: 'FreeBSD 14.1-RELEASE-amd64', Description: '' } }
    const unix = { ImageId: 'ami-1', PlatformDetails: 'Linux/UNIX' }
    assert.equal(see(unix, { images }).os_type, 'FreeBSD')
  })

  test('has the rules of its security groups', () => {
    const groups = {
      'sg-1': {
        GroupName: 'one',
        IpPermissions: [
          {
            IpProtocol: 'udp',
            FromPort: 53,
            ToPort: 53,
            Ipv6Ranges: [{ CidrIpv6: '::/0' }],
            PrefixListIds: [{ PrefixListId: 'pl-1' }],
          },
          { IpProtocol: 'tcp', FromPort: 0, ToPort: 65_535, IpRanges: [{ CidrIp: '10.0.0.0/8' }] },
          { IpProtocol: '58', FromPort: -1, ToPort: -1, IpRanges: [{ CidrIp: '0.0.0.0/0' }] },
          { IpProtocol: 'icmp', FromPort: 8, ToPort: -1, IpRanges: [{ CidrIp: '0.0.0.0/0' }] },
          { IpProtocol: '50', IpRanges: [{ CidrIp: '0.0.0.0/0' }] },
        ],
        IpPermissionsEgress: [{ IpProtocol: '-1', IpRanges: [{ CidrIp: '0.0.0.0/0' }] }],
      },
    }
    assert.equal(
      see({ SecurityGroups: [{ GroupId: 'sg-1' }] }, { groups }).security_rules,
      'in:allow esp;in:allow icmp 8;in:allow icmpv6;in:allow tcp 10.0.0.0/8;in:allow udp 53 ::/0;in:allow udp 53 pl-1;out:allow any',
    )
  })
})
