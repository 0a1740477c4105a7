import assert from 'node:assert/strict'
import { beforeEach, describe, test } from 'node:test'
import { SourceError } from '../../domain/sources/source-error.ts'
import type { FailedPart, ReportedServer, Source } from '../../domain/sources/source.ts'
import { refuse, startFakeEc2, type FakeEc2 } from '../../testing/fake-ec2.ts'
import { withSource } from '../../testing/inventory-world/scan-source.ts'
import { referTo } from '../../testing/inventory-world/server-reference.ts'
import { sampleInputs } from '../../testing/lanes.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'
import { awsKind } from './aws-kind.ts'

const regions = ['eu-west-1', 'us-east-1', 'us-west-2']
const calls = [
  'DescribeRegions',
  'DescribeInstances',
  'DescribeSubnets',
  'DescribeVpcs',
  'DescribeAvailabilityZones',
  'DescribeInstanceTypes',
]
type Misbehaviour = NonNullable<FakeEc2['misbehave']>
type Response = Parameters<Misbehaviour>[1]
const faults: Readonly<Record<string, (response: Response) => unknown>> = {
  'wrong credentials': (response) => refuse(response, 401, 'AuthFailure'),
  'a denial': (response) => refuse(response, 403, 'UnauthorizedOperation'),
  'a closed connection': (response) => response.destroy(),
  garbage: (response) => response.writeHead(200).end('<html>'),
}

