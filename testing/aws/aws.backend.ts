import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { derivedId } from '../../server/src/domain/sources/derived-id.ts'
import { SourceError } from '../../server/src/domain/sources/source-error.ts'
import type { ReportedServer, SourceSettings } from '../../server/src/domain/sources/source.ts'
import { completeFacts, serverIdOf } from '../../server/src/domain/sources/to-server-facts.ts'
import { awsKind } from '../../server/src/sources/aws/aws-kind.ts'
import {
  requireServer,
  describeConformance,
  getReadable,
  scanAll,
  withSource,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import {
  requireNamedResources,
  scanResources,
} from '../../server/src/testing/inventory-world/resource-conformance.ts'
import { startFakeEc2 } from '../../server/src/testing/fake-ec2.ts'
import { suiteLifetime } from '../../server/src/testing/spawn-muster.ts'
import { actionsOf, createFleet } from './fleet.ts'
import { buildRichInstance } from './rich-instance.ts'
import { startMoto, type TestMoto } from './start.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'

/** An error as EC2 sends it. */
const ec2Error = (status: number, code: string) => ({
  status,
  body: `<Response><Errors><Error><Code>${code}</Code></Error></Errors></Response>`,
})

describe('EC2, as moto emulates it', () => {
  let moto: TestMoto
  let fleet: ReturnType<typeof createFleet>
  const lifetime = suiteLifetime()
  before(async () => {
    moto = await startMoto()
    fleet = createFleet(moto)
    await fleet.run({ name: 'always there' })
  })
  after(() => moto.stop())

  const settings = (
    regions: readonly string[] = ['eu-west-1'],
    credentials: Readonly<Record<string, string>> = moto.key,
  ): SourceSettings => ({
    address: moto.url,
    credentials,
    options: regions.length === 0 ? {} : { regions },
  })
  const scan = (regions?: readonly string[]) => withSource(awsKind, settings(regions), scanAll)
  const find = (seen: ReadonlyMap<string, ReportedServer>, id: string): ReportedServer => {
    const server = [...seen.values()].find(({ facts }) => facts.external_id === id)
    assert.ok(server, `${id} is not reported`)
    return server
  }
  const refuses = (kind: string, message: RegExp, asked: SourceSettings) =>
    assert.rejects(withSource(awsKind, asked, scanAll), (error) => {
      assert.ok(error instanceof SourceError)
      assert.equal(error.kind, kind)
      assert.match(error.message, message)
      for (const secret of Object.values(asked.credentials)) {
        assert.ok(!JSON.stringify([error.message, error.stack, error]).includes(secret))
      }
      return true
    })

  const at = (address: string, region = 'eu-west-1'): SourceSettings => ({
    ...settings([region]),
    address,
  })

  describeConformance(
    awsKind,
    () => ({
      settings: settings(),
      wrongSettings: settings(['eu-west-1'], { ...moto.key, secret_access_key: 'not the secret' }),
      unreachableSettings: at('http://127.0.0.1:1'),
      create: async (name) => (await fleet.run({ name }))[0] ?? '',
      stop: (id) => fleet.change('stop_instances', id),
      start: (id) => fleet.change('start_instances', id),
      remove: (id) => fleet.change('terminate_instances', id),
      rename: async (id, name) => {
        const Tags = [{ Key: 'Name', Value: name }]
        await moto.order({ call: 'create_tags', with: { Resources: [id], Tags } })
      },
      breakOne:
        'moto has no instances that the SDK cannot read; unreadable.test.ts has a fake one.',
      createOdd: async () => {
        const tagged = (Tags: readonly object[]) =>
          fleet.run({
            name: '',
            more: { TagSpecifications: [{ ResourceType: 'instance', Tags }] },
          })
        const many = Array.from({ length: 50 }, (_, number) => ({
          Key: `${number} ${'ключ'.repeat(20)}`,
          Value: '<&>"\' '.repeat(40),
        }))
        return [...(await tagged([{ Key: 'Owner', Value: '' }])), ...(await tagged(many))]
      },
      // A fake of our own: moto takes 4 ms for each instance of a list.
      createMany: async (count) => {
        const ec2 = await startFakeEc2(lifetime)
        for (let number = 0; number < count; number += 1) {
          ec2.instances.set(`i-${number}`, { name: `server ${number}` })
        }
        ec2.pageSize = 200
        return { settings: ec2.settings, count }
      },
    }),
    {
      http: () => ({
        upstream: moto.url,
        settingsAt: (url) => at(url),
        listsServers: ({ body }) => body.startsWith('Action=DescribeInstances&'),
        withoutList: (body) => body.replace(/<reservationSet>.*<\/reservationSet>/s, ''),
        withWrongTotal: 'EC2 sends no totals.',
        errors: {
          credentials: ec2Error(401, 'AuthFailure'),
          expired: ec2Error(400, 'ExpiredToken'),
          forbidden: ec2Error(403, 'UnauthorizedOperation'),
          throttled: ec2Error(503, 'RequestLimitExceeded'),
        },
        renewsSession: 'EC2 has no sessions. Temporary keys are replaced in the settings.',
        paging: {
          prepare: async () => {
            await fleet.run({ region: 'eu-central-1', name: 'paged', count: 205 })
            await moto.order({ region: 'eu-central-1', call: 'split_reservations' })
          },
          settingsAt: (url) => at(url, 'eu-central-1'),
          isLaterPage: ({ body }) => body.includes('&NextToken='),
          create: async (name) => (await fleet.run({ region: 'eu-central-1', name }))[0] ?? '',
          remove: (id) => fleet.change('terminate_instances', id, 'eu-central-1'),
        },
      }),
    },
  )

  test('reports every field', async () => {
    const { id, facts, tenant, key } = await buildRichInstance(moto)
    // A scan reads the attributes of some instances only.
    const seen = await withSource(awsKind, settings(), (source) =>
      getReadable(source, referTo(id, 'eu-west-1')),
    )
    assert.ok(seen)
    assert.deepEqual(completeFacts(seen.facts, serverIdOf(seen)), facts)
    assert.deepEqual([seen.tenant, seen.key], [tenant, key])
    const server = requireServer(seen, 'Aws')
    assert.equal(server.ips, '10.20.1.10,10.20.2.20,2001:db8:20:2::20')
    assert.equal(server.region_external_id, 'Aws/eu-west-1')
    assert.equal(server.disk, (20 + 500) * 1024 + 119_209)
    await fleet.change('terminate_instances', id)
  })

  test('reports regions, zones, subnets and the hosts of instances', async () => {
    const { HostIds } = await moto.order<{ HostIds: string[] }>({
      call: 'allocate_hosts',
      with: { AvailabilityZone: 'eu-west-1a', InstanceType: 'm5.large', Quantity: 2 },
    })
    const [hostId = ''] = HostIds
    const more = { Placement: { HostId: hostId, Tenancy: 'host' } }
    const [id = ''] = await fleet.run({ name: 'dedicated', type: 'm5.large', more })
    const { AvailabilityZones } = await moto.order<{
      AvailabilityZones: { ZoneName: string; ZoneId: string }[]
    }>({ call: 'describe_availability_zones' })
    const { Subnets } = await moto.order<{
      Subnets: { SubnetId: string; CidrBlock: string; VpcId: string; AvailabilityZone: string }[]
    }>({ call: 'describe_subnets' })
    const [found, servers] = await withSource(awsKind, settings(), async (source) => [
      await scanResources(source, AbortSignal.timeout(30_000)),
      await scanAll(source),
    ])
    requireNamedResources(servers.values(), found)
    assert.deepEqual([...found.cloudregions.keys()], [derivedId('region', 'aws', 'eu-west-1')])
    assert.deepEqual(
      new Set(
        found.zones.values().map((zone) => `${zone.name} ${zone.external_id} ${zone.status}`),
      ),
      new Set(AvailabilityZones.map(({ ZoneName, ZoneId }) => `${ZoneName} ${ZoneId} enable`)),
    )
    assert.deepEqual(
      new Set(found.networks.values().map(({ id, vpc_id, zone }) => `${id} ${vpc_id} ${zone}`)),
      new Set(Subnets.map((one) => `${one.SubnetId} ${one.VpcId} ${one.AvailabilityZone}`)),
    )
    for (const { SubnetId, CidrBlock } of Subnets) {
      const network = found.networks.get(SubnetId)
      assert.equal(
        `${network?.guest_gateway}/${network?.guest_ip_mask}`,
        CidrBlock.replace(/0\//, '1/'),
      )
    }
    assert.deepEqual(
      [...found.hosts.values()].map((host) => [host.id, host.external_id, host.status, host.zone]),
      [[find(servers, id).facts.host_id, hostId, 'running', 'eu-west-1a']],
    )
    const { image, image_id = '', flavor_uuid = '' } = find(servers, id).facts
    assert.equal(found.images.get(image_id)?.name, image)
    assert.deepEqual(
      [found.flavors.get(flavor_uuid)?.name, found.flavors.get(flavor_uuid)?.memory_size_mb],
      ['m5.large', 8_192],
    )
    await fleet.change('terminate_instances', id)
  })

  test('keeps the creation time of an instance after a restart', async () => {
    const [id = ''] = await fleet.run({ name: 'restarted' })
    const before = find(await scan(), id).facts.created_at
    await fleet.change('stop_instances', id)
    // moto tells launches by the second.
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    await fleet.change('start_instances', id)
    const after = find(await scan(), id).facts
    assert.equal(after.status, 'running')
    assert.equal(after.created_at, before)
    await fleet.change('terminate_instances', id)
  })

  test('reports terminated instances as gone', async () => {
    const [id = ''] = await fleet.run({ name: 'short' })
    const { key } = find(await scan(), id)
    await fleet.change('terminate_instances', id)
    await withSource(awsKind, settings(), async (source) => {
      const gone: string[] = []
      for await (const page of source.scan(AbortSignal.timeout(10_000))) {
        gone.push(...page.gone.map((parts) => parts.join('/')))
        assert.ok(page.present.every(({ facts }) => facts.external_id !== id))
      }
      assert.ok(gone.includes(key.join('/')))
    })
  })

  test('reports instances of two regions, each with its region', async () => {
    const [there = ''] = await fleet.run({ region: 'ap-northeast-1', name: '東京' })
    const only = await scan()
    assert.ok([...only.values()].every(({ facts }) => facts.region_ext_id === 'eu-west-1'))
    await withSource(awsKind, settings(['eu-west-1', 'ap-northeast-1']), async (source) => {
      const seen = await scanAll(source)
      assert.equal(seen.size, only.size + 1)
      const server = find(seen, there)
      assert.deepEqual(
        [server.facts.name, server.facts.region, server.key[2]],
        ['東京', 'AWS Asia Pacific (Tokyo)', 'ap-northeast-1'],
      )
      assert.equal(server.facts.cloudregion_id, derivedId('region', 'aws', 'ap-northeast-1'))
      const look = (regionId: string) =>
        source.get(referTo(there, regionId), AbortSignal.timeout(10_000))
      assert.deepEqual(await look('ap-northeast-1'), server)
      assert.equal(await look('eu-west-1'), undefined)
    })
  })

  test('scans every region of the account, unless some are named', async () => {
    await fleet.run({ region: 'us-west-2', name: 'far' })
    const seen = await scan([])
    const regions = new Set([...seen.values()].map(({ facts }) => facts.region_ext_id))
    assert.ok(regions.has('us-west-2') && regions.has('eu-west-1'))
  })

  test('names a region that the account does not have', () =>
    refuses('forbidden', /region eu-west-9 is not enabled/, settings(['eu-west-1', 'eu-west-9'])))

  test('names the missing permission of the key', async () => {
    const key = await fleet.makeKey('reader', ['ec2:DescribeRegions', 'ec2:DescribeInstances'])
    const pages = await withSource(awsKind, settings(['eu-west-1'], key), (source) =>
      Array.fromAsync(source.scan(AbortSignal.timeout(30_000))),
    )
    assert.ok(pages.some(({ present }) => present.length > 0))
    const failed = pages.flatMap((page) => page.failed ?? [])
    const text = failed.map(({ error }) => error.message).join('\n')
    assert.match(text, /not allowed to DescribeVpcs at 127\.0\.0\.1 \(AccessDenied\)/)
  })

  test('needs only the documented permissions', async () => {
    const credentials = await fleet.makeKey('exact', actionsOf(awsKind.rights))
    const seen = await withSource(awsKind, settings(['eu-west-1'], credentials), scanAll)
    assert.ok(seen.size > 0)
  })

  test('rejects an unknown key', () =>
    refuses(
      'credentials',
      /does not accept the access key/,
      settings(['eu-west-1'], {
        access_key_id: 'AKIANOBODYHASTHISKEY',
        secret_access_key: 'nobody has this secret',
      }),
    ))

  test('can be started from the command line', async () => {
    const up = spawn(join(import.meta.dirname, 'up'), ['--port', '0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(up, 'exit')
    let said = ''
    for await (const chunk of up.stdout as AsyncIterable<Buffer>) {
      said += chunk.toString()
      if (said.includes('--source-allow')) break
    }
    const word = (name: string) => new RegExp(`${name} +(\\S+)`).exec(said)?.[1] ?? ''
    const seen = await withSource(
      awsKind,
      {
        address: word('address'),
        credentials: {
          access_key_id: word('access_key_id'),
          secret_access_key: word('secret_access_key'),
        },
        options: {},
      },
      scanAll,
    )
    assert.equal(seen.size, 12)
    up.kill()
    assert.deepEqual(await exited, [0, null])
  })
})
