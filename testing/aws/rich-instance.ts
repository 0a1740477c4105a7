import { derivedId } from '../../server/src/domain/sources/derived-id.ts'
import { createFleet } from './fleet.ts'
import type { TestMoto } from './start.ts'

const account = '123456789012'
const region = 'eu-west-1'
const tagged = (type: string, name: string) => ({
  TagSpecifications: [{ ResourceType: type, Tags: [{ Key: 'Name', Value: name }] }],
})

/** An instance with a value in every field that moto has, and the facts that Muster must report. */
export async function buildRichInstance(moto: TestMoto) {
  const { order } = moto
  const fleet = createFleet(moto)
  const make = <Answer>(call: string, input: object) => order<Answer>({ region, call, with: input })

  const { Vpc } = await make<{ Vpc: { VpcId: string } }>('create_vpc', {
    CidrBlock: '10.20.0.0/16',
    Ipv6CidrBlock: '2001:db8:20::/56',
    ...tagged('vpc', 'Büro'),
  })
  const { VpcId } = Vpc
  const makeSubnet = async (CidrBlock: string, name: string) => {
    const { Subnet } = await make<{ Subnet: { SubnetId: string } }>('create_subnet', {
      VpcId,
      CidrBlock,
      AvailabilityZone: 'eu-west-1b',
      ...tagged('subnet', name),
    })
    return Subnet.SubnetId
  }
  const front = await makeSubnet('10.20.1.0/24', 'front')
  const back = await makeSubnet('10.20.2.0/25', 'back')
  const group = await makeGroup('web & co')
  const secondGroup = await makeGroup('storage')
  await make('authorize_security_group_ingress', {
    GroupId: group,
    IpPermissions: [
      tcp(22, 22, '10.0.0.0/8'),
      tcp(443, 443, '0.0.0.0/0'),
      tcp(30_000, 32_767, '192.0.2.0/24'),
      { IpProtocol: 'icmp', FromPort: -1, ToPort: -1, IpRanges: [{ CidrIp: '0.0.0.0/0' }] },
      { IpProtocol: '-1', UserIdGroupPairs: [{ GroupId: secondGroup }] },
    ],
  })
  const { KeyPairId } = await make<{ KeyPairId: string }>('create_key_pair', {
    KeyName: 'ops 2026',
  })
  const image = await fleet.findImage(region, 'Windows Server 2016')
  const { Images } = await make<{ Images: { Name: string }[] }>('describe_images', {
    ImageIds: [image],
  })
  const [id = ''] = await fleet.run({
    name: 'Jörg <rich> & "famous" 服务器',
    type: 'g4dn.xlarge',
    more: {
      ImageId: image,
      KeyName: 'ops 2026',
      SubnetId: front,
      PrivateIpAddress: '10.20.1.10',
      SecurityGroupIds: [group],
      BlockDeviceMappings: [
        { DeviceName: '/dev/sda1', Ebs: { VolumeSize: 20, VolumeType: 'gp3', Iops: 4_000 } },
        { DeviceName: '/dev/sdf', Ebs: { VolumeSize: 500, VolumeType: 'st1' } },
      ],
    },
  })
  await make('create_tags', {
    Resources: [id],
    Tags: [
      { Key: 'team', Value: 'web' },
      { Key: 'Description', Value: 'all there is' },
    ],
  })
  const { NetworkInterface } = await make<{ NetworkInterface: { NetworkInterfaceId: string } }>(
    'create_network_interface',
    {
      SubnetId: back,
      Groups: [secondGroup],
      PrivateIpAddresses: [
        { PrivateIpAddress: '10.20.2.20', Primary: true },
        { PrivateIpAddress: '10.20.2.22', Primary: false },
        { PrivateIpAddress: '10.20.2.21', Primary: false },
      ],
      Ipv6Addresses: [{ Ipv6Address: '2001:db8:20:2::20' }],
    },
  )
  const { NetworkInterfaceId } = NetworkInterface
  await make('attach_network_interface', { NetworkInterfaceId, InstanceId: id, DeviceIndex: 1 })
  const { AllocationId, PublicIp } = await make<{ AllocationId: string; PublicIp: string }>(
    'allocate_address',
    { Domain: 'vpc' },
  )
  await make('associate_address', { AllocationId, InstanceId: id })
  await make('modify_instance_attribute', { InstanceId: id, SourceDestCheck: { Value: false } })

  interface Told {
    NetworkInterfaces: {
      MacAddress: string
      SubnetId: string
      Attachment: { AttachTime: string }
    }[]
    BlockDeviceMappings: { DeviceName: string; Ebs: { VolumeId: string } }[]
  }
  const { Reservations } = await make<{ Reservations: { Instances: [Told] }[] }>(
    'describe_instances',
    { InstanceIds: [id] },
  )
  const told = Reservations[0]?.Instances[0]
  const macOf = (subnet: string) =>
    told?.NetworkInterfaces.find(({ SubnetId }) => SubnetId === subnet)?.MacAddress ?? ''
  const volumeOf = (device: string) =>
    told?.BlockDeviceMappings.find(({ DeviceName }) => DeviceName === device)?.Ebs.VolumeId ?? ''
  const attached = told?.NetworkInterfaces.find(({ SubnetId }) => SubnetId === front)?.Attachment
  const created_at = new Date(attached?.AttachTime ?? '').toISOString().replace('Z', '000Z')

  const key = ['aws', account, region, id]
  const serverId = derivedId('server', ...key)
  const disk = {
    aio_mode: '',
    cache_mode: '',
    disk_format: 'raw',
    driver: 'nvme',
    fs: '',
    image: '',
    image_id: '',
    iops: 0,
    bps: 0,
  }
  return {
    id,
    key,
    tenant: { id: account, name: account },
    facts: {
      name: 'Jörg <rich> & "famous" 服务器',
      description: 'all there is',
      external_id: id,
      status: 'running',
      created_at,
      hypervisor: 'aws',
      host_type: 'aws',
      host: '',
      host_id: '',
      cloud_env: 'public',
      environment: 'InternationalCloud',
      billing_type: 'postpaid',
      region: 'AWS Europe (Ireland)',
      region_ext_id: region,
      cloudregion_id: derivedId('region', 'aws', region),
      zone: 'eu-west-1b',
      zone_ext_id: 'euw1-az1',
      zone_id: derivedId('zone', 'aws', region, 'euw1-az1'),
      instance_type: 'g4dn.xlarge',
      flavor_id: 'g4dn.xlarge',
      flavor_uuid: derivedId('flavor', 'aws', region, 'g4dn.xlarge'),
      image: Images[0]?.Name ?? '',
      image_id: image,
      vcpu_count: 4,
      vmem_size: 16_384,
      disks_info: [
        {
          ...disk,
          index: 0,
          id: volumeOf('/dev/sda1'),
          name: '/dev/sda1',
          size: 20 * 1024,
          disk_type: 'sys',
          medium_type: 'ssd',
          storage_type: 'gp3',
          // moto keeps no other for a volume that comes with its instance.
          iops: 3_000,
          image: Images[0]?.Name ?? '',
          image_id: image,
        },
        {
          ...disk,
          index: 1,
          id: volumeOf('/dev/sdf'),
          name: '/dev/sdf',
          size: 500 * 1024,
          disk_type: 'data',
          medium_type: 'rotate',
          storage_type: 'st1',
        },
        {
          ...disk,
          index: 2,
          id: derivedId('disk', serverId, 'ephemeral0'),
          name: 'ephemeral0',
          size: 119_209,
          disk_type: 'data',
          medium_type: 'ssd',
          storage_type: 'local',
        },
      ],
      nics: [
        {
          ip_addr: '10.20.1.10',
          ip6_addr: '',
          mac: macOf(front),
          network_id: front,
          vpc_id: VpcId,
          is_exit: true,
          team_with: '',
        },
        {
          ip_addr: '10.20.2.20',
          ip6_addr: '2001:db8:20:2::20',
          mac: macOf(back),
          network_id: back,
          vpc_id: VpcId,
          is_exit: false,
          team_with: '',
        },
      ],
      networks: `eth0:10.20.1.10/24/${macOf(front)}/front,eth1:10.20.2.20/25/${macOf(back)}/back`,
      vpc: 'Büro',
      vpc_id: VpcId,
      eip: PublicIp,
      eip_mode: 'elastic_ip',
      virtual_ips: '10.20.2.21,10.20.2.22',
      secgroups: [
        { id: group, name: 'web & co' },
        { id: secondGroup, name: 'storage' },
      ],
      security_rules: [
        `in:allow any ${secondGroup}`,
        'in:allow icmp',
        'in:allow tcp 22 10.0.0.0/8',
        'in:allow tcp 30000-32767 192.0.2.0/24',
        'in:allow tcp 443',
        'out:allow any',
      ].join(';'),
      src_ip_check: false,
      disable_delete: false,
      shutdown_behavior: 'stop',
      isolated_devices: [
        {
          id: derivedId('device', serverId, 'gpu-0'),
          name: 'gpu-0',
          dev_type: 'GPU',
          model: 'NVIDIA T4',
          addr: '',
          vendor_device_id: '',
          description: '',
          guest_id: serverId,
          host_id: '',
          reserved_cpu: 0,
          reserved_memory: 0,
          reserved_storage: 0,
          created_at,
          updated_at: created_at,
          deleted_at: null,
          deleted: false,
          is_emulated: false,
          update_version: 0,
        },
      ],
      keypair: 'ops 2026',
      keypair_id: KeyPairId,
      os_type: 'Windows',
      os_name: 'Windows Server 2016',
      bios: 'UEFI',
      scaling_group_id: '',
      tags: {
        Description: 'all there is',
        Name: 'Jörg <rich> & "famous" 服务器',
        team: 'web',
      },
    },
  }

  async function makeGroup(GroupName: string): Promise<string> {
    const { GroupId } = await make<{ GroupId: string }>('create_security_group', {
      GroupName,
      Description: GroupName,
      VpcId,
    })
    return GroupId
  }
}

const tcp = (FromPort: number, ToPort: number, CidrIp: string) => ({
  IpProtocol: 'tcp',
  FromPort,
  ToPort,
  IpRanges: [{ CidrIp }],
})
