import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { CloudAccount } from '@muster/contract'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import type { Account } from '../../domain/sources/account.ts'
import { createResourceCollector } from '../../domain/sources/collect-resources.ts'
import { LeaseLost } from '../../domain/sources/lease-lost.ts'
import type { ReportedResources } from '../../domain/sources/reported-resources.ts'
import type { ReportedServer } from '../../domain/sources/source.ts'
import { createAdminClient } from '../../testing/contract-client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'
import type { DatabaseReader, DatabaseWriter } from '../database.ts'
import { createResourceRecorder } from './resource-recorder.ts'

type Row = Record<string, unknown>

const emptyNic = { ip_addr: '', ip6_addr: '', mac: '', team_with: '', is_exit: false }

onEngineOfLane('the resources that accounts see', (engine) => {
  let platform: TestPlatform
  let admin: Awaited<ReturnType<typeof createAdminClient>>
  let projectId: string
  before(async () => {
    platform = await startPlatform({ engine })
    admin = await createAdminClient(platform)
    projectId = await createIdentityWorld(platform.database).addProject('home')
  })
  after(() => platform.close())

  let made = 0
  /** Disabled, so that nothing but the test syncs it. */
  async function attach(): Promise<Account> {
    made += 1
    const cloudaccount = {
      name: `account ${made}`,
      provider: 'OneCloud',
      address: 'qemu+unix:///system?socket=/nowhere',
      project_id: projectId,
      enabled: false,
    }
    const { body } = await admin.call<{ cloudaccount: CloudAccount }>('createCloudAccount', {
      body: { cloudaccount },
    })
    const { id, name, provider, brand, created_at } = body.cloudaccount
    await eventually('the next account is later', () => Date.now() > Date.parse(created_at))
    const account = { id, name, provider, brand, project_id: projectId, enabled: true }
    return { ...account, mapping: [], created_at: 0, revision: 1 } as unknown as Account
  }

  interface Seen extends ReportedResources {
    readonly servers?: readonly ReportedServer[]
  }
  interface Options {
    readonly isComplete?: boolean
    readonly revision?: number
    readonly database?: DatabaseReader & DatabaseWriter
  }
  const see = async (account: Account, seen: Seen, options: Options = {}) => {
    const { isComplete = true, revision = 1, database = platform.database } = options
    const { servers = [], ...reported } = seen
    const collector = createResourceCollector(account)
    for (const server of servers) collector.addServer(server)
    collector.addReported(reported)
    const runs = { id: account.id, fence: { revision } }
    const recorder = createResourceRecorder(database, Date.now)
    await recorder.record(runs, collector.seen(isComplete), isComplete)
  }

  const list = async (path: 'listCloudRegions' | 'listHosts' | 'listManagers' | 'listNetworks') => {
    const body = await admin.get<Record<string, Row[]>>(path, {
      query: 'details=true&order_by=name&order=asc',
    })
    return Object.values(body).find(Array.isArray) ?? []
  }
  const region = async (id: string) =>
    (await list('listCloudRegions')).find((each) => each['id'] === id)

  test('keep what was reported while an incomplete scan only has servers that name them', async () => {
    const account = await attach()
    const facts = { name: 'vm', status: 'running', cloudregion_id: 'r-named', region: 'a name' }
    const servers = [{ key: ['vm'], facts }]
    const reported = [{ id: 'r-named', name: 'a region', status: 'inservice' }]
    const shown = async () => {
      const found = await region('r-named')
      return [found?.['name'], found?.['status']]
    }
    await see(account, { servers }, { isComplete: false })
    const [named] = await shown()
    assert.equal(named, 'a name')
    await see(account, { servers, cloudregions: reported })
    await see(account, { servers }, { isComplete: false })
    assert.deepEqual(await shown(), ['a region', 'inservice'])
    await see(account, {})
    assert.equal(await region('r-named'), undefined)
  })

  test('stay until a complete scan of every account is without them', async () => {
    const [first, second] = [await attach(), await attach()]
    const both = { cloudregions: [{ id: 'r-both', name: 'both', status: 'inservice' }] }
    await see(first, both)
    await see(second, both)
    await see(first, {}, { isComplete: false })
    await see(first, {})
    assert.equal((await region('r-both'))?.['status'], 'inservice')
    await see(second, {}, { isComplete: false })
    // Another complete scan finds that the second account still sees it.
    await see(first, {})
    assert.ok(await region('r-both'))
    await see(second, {})
    assert.equal(await region('r-both'), undefined)
  })

  test('are written by the account that was attached first, as long as it sees them', async () => {
    const [first, second] = [await attach(), await attach()]
    const shared = (name: string) => ({ hosts: [{ id: 'h-shared', name }] })
    const holder = async () => {
      const host = (await list('listHosts')).find(({ id }) => id === 'h-shared')
      return [host?.['name'], host?.['account'], host?.['manager_id']]
    }
    const [ofFirst, ofSecond] = [first, second].map(({ name, id }) => ['kvm', name, id])
    await see(second, shared('kvm'))
    assert.deepEqual(await holder(), ofSecond)
    await see(first, shared('kvm'))
    assert.deepEqual(await holder(), ofFirst)
    await see(second, shared('other'))
    await see(second, shared('kvm'))
    assert.deepEqual(await holder(), ofFirst)
    await see(first, {})
    await see(second, shared('kvm'))
    assert.deepEqual(await holder(), ofSecond)
    await see(first, shared('kvm'))
    assert.deepEqual(await holder(), ofFirst)
    await admin.get('deleteCloudAccount', { path: { id: first.id } })
    await eventually('the account is removed', async () => {
      await see(second, shared('kvm'))
      return (await holder())[2] === second.id
    })
    assert.deepEqual(await holder(), ofSecond)
  })

  test('are written again by the first account if a later one wrote them meanwhile', async () => {
    const [first, second] = [await attach(), await attach()]
    const named = (name: string) => ({ cloudregions: [{ id: 'r-race', name }] })
    await see(second, named('second'), {
      // The first account commits between the check and the commit of the second.
      database: {
        ...platform.database,
        async commit(statements) {
          await see(first, named('first'))
          return await platform.database.commit(statements)
        },
      },
    })
    assert.equal((await region('r-race'))?.['name'], 'second')
    await see(first, named('first'))
    assert.equal((await region('r-race'))?.['name'], 'first')
  })

  test('stay while a live or recycled server names them', async () => {
    const account = await attach()
    const facts: Partial<ServerFacts> = {
      cloudregion_id: 'r-named',
      region: 'named',
      nics: [{ ...emptyNic, network_id: 'n-named', vpc_id: 'v' }],
    }
    const server = minimalServer(projectId, facts)
    const { recordServers } = platform.inventory
    await recordServers({ present: [server], gone: [] })
    await see(account, {})
    assert.ok(await region('r-named'))
    await recordServers({ present: [{ ...server, pending_deleted: true }], gone: [] })
    await see(account, {})
    assert.ok(await region('r-named'))
    assert.ok((await list('listNetworks')).some(({ id }) => id === 'n-named'))
    await recordServers({ present: [], gone: [server.id] })
    assert.ok(await region('r-named'))
    await see(account, {})
    assert.equal(await region('r-named'), undefined)
    assert.deepEqual(await list('listNetworks'), [])
    // A server names them again.
    await recordServers({ present: [server], gone: [] })
    assert.ok(await region('r-named'))
    assert.ok((await list('listNetworks')).some(({ id }) => id === 'n-named'))
    await recordServers({ present: [], gone: [server.id] })
    await see(account, {})
  })

  test('are written only if the account reports something else', async () => {
    const account = await attach()
    const seen = { cloudregions: [{ id: 'r-same', name: 'same' }] }
    await see(account, seen)
    const first = await region('r-same')
    await see(account, seen)
    assert.deepEqual(await region('r-same'), first)
    await eventually(
      'the clock has moved',
      () => Date.now() > Date.parse(String(first?.['created_at'])),
    )
    await see(account, { cloudregions: [{ id: 'r-same', name: 'other' }] })
    const other = await region('r-same')
    assert.equal(other?.['name'], 'other')
    assert.equal(other['created_at'], first?.['created_at'])
    assert.ok(String(other['updated_at']) > String(first?.['updated_at']))
  })

  test('are not written if the account was changed meanwhile', async () => {
    const account = await attach()
    const seen = { cloudregions: [{ id: 'r-late', name: 'late' }] }
    await assert.rejects(see(account, seen, { revision: 2 }), LeaseLost)
    assert.equal(await region('r-late'), undefined)
  })

  test('have a manager only if the account has one', async () => {
    const account = await attach()
    const servers = ['t-1', 't-2'].map((tenant): ReportedServer => ({
      key: [tenant],
      tenant: { id: tenant, name: tenant },
      facts: {
        name: tenant,
        status: 'running',
        host_id: 'h-tenants',
        nics: [{ ...emptyNic, network_id: 'n-tenants', vpc_id: '' }],
      },
    }))
    const reported = { networks: [{ id: 'n-other', name: 'other' }] }
    const managers = async () =>
      [...(await list('listHosts')), ...(await list('listNetworks'))]
        .filter(({ account_id }) => account_id === account.id)
        .map(({ id, manager, manager_id }) => `${id} ${manager} ${manager_id}`)
        .toSorted()
    const none = ['h-tenants  ', 'n-other  ', 'n-tenants  ']
    await see(account, { servers, ...reported })
    assert.deepEqual(await managers(), none)
    await see(account, { servers: servers.toReversed(), ...reported })
    assert.deepEqual(await managers(), none)
    await see(account, { networks: [{ id: 'n-other', name: 'new' }] }, { isComplete: false })
    assert.deepEqual(await managers(), none)
    const own = `n-other ${account.name} ${account.id}`
    await see(account, reported)
    assert.deepEqual(await managers(), [own])
  })

  test('join what the source reports with what servers name', async () => {
    const account = await attach()
    const facts = { host_id: 'h-1', host: 'kvm-1', host_sn: 'sn-1', zone: 'z', zone_id: 'z-1' }
    const server = (key: string, tenant?: string): ReportedServer => ({
      key: [key],
      ...(tenant !== undefined && { tenant: { id: tenant, name: `tenant ${tenant}` } }),
      facts: { name: key, status: 'running', ...facts },
    })
    await see(account, {
      servers: [server('a', 't-1'), server('b', 't-2'), server('c', 't-2')],
      hosts: [
        { id: 'h-1', name: 'Kvm-1', cpu_count: 8 },
        { id: 'h-2', name: 'kvm-2', provider: 'VMware' },
      ],
    })
    const own = { account: account.name, account_id: account.id }
    const hosts = await list('listHosts')
    const [one, two] = ['h-1', 'h-2'].map((id) => hosts.find((each) => each['id'] === id) ?? {})
    assert.partialDeepStrictEqual(one, {
      ...own,
      name: 'Kvm-1',
      sn: 'sn-1',
      cpu_count: 8,
      zone: 'z',
    })
    assert.partialDeepStrictEqual(two, { ...own, provider: 'VMware', brand: 'VMware', guests: 0 })
    const ofAccount = async () =>
      (await list('listManagers'))
        .filter((each) => each['cloudaccount_id'] === account.id)
        .map(({ name, status, external_id }) => [name, status, external_id])
    assert.deepEqual(await ofAccount(), [
      ['tenant t-1', 'connected', 't-1'],
      ['tenant t-2', 'connected', 't-2'],
    ])
    await see(account, {})
    assert.deepEqual(await ofAccount(), [[account.name, 'connected', '']])
    await admin.get('deleteCloudAccount', { path: { id: account.id } })
    await eventually('its managers are removed', async () => (await ofAccount()).length === 0)
  })
})
