import { eventually } from '../../server/src/testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Server } from '@muster/contract'
import { loginAdmin } from '../../server/src/testing/client.ts'
import {
  operate,
  startOperatedMuster,
  type Operator,
} from '../../server/src/testing/inventory-world/operate-muster.ts'
import {
  suiteLifetime,
  temporaryFolder,
  type Muster,
} from '../../server/src/testing/spawn-muster.ts'
import { createFleet } from './fleet.ts'
import { startMoto, type TestMoto } from './start.ts'

const period = 5

describe('moto, an emulator of EC2, attached over the API', () => {
  const lifetime = suiteLifetime()
  const place = { folder: '' }
  let moto: TestMoto
  let fleet: ReturnType<typeof createFleet>
  let muster: Muster
  let operator: Operator
  let account: string
  let web: string
  before(async () => {
    moto = await startMoto()
    fleet = createFleet(moto)
    ;[web = ''] = await fleet.run({ name: 'web' })
    await fleet.run({ name: 'db', count: 4 })
    place.folder = temporaryFolder(lifetime)
    muster = await startOperatedMuster(lifetime, place)
    operator = operate(muster, await loginAdmin(muster.authUrl))
    account = await operator.attach({
      provider: 'Aws',
      address: moto.url,
      credentials: moto.key,
      options: { regions: ['eu-west-1'] },
      period,
    })
    await operator.finished(account)
  })
  after(() => moto.stop())

  const shows = (isShown: (servers: readonly Server[]) => boolean, change = '') =>
    eventually(`the change is visible: ${change}`, async () => isShown(await operator.servers()), {
      deadline: 40,
    })
  const has = (name: string, status: string) => (servers: readonly Server[]) =>
    servers.some((server) => server.name === name && server.status === status)

  test('shows its instances', async () => {
    const { status, sync } = await operator.show(account)
    assert.deepEqual([status, sync.error], ['connected', ''])
    assert.deepEqual(
      (await operator.servers()).map(({ name, status: state }) => `${name} ${state}`),
      [...Array.from({ length: 4 }, () => 'db running'), 'web running'],
    )
  })

  test('shows its region, zones, subnets and manager, and counts servers', async () => {
    const { AvailabilityZones } = await moto.order<{ AvailabilityZones: { ZoneName: string }[] }>({
      call: 'describe_availability_zones',
    })
    const { Subnets } = await moto.order<{ Subnets: { SubnetId: string }[] }>({
      call: 'describe_subnets',
    })
    const [[region, ...otherRegions], zones, networks, hosts, [manager, ...otherManagers]] = [
      await operator.list('cloudregions'),
      await operator.list('zones'),
      await operator.list('networks'),
      await operator.list('hosts'),
      await operator.list('cloudproviders'),
    ]
    assert.deepEqual(
      [region?.external_id, region?.status, region?.provider, region?.guest_count],
      ['eu-west-1', 'inservice', 'Aws', 5],
    )
    assert.deepEqual(
      zones.map(({ name }) => name),
      AvailabilityZones.map(({ ZoneName }) => ZoneName).sort(),
    )
    assert.deepEqual(
      networks.map(({ id }) => id),
      Subnets.map(({ SubnetId }) => SubnetId).sort(),
    )
    for (const list of [zones, networks]) {
      assert.equal(
        list.reduce((sum, { guest_count }) => sum + guest_count, 0),
        5,
      )
    }
    assert.deepEqual(
      [manager?.cloudaccount_id, manager?.status, manager?.guest_count],
      [account, 'connected', 5],
    )
    assert.deepEqual([otherRegions, otherManagers, hosts], [[], [], []])
    for (const kind of ['images', 'flavors'] as const) {
      const list = await operator.list(kind)
      assert.equal(
        list.reduce((sum, { guest_count }) => sum + guest_count, 0),
        5,
        kind,
      )
    }
  })

  test('removes a subnet after the next scan', async () => {
    const { Subnets } = await moto.order<{ Subnets: { VpcId: string }[] }>({
      call: 'describe_subnets',
    })
    const { Subnet } = await moto.order<{ Subnet: { SubnetId: string } }>({
      call: 'create_subnet',
      with: {
        VpcId: Subnets[0]?.VpcId,
        CidrBlock: '172.31.200.0/24',
        TagSpecifications: [{ ResourceType: 'subnet', Tags: [{ Key: 'Name', Value: 'spare' }] }],
      },
    })
    const isListed = async () =>
      (await operator.list('networks')).some(({ name }) => name === 'spare')
    await eventually('the subnet is listed', isListed, { deadline: 40 })
    await moto.order({ call: 'delete_subnet', with: { SubnetId: Subnet.SubnetId } })
    await eventually('the subnet is gone', async () => !(await isListed()), { deadline: 40 })
  })

  test('shows each change after the next scan', async () => {
    const before = (await operator.servers()).find(({ name }) => name === 'web')
    let fresh = ''
    const rename = () =>
      moto.order({
        call: 'create_tags',
        with: { Resources: [web], Tags: [{ Key: 'Name', Value: 'shop' }] },
      })
    const steps: readonly (readonly [
      string,
      () => Promise<unknown>,
      (servers: readonly Server[]) => boolean,
    ])[] = [
      ['stopped', () => fleet.change('stop_instances', web), has('web', 'ready')],
      ['renamed', rename, has('shop', 'ready')],
      ['started', () => fleet.change('start_instances', web), has('shop', 'running')],
      [
        'made',
        async () => {
          ;[fresh = ''] = await fleet.run({ name: 'fresh' })
        },
        has('fresh', 'running'),
      ],
      [
        'terminated',
        () => fleet.change('terminate_instances', fresh),
        (servers) => servers.every(({ name }) => name !== 'fresh'),
      ],
    ]
    for (const [what, work, isShown] of steps) {
      await work()
      await shows(isShown, what)
    }
    const shop = (await operator.servers()).find(({ name }) => name === 'shop')
    assert.equal(shop?.id, before?.id, 'the server keeps its id')
  })

  test('shows a change after a requested refresh or sync', async () => {
    await fleet.change('stop_instances', web)
    const { id = '' } = (await operator.servers()).find(({ name }) => name === 'shop') ?? {}
    await operator.request(`/servers/${id}/syncstatus`, 'POST')
    await shows(has('shop', 'ready'))
    await fleet.change('start_instances', web)
    await operator.request(`/cloudaccounts/${account}/sync`, 'POST')
    await shows(has('shop', 'running'))
  })

  test('is synced again after a restart of Muster, with the changes since it stopped', async () => {
    const before = (await operator.servers()).map(({ id }) => id)
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      await muster.end(signal)
      await fleet.change(signal === 'SIGTERM' ? 'stop_instances' : 'start_instances', web)
      muster = await startOperatedMuster(lifetime, place)
      operator = operate(muster, await loginAdmin(muster.authUrl))
      await shows(has('shop', signal === 'SIGTERM' ? 'ready' : 'running'))
      assert.deepEqual(
        (await operator.servers()).map(({ id }) => id),
        before,
      )
    }
  })

  test('keeps its servers when it stops, and the account reports the error', async () => {
    const before = (await operator.servers()).map(({ id, name, status }) => [id, name, status])
    await operator.request(`/cloudaccounts/${account}/sync`, 'POST')
    await moto.stop()
    await eventually(
      'the account is disconnected',
      async () => (await operator.show(account)).status === 'disconnected',
      { deadline: 20 },
    )
    const { sync } = await operator.show(account)
    assert.match(sync.error, /127\.0\.0\.1:\d+ (?:refuses the connection|closed the connection)/)
    assert.deepEqual(
      (await operator.servers()).map(({ id, name, status }) => [id, name, status]),
      before,
    )
  })
})
