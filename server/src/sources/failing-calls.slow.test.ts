import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { SourceError } from '../domain/sources/source-error.ts'
import type { Source } from '../domain/sources/source.ts'
import { refuse, startFakeEc2, succeed } from '../testing/fake-ec2.ts'
import { attach, detailsOf, statusesOf } from '../testing/inventory-world/attach-stand-in.ts'
import { conformanceContext } from '../testing/inventory-world/scan-source.ts'
import { isNightly } from '../testing/lanes.ts'
import { suiteLifetime, type Lifetime } from '../testing/spawn-muster.ts'
import { awsKind } from './aws/aws-kind.ts'
import { listElements } from './aws/list-elements.ts'
import { findRegions } from './openstack/regions.ts'
import { getServer, scanRegions } from './openstack/scan-region.ts'
import type { Session } from './openstack/session.ts'
import type { HttpClient } from './shared/http-client.ts'

const faults = ['500', '401', '403', 'no answer', 'empty list'] as const
type Fault = (typeof faults)[number]
interface Broken {
  /** One region, or all of them. */
  readonly region: string | undefined
  readonly call: string
  readonly fault: Fault
}

/** A source with two servers in each region, in which one call of a region can fail. */
interface StandIn {
  status: 'running' | 'ready'
  broken: Broken | undefined
  open(): Promise<Source>
}

const never = new AbortController().signal
const hasFault = ({ broken }: StandIn, region: string, call: string): Fault | undefined =>
  broken && (broken.region ?? region) === region && broken.call === call ? broken.fault : undefined

const xml = (name: string, ...content: readonly string[]) =>
  `<${name}>${content.join('')}</${name}>`
const ec2Regions = ['eu-west-1', 'us-east-1', 'us-west-2']

/** What EC2 tells of a resource, by its id. */
const ec2Resources: Readonly<Record<string, (id: string, region: string) => string>> = {
  DescribeAddresses: (id) => xml('publicIp', id),
  DescribeAvailabilityZones: (id, region) =>
    xml('zoneName', id || `${region}a`) + xml('zoneId', `zone-of-${region}`),
  DescribeHosts: () => xml('hostId', 'h-1') + xml('state', 'available'),
  DescribeImages: (id) => xml('imageId', id) + xml('name', 'debian-12'),
  DescribeInstanceTypes: (id) =>
    xml('instanceType', id) +
    xml('vCpuInfo', xml('defaultVCpus', '2')) +
    xml('memoryInfo', xml('sizeInMiB', '1024')),
  DescribeKeyPairs: (id) => xml('keyName', id) + xml('keyPairId', 'key-1'),
  DescribeSecurityGroups: (id) =>
    xml('groupId', id) + xml('groupName', `name of ${id}`) + xml('ipPermissions'),
  DescribeSpotInstanceRequests: (id) => xml('spotInstanceRequestId', id) + xml('type', 'one-time'),
  DescribeSubnets: (id) =>
    xml('subnetId', id || 'subnet-1') + xml('cidrBlock', '10.0.0.0/24') + xml('vpcId', 'vpc-1'),
  DescribeVolumes: (id) => xml('volumeId', id) + xml('size', '8') + xml('volumeType', 'gp3'),
  DescribeVpcs: (id) =>
    xml('vpcId', id || 'vpc-1') +
    xml('tagSet', xml('item', xml('key', 'Name') + xml('value', 'a vpc'))),
}

const ec2Instance = (region: string, number: number, state: string) => {
  const id = `i-${region}-${number}`
  const group = xml('groupSet', xml('item', xml('groupId', 'sg-1') + xml('groupName', 'g')))
  return xml(
    'item',
    xml('ownerId', '210987654321'),
    xml(
      'instancesSet',
      xml(
        'item',
        xml('instanceId', id),
        xml('imageId', 'ami-1'),
        xml('instanceType', 't3.micro'),
        xml('instanceState', xml('name', state === 'running' ? 'running' : 'stopped')),
        xml('keyName', 'a key'),
        xml('placement', xml('availabilityZone', `${region}a`) + xml('hostId', 'h-1')),
        xml('rootDeviceName', '/dev/sda1'),
        xml(
          'blockDeviceMapping',
          xml('item', xml('deviceName', '/dev/sda1') + xml('ebs', xml('volumeId', `vol-${id}`))),
        ),
        xml('spotInstanceRequestId', `sir-${id}`),
        group,
        xml(
          'networkInterfaceSet',
          xml(
            'item',
            xml('subnetId', 'subnet-1') + xml('vpcId', 'vpc-1'),
            xml('privateIpAddress', `10.0.0.${number}`) + group,
            xml('association', xml('publicIp', '192.0.2.1')),
          ),
        ),
        xml('tagSet', xml('item', xml('key', 'Name') + xml('value', `${region} ${number}`))),
      ),
    ),
  )
}

