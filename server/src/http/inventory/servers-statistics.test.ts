import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server, ServerStatistics } from '@muster/contract'
import { ask } from '../../testing/client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { listServers, projectAt } from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
  type InventoryCaller,
} from '../../testing/inventory-world/start-inventory-world.ts'

type Sum = ServerStatistics['total']
type Group = ServerStatistics['groups'][string][number]

/** The number of servers and their sizes. */
const sumOf = (servers: readonly Partial<Server>[]): Sum => {
  const add = (key: 'vcpu_count' | 'vmem_size' | 'disk') =>
    servers.reduce((sum, server) => sum + (server[key] ?? 0), 0)
  return {
    count: servers.length,
    vcpu_count: add('vcpu_count'),
    vmem_size: add('vmem_size'),
    disk: add('disk'),
  }
}

type Value = Group['value']

/** What a tag says, as decided: with a prefix that one, else the owner's, else the source's. */
function tagValue({ metadata = {} }: Partial<Server>, key: string): string | null {
  const keys = /^(user|ext|sys):/.test(key) ? [key] : [`user:${key}`, `ext:${key}`]
  const found = keys.find((each) => Object.hasOwn(metadata, each))
  return (found === undefined ? undefined : metadata[found]) ?? null
}

const valueOf = (server: Partial<Server>, name: string): Value =>
  name.startsWith('metadata.')
    ? tagValue(server, name.slice('metadata.'.length))
    : (server[name as keyof Server] as Value)

const order = (a: Group, b: Group) =>
  b.count - a.count || Buffer.compare(Buffer.from(String(a.value)), Buffer.from(String(b.value)))

/** The same groups from a whole list, biggest first. */
function groupsOf(servers: readonly Partial<Server>[], name: string): Group[] {
  const groups = Map.groupBy(servers, (server) => valueOf(server, name))
  return [...groups].map(([value, members]) => ({ value, ...sumOf(members) })).sort(order)
}

/** The common fields to group by. */
const usual = 'status, provider, brand, account, region, zone, project, os_type, hypervisor'.split(
  ', ',
)

