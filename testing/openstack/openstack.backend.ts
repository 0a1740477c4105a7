import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { ScanPage, SourceSettings } from '../../server/src/domain/sources/source.ts'
import { openstackKind } from '../../server/src/sources/openstack/openstack-kind.ts'
import {
  requireServer,
  scanAll,
  withSource,
} from '../../server/src/testing/inventory-world/source-conformance.ts'
import {
  createMemorySync,
  scanInto,
} from '../../server/src/testing/inventory-world/in-memory-sync.ts'
import { referTo } from '../../server/src/testing/inventory-world/server-reference.ts'
import { describeAttached } from './attached.ts'
import { settingsOf } from './plug.ts'
import { addRichServer } from './rich-server.ts'
import { startOpenStack, type TestOpenStack } from './start.ts'

describe('OpenStack: Keystone and Nova of Debian', () => {
  let openstack: TestOpenStack
  before(async () => {
    openstack = await startOpenStack()
    await openstack.add({ name: 'demo-1', networks: 2, floating: true })
    await openstack.add({ name: 'ops-1', project: 'ops' })
  })
  after(() => openstack.stop())

  const settings = (user: string, options: SourceSettings['options'] = {}) =>
    settingsOf(openstack.authUrl, user, options)
  const scan = (given: SourceSettings) => withSource(openstackKind, given, scanAll)
  const pagesOf = (given: SourceSettings): Promise<ScanPage[]> =>
    withSource(openstackKind, given, (source) =>
      Array.fromAsync(source.scan(AbortSignal.timeout(30_000))),
    )
  const namesOf = async (given: SourceSettings) =>
    [...(await scan(given)).values()]
      .map(({ facts, tenant }) => `${facts.name} ${tenant?.name}`)
      .sort()
  const everything = ['demo-1 demo', 'ops-1 ops']

  test('reports the servers of all projects to an administrator', async () => {
    assert.deepEqual(await namesOf(settings('admin', { project: 'admin' })), everything)
    assert.deepEqual(await namesOf(settings('admin')), everything)
  })

  test('reports every field', async () => {
    const { id, facts } = await addRichServer(openstack)
    const seen = await scan(settings('admin', { project: 'admin' }))
    const server = [...seen.values()].find((each) => each.facts.external_id === id)
    assert.ok(server)
    assert.deepEqual(server.facts, facts)
    assert.deepEqual(server.tenant, { id: openstack.keystone.projects['demo'], name: 'demo' })
    requireServer(server, 'OpenStack')
    await openstack.order('delete', { server: id })
  })

  describeAttached(() => openstack)

  test('removes no server of a cell that is down', async (context) => {
    const { cell } = openstack
    // Servers that failed to boot are in another cell.
    const added = await Promise.all([
      openstack.add({ name: 'a', host: null, vm_state: 'error' }),
      openstack.add({ name: 'b', host: null, vm_state: 'error' }),
      openstack.add({ name: 'old', has_spec: false }),
    ])
    context.after(() => Promise.all(added.map((server) => openstack.order('delete', { server }))))
    const sync = createMemorySync()
    const scanStored = () =>
      withSource(openstackKind, settings('demo'), (source) => scanInto(sync, source))
    const statuses = () => sync.present().map(({ name, status }) => `${name} ${status}`)
    await scanStored()
    const before = ['a sched_fail', 'b sched_fail', 'demo-1 running', 'old running']
    assert.deepEqual(statuses(), before)
    cell.cut()
    try {
      const { unreadable, held, counts } = await scanStored()
      assert.deepEqual(
        [unreadable.map(({ reason }) => reason), held.length, counts.gone],
        [['Nova does not reach the database of its cell.'], 1, 0],
      )
      assert.deepEqual(statuses(), [...before.slice(0, 2), 'demo-1 unknown', 'old unknown'])
      // Nova does not list the hosts either: the account is degraded.
      const failed = (await pagesOf(settings('admin', { project: 'admin' }))).flatMap(
        (page) => page.failed ?? [],
      )
      assert.ok(
        failed.some(
          ({ error, hasServers }) => hasServers && /list hypervisors/.test(error.message),
        ),
        failed.map(({ error }) => error.message).join(),
      )
    } finally {
      cell.restore()
    }
    await scanStored()
    assert.deepEqual(statuses(), before)
  })

  describe('other services', () => {
    const failAt = async (status: number, use: () => Promise<void>) => {
      const services = ['network', 'volume', 'image'] as const
      for (const service of services) openstack.stubs.failing.set(service, status)
      try {
        await use()
      } finally {
        openstack.stubs.failing.clear()
      }
    }

    test('that fail leave the facts as they were', () =>
      withSource(openstackKind, settings('demo'), async (source) => {
        const before = await scanAll(source)
        await failAt(500, async () => {
          const after = await scanAll(source)
          assert.deepEqual([...after.keys()], [...before.keys()])
          for (const [id, { facts }] of after) assert.deepEqual(facts, before.get(id)?.facts)
        })
      }))

    test('that deny access are reported', () =>
      failAt(403, async () => {
        const pages = await pagesOf(settings('demo'))
        const denied = pages.flatMap(({ forbidden = [] }) => forbidden)
        assert.deepEqual(denied.map(({ permission }) => permission).sort(), [
          'image: list images',
          'network: list floatingips',
          'network: list networks',
          'network: list ports',
          'network: list security_groups',
          'network: list subnets',
          'volume: list volumes',
        ])
        const [server] = pages.flatMap(({ present }) => present)
        assert.ok(server)
        // What Nova knows of the network.
        const { nics, eip, secgroups } = requireServer(server, 'OpenStack')
        assert.equal(nics.length, 2)
        assert.match(nics[0]?.ip_addr ?? '', /^10\.20\./)
        assert.match(eip, /^203\./)
        assert.equal(secgroups[0]?.name, 'default')
      }))
  })

  describe('rights', () => {
    test('the role reader in a domain is enough for all its projects', async () => {
      const { keystone } = openstack
      const user = await keystone.addUser('muster')
      const place = 'OS-INHERIT/domains/default'
      await keystone.assign('reader', user, place)
      assert.deepEqual(await namesOf(settings('muster')), everything)
    })

    test('an application credential reads its own project', async () => {
      const { keystone, authUrl } = openstack
      const credential = await keystone.addApplicationCredential('muster', 'ops', 'reader')
      const given = {
        address: authUrl,
        credentials: {
          application_credential_id: credential.id,
          application_credential_secret: credential.secret,
        },
        options: {},
      }
      assert.deepEqual(openstackKind.check(given), [])
      assert.deepEqual(await namesOf(given), ['ops-1 ops'])
      const wrong = { ...given.credentials, application_credential_secret: 'not the secret' }
      await assert.rejects(scan({ ...given, credentials: wrong }), { kind: 'credentials' })
    })

    test('reports which projects it reads, so that a lost role deletes nothing', async () => {
      const { keystone } = openstack
      const user = await keystone.addUser('chief')
      const place = `projects/${keystone.projects['demo']}`
      await keystone.assign('admin', user, place)
      await keystone.assign('reader', user, place)
      const tenantsOf = (pages: readonly ScanPage[]) => pages.flatMap(({ tenants = [] }) => tenants)
      assert.deepEqual(tenantsOf(await pagesOf(settings('chief', { project: 'demo' }))), [])
      await keystone.unassign('admin', user, place)
      const later = await pagesOf(settings('chief', { project: 'demo' }))
      assert.deepEqual(tenantsOf(later), [keystone.projects['demo']])
      const names = later.flatMap(({ present }) => present).map(({ facts }) => facts.name)
      assert.deepEqual(names, ['demo-1'])
    })

    test('a region that only some projects have deletes nothing in the others', async (context) => {
      const { keystone, ports } = openstack
      const { call, projects } = keystone
      const user = await keystone.addUser('regional')
      for (const name of ['demo', 'ops']) {
        await keystone.assign('reader', user, `projects/${projects[name]}`)
      }
      interface Endpoint {
        readonly id: string
        readonly service_id: string
        readonly url: string
      }
      const path = 'endpoints?interface=public'
      const { endpoints } = await call<{ endpoints: readonly Endpoint[] }>('GET', path)
      const compute = endpoints.find(({ url }) => url.includes(`:${ports.nova}/`))
      assert.ok(compute)
      await call('POST', 'regions', { region: { id: 'RegionTwo' } })
      const { endpoint } = await call<{ endpoint: { id: string } }>('POST', 'endpoints', {
        endpoint: {
          service_id: compute.service_id,
          interface: 'public',
          region_id: 'RegionTwo',
          url: compute.url,
        },
      })
      context.after(() => call('DELETE', `endpoints/${endpoint.id}`))
      const tenantsOf = async () =>
        new Set((await pagesOf(settings('regional'))).flatMap(({ tenants = [] }) => tenants))
      assert.deepEqual(await tenantsOf(), new Set([projects['demo'], projects['ops']]))
      for (const { id } of endpoints) {
        const filter = `OS-EP-FILTER/projects/${projects['demo']}/endpoints/${id}`
        await call('PUT', filter)
        context.after(() => call('DELETE', filter))
      }
      assert.deepEqual(await tenantsOf(), new Set([projects['ops']]))
      await withSource(openstackKind, settings('regional'), async (source) => {
        const lost = { ...referTo('any', 'RegionTwo'), tenantId: projects['demo'] ?? '' }
        await assert.rejects(source.get(lost, AbortSignal.timeout(30_000)), { kind: 'incomplete' })
      })
    })

    test('a user without a role is refused', async () => {
      await openstack.keystone.addUser('nobody')
      await assert.rejects(scan(settings('nobody')), { kind: 'forbidden', message: /no role/ })
    })
  })
})