async function createEc2(lifetime: Lifetime): Promise<StandIn> {
  const fake = await startFakeEc2(lifetime)
  fake.regions = ec2Regions
  const standIn: StandIn = {
    status: 'running',
    broken: undefined,
    open: () => awsKind.open(fake.settings, conformanceContext, never),
  }
  fake.misbehave = ({ action, region, form }, response) => {
    const list = listElements[action] ?? ''
    switch (hasFault(standIn, region, action)) {
      case '500':
        return refuse(response, 500, 'InternalError')
      case '401':
        return refuse(response, 401, 'AuthFailure')
      case '403':
        return refuse(response, 403, 'UnauthorizedOperation')
      case 'no answer':
        response.destroy()
        return true
      case 'empty list':
        return succeed(response, action, list === '' ? '' : xml(list))
      case undefined:
    }
    if (action === 'DescribeInstanceAttribute') {
      const name = form.get('Attribute') ?? ''
      const value = name === 'disableApiTermination' ? 'true' : 'stop'
      return succeed(response, action, xml(name, xml('value', value)))
    }
    if (action === 'DescribeInstances') {
      const items = [1, 2].map((number) => ec2Instance(region, number, standIn.status))
      return succeed(response, action, xml(list, ...items))
    }
    const describeOne = ec2Resources[action]
    if (!describeOne) return false
    const ids = [...form].flatMap(([key, id]) => (key.startsWith('Filter.1.Value.') ? [id] : []))
    const items = (ids.length === 0 ? [''] : ids).map((id) => xml('item', describeOne(id, region)))
    return succeed(response, action, xml(list, ...items))
  }
  return standIn
}

const openStackRegions = ['north', 'south']
/** The calls of a region, by their paths. */
const openStackCalls: Readonly<Record<string, string>> = {
  '/compute/': 'compute: read the version of Nova',
  '/compute/servers/detail': 'compute: list servers',
  '/compute/os-hypervisors/detail': 'compute: list hypervisors',
  '/compute/flavors/detail': 'compute: list flavors',
  '/compute/os-availability-zone': 'compute: list zones',
  '/compute/os-availability-zone/detail': 'compute: list zones',
  '/network/v2.0/networks': 'network: list networks',
  '/network/v2.0/subnets': 'network: list subnets',
  '/network/v2.0/ports': 'network: list ports',
  '/network/v2.0/floatingips': 'network: list floatingips',
  '/network/v2.0/security-groups': 'network: list security groups',
  '/volumev3/volumes/detail': 'volume: list volumes',
  '/image/v2/images': 'image: list images',
}

function openStackLists(region: string, status: string) {
  const ids = [1, 2].map((number) => `${region} ${number}`)
  const isRunning = status === 'running'
  return {
    version: { version: '2.93' },
    servers: ids.map((id) => ({
      id,
      name: id,
      tenant_id: 'p1',
      status: isRunning ? 'ACTIVE' : 'SHUTOFF',
      'OS-EXT-STS:vm_state': isRunning ? 'active' : 'stopped',
      'OS-EXT-STS:power_state': isRunning ? 1 : 4,
      addresses: { net: [{ addr: '10.0.0.5', 'OS-EXT-IPS-MAC:mac_addr': 'aa:bb' }] },
      image: { id: 'image-1' },
      flavor: { vcpus: 2, ram: 1_024, disk: 10, original_name: 'm1' },
      'os-extended-volumes:volumes_attached': [{ id: `volume of ${id}` }],
    })),
    hypervisors: [{ id: '1', hypervisor_hostname: 'host-1', state: 'up', status: 'enabled' }],
    flavors: [{ id: '1', name: 'm1', vcpus: 2, ram: 1_024, disk: 10 }],
    availabilityZoneInfo: [{ zoneName: 'nova' }],
    networks: [{ id: 'net-1', name: 'a network' }],
    subnets: [{ id: 'subnet-1', network_id: 'net-1', cidr: '10.0.0.0/24', ip_version: 4 }],
    ports: ids.map((id) => ({
      id: `port of ${id}`,
      device_id: id,
      network_id: 'net-1',
      mac_address: 'aa:bb',
      fixed_ips: [{ ip_address: '10.0.0.5', subnet_id: 'subnet-1' }],
      security_groups: ['group-1'],
    })),
    floatingips: ids.map((id) => ({
      id: `floating ${id}`,
      port_id: `port of ${id}`,
      floating_ip_address: '192.0.2.9',
    })),
    security_groups: [{ id: 'group-1', name: 'web', security_group_rules: [] }],
    volumes: ids.map((id) => ({ id: `volume of ${id}`, name: 'data', size: 5, attachments: [] })),
    images: [{ id: 'image-1', name: 'debian', os_distro: 'debian', os_version: '12' }],
  }
}