onEngineOfLane('server statistics', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { seed: 11, servers: 120 })
    // A server whose source has a tag of the same name.
    const [server] = (await listServers(fleet.callers.owner, 'tags=ext:env')).servers
    await fleet.callers.owner.get('mergeServerMetadata', {
      path: { id: server?.id ?? '' },
      body: { metadata: { env: 'mine', 'a b': '' } },
    })
  })
  after(() => fleet.platform.close())

  const count = (caller: InventoryCaller, query: string) =>
    caller.get<ServerStatistics>('getServerStatistics', { query })

  /** Asserts that the sums equal those of the whole list with the same filters. */
  async function expectStatistics(
    caller: InventoryCaller,
    groups: readonly string[],
    filters = '',
  ) {
    const page = await listServers(caller, `${filters}&details=true&with_meta=true&limit=2048`)
    const asked = groups.map((name) => `group_by=${encodeURIComponent(name)}`).join('&')
    const { total, groups: told } = await count(caller, `${asked}&${filters}`)
    assert.deepEqual(total, sumOf(page.servers), filters)
    assert.deepEqual(Object.keys(told).sort(), [...groups].sort())
    for (const name of groups) {
      assert.deepEqual(told[name], groupsOf(page.servers, name), `${name} ${filters}`)
    }
  }

  test('are grouped by status by default, with exactly the specified keys', async () => {
    const body = await count(fleet.callers.owner, '')
    assert.deepEqual(Object.keys(body), ['total', 'groups'])
    assert.deepEqual(Object.keys(body.groups), ['status'])
    const sums = ['count', 'vcpu_count', 'vmem_size', 'disk']
    assert.deepEqual(Object.keys(body.total), sums)
    assert.deepEqual(Object.keys(body.groups['status']?.[0] ?? {}), ['value', ...sums])
    await expectStatistics(fleet.callers.owner, ['status'])
  })

  test('are in the metrics by provider and status', async () => {
    const { servers } = await listServers(
      fleet.callers.admin,
      'scope=system&details=true&limit=2048',
    )
    const expected = Object.entries(
      Object.groupBy(
        servers,
        ({ provider, status }) => `provider="${provider}",status="${status}"`,
      ),
    ).map(([labels, members]) => `muster_servers{${labels}} ${members?.length}`)
    const { text } = await ask(fleet.platform.url, '/metrics')
    const lines = text.split('\n').filter((line) => line.startsWith('muster_servers{'))
    assert.ok(lines.length > 5)
    assert.deepEqual(lines.toSorted(), expected.toSorted())
  })

  test('equal the sums over the whole list for each common group', async () => {
    for (const caller of fleet.all) {
      await expectStatistics(caller, usual)
      await expectStatistics(caller, usual, 'scope=max')
    }
    await expectStatistics(fleet.callers.admin, usual, 'scope=system')
  })

  test('equal the sums for filters that stored counts answer', async () => {
    const { owner, domainAdmin, admin } = fleet.callers
    const filters = [
      'status=running',
      'provider=aws&status=running,ready',
      'q=-status:running%20os_type:Linux',
      'region=Zone%20A&status=running',
    ]
    const groups = [...usual, 'instance_type', 'project_id', 'domain_id']
    for (const filter of filters) {
      await expectStatistics(owner, groups, filter)
      await expectStatistics(domainAdmin, groups, `scope=domain&${filter}`)
      await expectStatistics(admin, groups, `scope=system&${filter}`)
    }
  })

  test('do not list a status that no server has any more', async () => {
    const [server] = fleet.world.servers()
    const facts = fleet.samples.facts(server?.id ?? '')
    const live = { ...facts, pending_deleted: false, os_type: 'Linux' as const }
    for (const status of ['disk_fail', 'running']) await fleet.record([{ ...live, status }])
    const others = fleet.world.servers().filter((each) => each.status === 'disk_fail')
    assert.deepEqual(others, [])
    await expectStatistics(fleet.callers.admin, ['status'], 'scope=system&os_type=Linux')
  })

  test('equal the sums for any other field of any type', async () => {
    const { owner, domainAdmin, admin } = fleet.callers
    const fields = [
      'is_gpu',
      'pending_deleted',
      'auto_renew',
      'vcpu_count',
      'disk_count',
      'vmem_size',
      'project_id',
      'tenant',
      'tenant_id',
      'project_domain',
      'domain_id',
    ]
    const more = [
      'manager_project',
      'host',
      'cloudregion',
      'region_id',
      'expired_at',
      'description',
      'name',
      'ips',
      'instance_type',
      'billing_type',
      'update_version',
      'boot_order',
    ]
    for (const groups of [fields, more]) {
      await expectStatistics(owner, groups)
      await expectStatistics(domainAdmin, groups)
      await expectStatistics(admin, groups, 'scope=system')
    }
  })

  test('group by tags: user metadata before source tags, null for none', async () => {
    const keys = ['env', 'Env', 'ext:env', 'user:env', 'a b', 'ключ', 'sys:source_status', 'none']
    const groups = keys.map((key) => `metadata.${key}`)
    for (const [caller, filters] of [
      [fleet.callers.owner, ''],
      [fleet.callers.owner, 'status=running'],
      [fleet.callers.domainAdmin, ''],
      [fleet.callers.admin, 'scope=system'],
      [fleet.callers.admin, 'scope=system&provider=Aws'],
    ] as const) {
      await expectStatistics(caller, groups, filters)
    }
    const { groups: told } = await count(fleet.callers.owner, 'group_by=metadata.none')
    assert.deepEqual(told['metadata.none']?.length, 1)
    assert.equal(told['metadata.none']?.[0]?.value, null)
  })

  test('apply the filters of the list', async () => {
    const filters = [
      'status=running&status=ready',
      "filter=name.contains('e')&filter=vcpu_count.gt(1)&filter_any=true",
      'q=vcpu>=2%20-provider:Aws',
      'search=web',
      'ip=10.4.0.0/16',
      'tags=env',
      'created_since=2025-01-01',
      'pending_delete=true',
      'pending_delete=all',
      'deleted=true',
      'is_gpu=true',
      'status=none',
    ]
    for (const filter of filters) {
      await expectStatistics(fleet.callers.owner, ['status', 'project', 'metadata.env'], filter)
      await expectStatistics(
        fleet.callers.admin,
        ['status', 'region', 'metadata.env'],
        `scope=system&${filter}`,
      )
    }
  })

  test('format timestamps like the list, also before 1970', async () => {
    const { id } = projectAt(fleet, 0)
    const moments = ['1969-12-31T23:59:59.999999Z', '1950-06-01T00:00:00.000001Z']
    const present = moments.map((expired_at) => minimalServer(id, { expired_at, name: 'old' }))
    await fleet.record(present)
    await expectStatistics(fleet.callers.owner, ['expired_at', 'created_at'], 'name=old')
    await fleet.record(
      [],
      present.map(({ id: gone }) => gone),
    )
  })

  test('name the invalid parameter', async () => {
    const { owner } = fleet.callers
    for (const [query, path] of [
      ['group_by=staus', 'group_by'],
      ['group_by=metadata', 'group_by'],
      ['group_by=metadata.', 'group_by'],
      ['group_by=can_update', 'group_by'],
      ['group_by=nics', 'group_by'],
      ['summary_stats=true', 'summary_stats'],
    ] as const) {
      const { fields } = await owner.fail('InputParameterError', 'getServerStatistics', { query })
      assert.equal(fields?.[0]?.path, path, query)
    }
    await owner.fail('ForbiddenError', 'getServerStatistics', { query: 'scope=system' })
    const { groups } = await count(owner, 'group_by.0=status&group_by.1=zone&group_by.2=status')
    assert.deepEqual(Object.keys(groups), ['status', 'zone'])
  })

  test('return a hundred values of a group and sum up the rest as other', async () => {
    const { id: projectId } = projectAt(fleet, 4)
    const present = Array.from({ length: 130 }, (_, at) =>
      minimalServer(projectId, {
        name: `v${at % 120}`,
        host: `h${at % 120}`,
        vcpu_count: at + 1,
        vmem_size: 8,
        tags: { shelf: `s${at % 120}` },
      }),
    )
    await fleet.record(present)
    const filter = "filter=name.startswith('v')&filter=host.startswith('h')"
    const { admin } = fleet.callers
    const asked = 'group_by=host&group_by=name&group_by=metadata.shelf'
    const { total, groups } = await count(admin, `${asked}&${filter}`)
    const { servers } = await listServers(admin, `${filter}&details=true&with_meta=true&limit=999`)
    assert.equal(total.count, 130)
    for (const name of ['host', 'name', 'metadata.shelf']) {
      const wanted = groupsOf(servers, name)
      const told = groups[name] ?? []
      assert.equal(told.length, 101)
      assert.deepEqual(told.slice(0, 100), wanted.slice(0, 100), name)
      const { value, ...rest } = told[100] ?? { value: '' }
      assert.equal(value, 'other')
      const toldApart = new Set(told.slice(0, 100).map((group) => group.value))
      const others = servers.filter((server) => {
        const [group] = groupsOf([server], name)
        return !toldApart.has(group?.value ?? null)
      })
      assert.deepEqual(rest, sumOf(others), name)
    }
    await fleet.record(
      [],
      present.map(({ id }) => id),
    )
    await expectStatistics(admin, [...usual, 'metadata.shelf'])
  })
})