describe('regions of EC2', () => {
  const lifetime = suiteLifetime()
  let ec2: FakeEc2
  beforeEach(async () => {
    ec2 = await startFakeEc2(lifetime)
    ec2.regions = regions
    for (const region of regions) {
      for (const number of [1, 2]) {
        ec2.instances.set(`i-${region}-${number}`, { name: `${region} ${number}`, region })
      }
    }
  })

  const breakCalls = (isBroken: (region: string, call: string) => boolean, fault: string) => {
    ec2.misbehave = ({ region, action }, response) => {
      if (!isBroken(region, action)) return false
      faults[fault]?.(response)
      return true
    }
  }

  async function scanParts(source: Source) {
    const servers: ReportedServer[] = []
    const failures: FailedPart[] = []
    for await (const { present, failed = [] } of source.scan(AbortSignal.timeout(30_000))) {
      servers.push(...present)
      failures.push(...failed)
    }
    return { servers, failures }
  }
  const scan = (options = {}) => withSource(awsKind, { ...ec2.settings, options }, scanParts)
  const regionsOf = (servers: readonly ReportedServer[]) =>
    [...new Set(servers.map(({ facts }) => facts.region_ext_id ?? ''))].sort()

  for (const fault of Object.keys(faults)) {
    test(`fail alone, in each call: ${fault}`, async () => {
      for (const options of [{}, { regions }]) {
        for (const [turn, broken] of regions.entries()) {
          for (const call of sampleInputs(calls, turn)) {
            breakCalls((region, action) => region === broken && action === call, fault)
            const { servers, failures } = await scan(options)
            const about = `${call} in ${broken}`
            // Without details, or listed elsewhere: then the broken region may not even be asked.
            const hasServers = call !== 'DescribeInstances'
            const others = regions.filter((region) => hasServers || region !== broken)
            assert.deepEqual(regionsOf(servers), others, about)
            for (const part of failures) {
              assert.deepEqual(
                [part.region, part.error.call, part.hasServers === true],
                [broken, call, hasServers],
                about,
              )
            }
            if (call !== 'DescribeRegions') assert.equal(failures.length, 1, about)
          }
          // The whole region, and then all of them.
          breakCalls((region) => region === broken, fault)
          const { servers } = await scan(options)
          assert.deepEqual(
            regionsOf(servers),
            regions.filter((region) => region !== broken),
          )
        }
        breakCalls((_, action) => action === 'DescribeInstances', fault)
        await assert.rejects(scan(options), SourceError)
        breakCalls(() => true, fault)
        await assert.rejects(scan(options), SourceError)
      }
    })
  }

  for (const fault of Object.keys(faults).filter((name) => name !== 'wrong credentials')) {
    test(`are read although none lists them, if they are given or known: ${fault}`, async () => {
      const isListing = (_: string, action: string) => action === 'DescribeRegions'
      const isDown = (region: string) => region !== 'us-west-2'
      for (const isBroken of [isListing, isDown]) {
        breakCalls(isBroken, fault)
        const working = isBroken === isDown ? ['us-west-2'] : regions
        const more = ['eu-north-1', 'eu-west-1', 'us-east-1', 'ap-south-1', 'us-west-2']
        const given = isBroken === isDown ? more : regions
        const { servers, failures } = await scan({ regions: given })
        assert.deepEqual(regionsOf(servers), working)
        const failed = failures.filter(({ hasServers }) => hasServers !== true)
        assert.deepEqual(
          failed.map(({ region }) => region).sort(),
          isBroken === isDown ? more.filter(isDown).sort() : [],
        )
        const listings = failures.filter(({ error }) => error.call === 'DescribeRegions')
        assert.equal(listings.length, 3)
      }
      ec2.misbehave = undefined
      await withSource(awsKind, ec2.settings, async (source) => {
        await scanParts(source)
        breakCalls(isListing, fault)
        const { servers, failures } = await scanParts(source)
        assert.deepEqual(regionsOf(servers), regions)
        assert.equal(failures.length, 3)
        ec2.misbehave = undefined
        assert.deepEqual((await scanParts(source)).failures, [])
      })
      // Without any known region there is nothing to read.
      breakCalls(isListing, fault)
      await assert.rejects(scan(), { call: 'DescribeRegions' })
    })
  }

  test('are not read if no region accepts the credentials', async () => {
    breakCalls((_, action) => action === 'DescribeRegions', 'wrong credentials')
    await assert.rejects(scan({ regions }), { kind: 'credentials' })
  })

  test('are fresh without the attributes of instances, and named', async () => {
    for (const fault of Object.keys(faults).filter((name) => name !== 'a denial')) {
      ec2.misbehave = undefined
      await withSource(awsKind, ec2.settings, async (source) => {
        const before = await scanParts(source)
        assert.deepEqual(before.failures, [])
        breakCalls(
          (region, action) => region === 'us-east-1' && action === 'DescribeInstanceAttribute',
          fault,
        )
        const { servers, failures } = await scanParts(source)
        const byKey = (one: ReportedServer, other: ReportedServer) =>
          one.key.join() < other.key.join() ? -1 : 1
        assert.deepEqual(servers.sort(byKey), before.servers.sort(byKey), fault)
        assert.deepEqual(
          failures.map(({ region, error, hasServers }) => [region, error.call, hasServers]),
          [['us-east-1', 'DescribeInstanceAttribute', true]],
          fault,
        )
      })
    }
  })

  test('that the account lists, but EC2 does not, fail alone', async () => {
    const { servers, failures } = await scan({ regions: ['eu-west-1', 'sa-east-1'] })
    assert.deepEqual(regionsOf(servers), ['eu-west-1'])
    assert.deepEqual(
      failures.map(({ region, error }) => [region, error.kind]),
      [['sa-east-1', 'forbidden']],
    )
    await assert.rejects(scan({ regions: ['sa-east-1'] }), { kind: 'forbidden' })
  })

  test('are asked for several instances at once, and name those that are gone', async () => {
    const references = ['eu-west-1', 'us-east-1'].flatMap((regionId) =>
      [1, 2, 3].map((number) => referTo(`i-${regionId}-${number}`, regionId)),
    )
    /** After a scan, as for missing servers. */
    const read = () =>
      withSource(awsKind, ec2.settings, async (source) => {
        await scanParts(source)
        const servers = await source.getMany?.(references, AbortSignal.timeout(30_000))
        return servers?.map((server) => (server === undefined ? undefined : 'found'))
      })
    const [found, gone] = ['found', undefined]
    assert.deepEqual(await read(), [found, found, gone, found, found, gone])
    const byId = ec2.requests.filter(({ form }) => form.has('InstanceId.1'))
    assert.equal(byId.length, 4, 'two requests for each region')
    // The last one of a region is gone if another region has instances.
    for (const number of [1, 2]) ec2.instances.delete(`i-eu-west-1-${number}`)
    assert.deepEqual(await read(), [gone, gone, gone, found, found, gone])
    ec2.instances.clear()
    await assert.rejects(read(), { kind: 'incomplete' })
    // A list by id that lacks one proves nothing.
    ec2.instances.set('i-eu-west-1-1', { name: 'one', region: 'eu-west-1' })
    ec2.misbehave = ({ form }, response) =>
      form.has('InstanceId.1') &&
      response
        .writeHead(200)
        .end('<DescribeInstancesResponse><reservationSet/></DescribeInstancesResponse>') !==
        undefined
    await assert.rejects(read(), { kind: 'invalid-response' })
  })
})
