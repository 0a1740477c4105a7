import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { OperationId, Server } from '@muster/contract'
import type { InventoryObject } from '../../domain/inventory/kinds.ts'
import { kinds } from '../../sources/kinds.ts'
import { startFakeEc2 } from '../../testing/fake-ec2.ts'
import { domain } from '../../testing/fake-libvirt-connection.ts'
import { startFakeLibvirt } from '../../testing/fake-libvirt.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import { startAttached, type Attached } from '../../testing/inventory-world/attached-accounts.ts'
import { scanResources } from '../../testing/inventory-world/resource-conformance.ts'
import { withSource } from '../../testing/inventory-world/source-conformance.ts'
import { suiteLifetime } from '../../testing/spawn-muster.ts'

onPostgresFirst('the resources of a synced account', (engine) => {
  const lifetime = suiteLifetime()
  let at: Attached
  before(async () => {
    at = await startAttached(lifetime, engine)
  })

  /** Every id that a server names leads to a resource that counts the server. */
  async function assertNamed(server: Server): Promise<void> {
    const named: [OperationId, string][] = [
      ['getHost', server.host_id],
      ['getZone', server.zone_id],
      ['getCloudRegion', server.cloudregion_id],
      ['getManager', server.manager_id],
      ...server.nics.map(({ network_id }): [OperationId, string] => ['getNetwork', network_id]),
    ]
    for (const [operation, id] of named.filter(([, each]) => each !== '')) {
      const body = await at.admin.get<Record<string, Record<string, unknown>>>(operation, {
        path: { id },
      })
      const [found = {}] = Object.values(body)
      assert.ok(Number(found['guests'] ?? found['guest_count']) > 0, `${operation} ${id}`)
    }
  }

  const managers = async (accountId: string) => {
    const query = `cloudaccount_id=${accountId}&details=true`
    const { cloudproviders } = await at.admin.get<{
      cloudproviders: InventoryObject<'cloudproviders'>[]
    }>('listManagers', {
      query,
    })
    return cloudproviders
  }

  test('are what its servers name, for libvirt and EC2', async (context) => {
    const libvirt = await startFakeLibvirt(context, { domains: [domain(1), domain(2)] })
    const ec2 = await startFakeEc2(context)
    for (const name of ['a', 'b']) {
      ec2.instances.set(`i-${name}`, { name, owner: '1', region: 'eu-west-1' })
    }
    for (const account of [await at.attachLibvirt(libvirt), await at.attachEc2(ec2)]) {
      const servers = await at.servers(account)
      assert.equal(servers.length, 2)
      for (const server of servers) await assertNamed(server)
      const status = (await managers(account.id)).map((manager) => manager.status)
      assert.deepEqual(new Set(status), new Set(['connected']))
      await at.admin.get('deleteCloudAccount', { path: { id: account.id }, query: 'evict=true' })
      await eventually(
        'its managers are gone',
        async () => (await managers(account.id)).length === 0,
      )
    }
    const { hosts } = await at.admin.get<{ hosts: object[] }>('listHosts')
    assert.deepEqual(hosts, [])
  })

  test('have the fields that the source reports', async () => {
    const options = { servers: 300, seed: 7, cloud_account: 'openstack-lab' }
    const { id } = await at.attach({ provider: 'Simulator', address: '', options })
    const account = await at.synced(id)
    const kind = await kinds.get('Simulator')?.()
    assert.ok(kind)
    const reported = await withSource(kind, { address: '', credentials: {}, options }, (source) =>
      scanResources(source, AbortSignal.timeout(60_000)),
    )
    const operations = {
      hosts: 'listHosts',
      networks: 'listNetworks',
      cloudregions: 'listCloudRegions',
      zones: 'listZones',
    } as const
    for (const keys of ['hosts', 'networks', 'cloudregions', 'zones'] as const) {
      const body = await at.admin.get<Record<string, Record<string, unknown>[]>>(operations[keys], {
        query: 'details=true&limit=1000&provider=OpenStack',
      })
      const listed = new Map(body[keys]?.map((item) => [item['id'], item]))
      assert.equal(listed.size, reported[keys].size)
      for (const item of reported[keys].values()) {
        assert.deepEqual({ ...listed.get(item.id), ...item }, listed.get(item.id))
      }
    }
    for (const server of (await at.servers(account)).slice(0, 10)) await assertNamed(server)
  })

  test('are disconnected while the source fails, and disabled with the account', async (context) => {
    const libvirt = await startFakeLibvirt(context, { domains: [domain(3)] })
    const account = await at.attachLibvirt(libvirt, { period: 30 })
    await at.update(account.id, { enabled: false })
    assert.deepEqual(
      (await managers(account.id)).map(({ enabled }) => enabled),
      [false],
    )
    await at.update(account.id, { enabled: true, address: 'qemu+tls://127.0.0.1:1/system' })
    await eventually('the manager is disconnected', async () =>
      (await managers(account.id)).every(({ status }) => status === 'disconnected'),
    )
  })
})
