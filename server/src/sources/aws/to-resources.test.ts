import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { derivedId } from '../../domain/sources/derived-id.ts'
import { refuse, startFakeEc2, succeed, type FakeEc2 } from '../../testing/fake-ec2.ts'
import {
  requireNamedResources,
  scanResources,
} from '../../testing/inventory-world/resource-conformance.ts'
import { conformanceContext, scanAll } from '../../testing/inventory-world/source-conformance.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { awsKind } from './aws-kind.ts'

const region = 'eu-west-1'
const zoneId = derivedId('zone', 'aws', region, 'euw1-az2')
const site = {
  cloudregion: 'AWS Europe (Ireland)',
  cloudregion_id: derivedId('region', 'aws', region),
}
const tag = (name: string) => `<tagSet><item><key>Name</key><value>${name}</value></item></tagSet>`

const zones = `<availabilityZoneInfo>
  <item><zoneName>eu-west-1a</zoneName><zoneId>euw1-az2</zoneId><zoneState>available</zoneState></item>
  <item><zoneName>eu-west-1b</zoneName><zoneId>euw1-az3</zoneId><zoneState>constrained</zoneState></item>
  <item><zoneName>eu-west-1c</zoneName><zoneId>euw1-az1</zoneId><zoneState>odd</zoneState></item>
</availabilityZoneInfo>`
const subnets = `<subnetSet>
  <item><subnetId>subnet-2</subnetId><vpcId>vpc-2</vpcId><state>failed</state>
    <availabilityZone>eu-west-1a</availabilityZone><ipv6Native>true</ipv6Native></item>
  <item><subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId><state>available</state>
    <cidrBlock>10.4.16.0/20</cidrBlock><availabilityZone>eu-west-1a</availabilityZone>
    <availabilityZoneId>euw1-az2</availabilityZoneId>${tag('web')}</item>
</subnetSet>`
const vpcs = `<vpcSet><item><vpcId>vpc-1</vpcId>${tag('shop')}</item></vpcSet>`
const instances = `<reservationSet><item><ownerId>1</ownerId><instancesSet><item>
  <instanceId>i-1</instanceId><instanceType>g4dn.xlarge</instanceType><imageId>ami-1</imageId>
  <instanceState><name>running</name></instanceState>
  <placement><availabilityZone>eu-west-1a</availabilityZone><hostId>h-1</hostId></placement>
  <networkInterfaceSet><item><networkInterfaceId>eni-1</networkInterfaceId>
    <subnetId>subnet-1</subnetId><vpcId>vpc-1</vpcId></item></networkInterfaceSet>
</item></instancesSet></item></reservationSet>`
const images = `<imagesSet>
  <item><imageId>ami-1</imageId><name>ubuntu/images/ubuntu-jammy-22.04-arm64-server</name>
    <imageState>available</imageState><architecture>arm64</architecture>
    <platformDetails>Linux/UNIX</platformDetails><rootDeviceName>/dev/sda1</rootDeviceName>
    <blockDeviceMapping><item><deviceName>/dev/sda1</deviceName><ebs><volumeSize>8</volumeSize></ebs></item>
    </blockDeviceMapping></item>
</imagesSet>`
const types = `<instanceTypeSet>
  <item><instanceType>g4dn.xlarge</instanceType><vCpuInfo><defaultVCpus>4</defaultVCpus></vCpuInfo>
    <memoryInfo><sizeInMiB>16384</sizeInMiB></memoryInfo>
    <processorInfo><supportedArchitectures><item>i386</item><item>x86_64</item></supportedArchitectures></processorInfo>
    <instanceStorageInfo><totalSizeInGB>125</totalSizeInGB></instanceStorageInfo>
    <gpuInfo><gpus><item><name>T4</name><manufacturer>NVIDIA</manufacturer><count>1</count></item></gpus></gpuInfo>
  </item>
</instanceTypeSet>`
const hosts = `<hostSet>
  <item><hostId>h-1</hostId><state>available</state><availabilityZone>eu-west-1a</availabilityZone>
    <hostProperties><totalVCpus>48</totalVCpus></hostProperties>${tag('licences')}</item>
  <item><hostId>h-unused</hostId><state>available</state></item>
</hostSet>`