async function createOpenStack(): Promise<StandIn> {
  const token = {
    value: 'token',
    projectId: 'p1',
    projectName: 'p1',
    renewAt: Infinity,
    catalog: openStackRegions.flatMap((region) =>
      ['compute', 'network', 'volumev3', 'image'].map((serviceType) => ({
        serviceId: 'cloud',
        serviceType,
        region,
        url: `http://${region}.example/${serviceType}`,
      })),
    ),
  }
  const http: HttpClient = {
    async send({ url }) {
      const region = url.hostname.split('.')[0] ?? ''
      const fault = hasFault(standIn, region, openStackCalls[url.pathname] ?? '')
      if (fault === 'no answer') throw new SourceError('timeout', 'No response.')
      const isEnd = url.searchParams.has('marker')
      const lists = openStackLists(region, standIn.status)
      const one = lists.servers.find(({ id }) => decodeURI(url.pathname).endsWith(`/${id}`))
      const empty = Object.fromEntries(Object.keys(lists).map((name) => [name, []]))
      const body = isEnd || fault === 'empty list' ? empty : lists
      return {
        status: fault === undefined || fault === 'empty list' ? 200 : Number(fault),
        headers: {},
        body: Buffer.from(JSON.stringify(one ? { server: one } : body)),
      }
    },
    close() {},
  }
  // One session for all scans, as the account has.
  const session = {
    settings: { authUrl: 'http://keystone.example', interface: 'public', regions: [] },
    http,
    keystone: {
      getToken: async () => token,
      forgetToken() {},
      sendWithToken: async (_scope: never, _signal: never, send: (given: object) => unknown) =>
        send(token),
      listAllProjects: async () => [],
    },
    lookups: new Map(),
    plans: new Map(),
    projectNames: new Map(),
  } as unknown as Session
  const standIn: StandIn = {
    status: 'running',
    broken: undefined,
    open: async () => ({
      title: 'OpenStack',
      async *scan(signal) {
        const found = await findRegions(session, [{ key: 'p1', request: undefined }], signal)
        yield { present: [], gone: [], regions: found.regions }
        yield* scanRegions(session, found, signal)
      },
      get: (reference, signal) => getServer(session, reference, signal),
      close: async () => {},
    }),
  }
  return standIn
}

interface Provider {
  readonly regions: readonly string[]
  /** Without it, nothing is known of the region's servers. */
  readonly lists: readonly string[]
  /** What its servers show if it lacks all of them: whether they can be read by their ids. */
  readonly emptied: 'ready' | 'unknown'
  /** A denial is a warning about a permission, or nothing. */
  readonly optional: readonly string[]
  readonly details: readonly string[]
  create(lifetime: Lifetime): Promise<StandIn>
}

const providers: Readonly<Record<string, Provider>> = {
  EC2: {
    regions: ec2Regions,
    lists: ['DescribeInstances'],
    // A request by ids is the same call.
    emptied: 'unknown',
    optional: ['DescribeHosts', 'DescribeSpotInstanceRequests', 'DescribeInstanceAttribute'],
    details: Object.keys(ec2Resources).filter(
      (call) => call !== 'DescribeHosts' && call !== 'DescribeSpotInstanceRequests',
    ),
    create: createEc2,
  },
  OpenStack: {
    regions: openStackRegions,
    lists: ['compute: read the version of Nova', 'compute: list servers'],
    emptied: 'ready',
    optional: Object.values(openStackCalls).slice(2),
    details: [],
    create: createOpenStack,
  },
}