describe('regions, zones, subnets, hosts, images and types of EC2', () => {
  const lifetime = suiteLifetime()
  let ec2: FakeEc2
  let contents: Record<string, string>
  beforeEach(async () => {
    ec2 = await startFakeEc2(lifetime)
    contents = {
      DescribeAvailabilityZones: zones,
      DescribeHosts: hosts,
      DescribeImages: images,
      DescribeInstanceTypes: types,
      DescribeInstances: instances,
      DescribeSubnets: subnets,
      DescribeVpcs: vpcs,
    }
    ec2.misbehave = ({ action }, response) => {
      const content = contents[action]
      return content !== undefined && succeed(response, action, content)
    }
  })

  async function scan() {
    const source = await awsKind.open(ec2.settings, conformanceContext, AbortSignal.timeout(10_000))
    try {
      const found = await scanResources(source, AbortSignal.timeout(10_000))
      requireNamedResources((await scanAll(source)).values(), found)
      return found
    } finally {
      await source.close()
    }
  }

  const deny = (code: string, ...actions: readonly string[]) => {
    const { misbehave } = ec2
    ec2.misbehave = (request, response) =>
      actions.includes(request.action)
        ? refuse(response, 403, code)
        : misbehave?.(request, response) === true
  }
  const host = {
    ...site,
    id: derivedId('host', 'aws', 'h-1'),
    name: 'h-1',
    host_type: 'aws',
    external_id: 'h-1',
  }

  test('are reported with the ids that instances name', async () => {
    const found = await scan()
    assert.deepEqual(
      [...found.cloudregions.values()],
      [
        {
          id: site.cloudregion_id,
          name: site.cloudregion,
          status: 'inservice',
          cloud_env: 'public',
          external_id: region,
        },
      ],
    )
    assert.deepEqual(
      [...found.zones.values()].map(({ name, status, external_id }) => [name, status, external_id]),
      [
        ['eu-west-1a', 'enable', 'euw1-az2'],
        ['eu-west-1b', 'soldout', 'euw1-az3'],
        ['eu-west-1c', 'unknown', 'euw1-az1'],
      ],
    )
    assert.deepEqual(found.zones.get(zoneId), {
      ...site,
      id: zoneId,
      name: 'eu-west-1a',
      status: 'enable',
      external_id: 'euw1-az2',
    })
    assert.deepEqual(
      [...found.networks.values()],
      [
        {
          ...site,
          id: 'subnet-1',
          name: 'web',
          status: 'available',
          guest_ip_start: '10.4.16.4',
          guest_ip_end: '10.4.31.254',
          guest_ip_mask: 20,
          guest_gateway: '10.4.16.1',
          vpc: 'shop',
          vpc_id: 'vpc-1',
          zone: 'eu-west-1a',
          zone_id: zoneId,
          external_id: 'subnet-1',
        },
        {
          ...site,
          id: 'subnet-2',
          name: 'subnet-2',
          status: 'down',
          vpc: 'vpc-2',
          vpc_id: 'vpc-2',
          zone: 'eu-west-1a',
          zone_id: zoneId,
          external_id: 'subnet-2',
        },
      ],
    )
    assert.deepEqual(
      [...found.hosts.values()],
      [
        {
          ...host,
          name: 'licences',
          status: 'running',
          host_status: 'online',
          enabled: true,
          cpu_count: 48,
          zone: 'eu-west-1a',
          zone_id: zoneId,
        },
      ],
    )
  })

  test('images and types are those that instances refer to', async () => {
    const source = await awsKind.open(ec2.settings, conformanceContext, AbortSignal.timeout(10_000))
    const [server] = [...(await scanAll(source)).values()]
    await source.close()
    const { image, image_id, flavor_id, flavor_uuid = '' } = server?.facts ?? {}
    const found = await scan()
    assert.deepEqual(
      [...found.images.values()],
      [
        {
          ...site,
          id: 'ami-1',
          name: 'ubuntu/images/ubuntu-jammy-22.04-arm64-server',
          status: 'active',
          os_type: 'Linux',
          os_distribution: 'Ubuntu',
          os_version: '22.04',
          os_arch: 'arm64',
          min_disk: 8_192,
          external_id: 'ami-1',
        },
      ],
    )
    assert.deepEqual([image, image_id], [found.images.get('ami-1')?.name, 'ami-1'])
    assert.deepEqual(
      [...found.flavors.values()],
      [
        {
          ...site,
          id: flavor_uuid,
          name: 'g4dn.xlarge',
          cpu_core_count: 4,
          cpu_arch: 'x86_64',
          memory_size_mb: 16_384,
          attached_disk_size_gb: 125,
          gpu_count: 1,
          gpu_spec: 'NVIDIA T4',
          external_id: flavor_id,
        },
      ],
    )
  })

  test('an image that no longer exists, and what the key may not read, is left to instances', async () => {
    contents['DescribeImages'] = '<imagesSet/>'
    assert.deepEqual([(await scan()).images.size, (await scan()).flavors.size], [0, 1])
    deny('UnauthorizedOperation', 'DescribeImages', 'DescribeInstanceTypes')
    const stop = AbortSignal.timeout(10_000)
    const source = await awsKind.open(ec2.settings, conformanceContext, stop)
    const pages = await Array.fromAsync(source.scan(stop))
    await source.close()
    const [server] = pages.flatMap(({ present }) => present)
    assert.deepEqual(
      [server?.facts.image_id, server?.facts.flavor_id, server?.unread?.includes('image')],
      ['ami-1', 'g4dn.xlarge', true],
    )
    const resources = pages.flatMap((page) => page.resources ?? [])
    assert.deepEqual(
      resources.map((each) => [each.images, each.flavors, each.networks?.length]),
      [[[], [], 2]],
    )
  })

  test('hosts have their id only, if the key may not read them', async () => {
    deny('UnauthorizedOperation', 'DescribeHosts')
    assert.deepEqual([...(await scan()).hosts.values()], [host])
  })

  test('the permission to read hosts is reported as missing, if instances name hosts', async () => {
    const findForbidden = async () => {
      const stop = AbortSignal.timeout(10_000)
      const source = await awsKind.open(ec2.settings, conformanceContext, stop)
      const pages = await Array.fromAsync(source.scan(stop))
      await source.close()
      return pages.flatMap(({ forbidden }) => forbidden ?? [])
    }
    assert.deepEqual(await findForbidden(), [])
    deny('UnauthorizedOperation', 'DescribeHosts')
    assert.deepEqual(await findForbidden(), [{ permission: 'ec2:DescribeHosts', servers: 1 }])
    contents['DescribeInstances'] = instances.replace('<hostId>h-1</hostId>', '')
    assert.deepEqual(await findForbidden(), [])
  })

  test('a failure to read hosts leaves the resources as they are', async () => {
    deny('InvalidParameterValue', 'DescribeHosts')
    const stop = AbortSignal.timeout(10_000)
    const source = await awsKind.open(ec2.settings, conformanceContext, stop)
    const pages = await Array.fromAsync(source.scan(stop))
    await source.close()
    assert.ok(pages.every(({ resources }) => resources === undefined))
    const failed = pages.flatMap((page) => page.failed ?? [])
    assert.deepEqual(
      failed.map(({ error, hasServers }) => [error.call, hasServers]),
      [['DescribeHosts', true]],
    )
  })

  test('hosts are not read if no instance names one', async () => {
    contents['DescribeInstances'] = instances.replace('<hostId>h-1</hostId>', '')
    assert.equal((await scan()).hosts.size, 0)
    assert.ok(ec2.requests.every(({ action }) => action !== 'DescribeHosts'))
  })

  test('zones and subnets of a region without instances are reported', async () => {
    contents['DescribeInstances'] = '<reservationSet/>'
    const found = await scan()
    assert.deepEqual([found.zones.size, found.networks.size], [3, 2])
  })
})