for (const [name, provider] of Object.entries(providers)) {
  const { regions, lists, optional, details, emptied, create } = provider
  describe(`one failing call of a region of ${name}`, { concurrency: 8 }, () => {
    const lifetime = suiteLifetime()
    const calls = [...lists, ...new Set([...optional, ...details])]

    let whole: ReturnType<typeof detailsOf>
    before(async () => {
      const { sync, servers } = attach(await create(lifetime))
      await sync()
      whole = detailsOf(servers())
      assert.equal(whole.length, 2 * regions.length)
    })

    for (const fault of faults) {
      for (const [index, call] of calls.entries()) {
        // It has no list.
        if (fault === 'empty list' && call === openStackCalls['/compute/']) continue
        // The lists of servers fail in each way; of the others each call fails in one way.
        const isSampled =
          lists.includes(call) || (faults.indexOf(fault) + index) % faults.length === 0
        if (!isNightly && !isSampled) continue
        const isList = lists.includes(call) && fault !== 'empty list'
        const isFailure = fault !== 'empty list' && (fault !== '403' || !optional.includes(call))

        /** What holds while the call fails, in a later scan or in the first one. */
        const check = (at: ReturnType<typeof attach>, broken: string) => {
          const { status, sync } = at.account()
          const about = JSON.stringify(sync)
          assert.equal(status, isFailure ? 'degraded' : 'connected', about)
          const warning = sync.warnings.find(({ kind }) => kind === 'region')
          assert.equal(warning !== undefined, isFailure, about)
          if (warning) assert.ok(warning.text.startsWith(`Region ${broken}`), about)
          if (warning) assert.ok(warning.text.includes(`${call} failed`), about)
          assert.equal(sync.gone, 0, about)
          assert.equal(at.isBinEmptied(broken), !isList)
          for (const region of regions) {
            if (region === broken) continue
            assert.deepEqual([...statusesOf(at.inRegion(region))], ['ready'], region)
            assert.ok(at.isBinEmptied(region))
          }
        }

        test(`${fault}, ${call}`, async () => {
          // The first region also lists the others, at EC2.
          for (const broken of isList ? regions : regions.slice(index % 2, (index % 2) + 1)) {
            const standIn = await create(lifetime)
            const at = attach(standIn)
            await at.sync()
            assert.deepEqual(detailsOf(at.servers()), whole)
            standIn.status = 'ready'
            standIn.broken = { region: broken, call, fault }
            await at.sync()
            check(at, broken)
            const isEmptied = fault === 'empty list' && call === lists.at(-1)
            const shown = isList ? 'running' : isEmptied ? emptied : 'ready'
            assert.deepEqual([...statusesOf(at.inRegion(broken))], [shown])
            if (fault !== 'empty list') assert.deepEqual(detailsOf(at.servers()), whole)
            if (!isEmptied) {
              for (const server of at.servers()) assert.equal(await at.mayPurge(server), false)
            }
            await at.sync(3)
            check(at, broken)
            const silent = isList ? 'unknown' : shown
            assert.deepEqual([...statusesOf(at.inRegion(broken))], [silent])
            if (fault !== 'empty list') assert.deepEqual(detailsOf(at.servers()), whole)
            standIn.broken = undefined
            await at.sync()
            assert.deepEqual([at.account().status, at.account().sync.warnings], ['connected', []])
            assert.deepEqual([...statusesOf(at.servers())], ['ready'])
            assert.deepEqual(detailsOf(at.servers()), whole)
          }
        })

        test(`${fault}, ${call}, in the first scan`, async () => {
          const standIn = await create(lifetime)
          const at = attach(standIn)
          const [broken = ''] = regions
          standIn.status = 'ready'
          standIn.broken = { region: broken, call, fault }
          await at.sync()
          check(at, broken)
          const isEmpty = isList || (fault === 'empty list' && call === lists.at(-1))
          assert.equal(at.inRegion(broken).length, isEmpty ? 0 : 2)
          standIn.broken = undefined
          await at.sync()
          assert.deepEqual([at.account().status, at.account().sync.warnings], ['connected', []])
          assert.deepEqual(detailsOf(at.servers()), whole)
        })
      }

      if (fault === 'empty list') continue
      test(`${fault}, all regions`, async () => {
        for (const call of lists) {
          const standIn = await create(lifetime)
          const at = attach(standIn)
          await at.sync()
          standIn.broken = { region: undefined, call, fault }
          await at.sync()
          const { status, sync } = at.account()
          assert.equal(status, 'disconnected', call)
          assert.ok(sync.error !== '')
          assert.equal(at.servers().length, 2 * regions.length)
        }
      })
    }
  })
}
