import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ServerStatistics } from '@muster/contract'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import {
  badParameter,
  listServers,
  namesOf,
  projectAt,
} from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
  type InventoryCaller,
} from '../../testing/inventory-world/start-inventory-world.ts'

type Outcome = string | 403 | 400

onEngineOfLane('the scope of a server list', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    const present = fleet.projects.flatMap(({ id }, at): ServerFacts[] => [
      minimalServer(id, { name: `${at}` }),
      minimalServer(id, { name: `${at}bin`, pending_deleted: true }),
      minimalServer(id, { name: `${at}gone` }),
    ])
    await fleet.record(present)
    await fleet.record(
      [],
      present.filter(({ name }) => name.endsWith('gone')).map(({ id }) => id),
    )
  })
  after(() => fleet.platform.close())

  const statusOf = { 403: 'ForbiddenError', 400: 'InputParameterError' } as const

  /** The common result of a list, its statistics and its export: names, or a status. */
  async function expectServers(
    caller: InventoryCaller,
    query: string,
    wanted: Outcome,
  ): Promise<void> {
    const note = `${caller.name} ${query}`
    if (typeof wanted === 'number') {
      await caller.fail(statusOf[wanted], 'listServers', { query })
      await caller.fail(statusOf[wanted], 'getServerStatistics', { query })
      await caller.fail(statusOf[wanted], 'listServers', { query: `${query}&format=csv` })
      return
    }
    const page = await listServers(caller, `${query}&order_by=name&order=asc`)
    assert.equal(namesOf(page).join(' '), wanted, note)
    assert.equal(page.total, page.servers.length, note)
    const { total } = await caller.get<ServerStatistics>('getServerStatistics', { query })
    assert.equal(total.count, page.total, note)
  }

  test('is the scope of the token, unless a wider one is requested and allowed', async () => {
    const { owner, viewer, domainAdmin, auditor, admin } = fleet.callers
    const table: [InventoryCaller, Record<string, Outcome>][] = [
      [owner, { '': '0', project: '0', domain: 403, system: 403, max: '0' }],
      [viewer, { '': '0', project: '0', domain: 403, system: 403, max: '0' }],
      [domainAdmin, { '': '0 1 2', project: 400, domain: '0 1 2', system: 403, max: '0 1 2' }],
      [auditor, { '': '3', project: '3', domain: '3', system: '0 1 2 3 4', max: '0 1 2 3 4' }],
      [admin, { '': '4', project: '4', domain: '4', system: '0 1 2 3 4', max: '0 1 2 3 4' }],
    ]
    for (const [caller, outcomes] of table) {
      for (const [scope, wanted] of Object.entries(outcomes)) {
        await expectServers(caller, scope === '' ? '' : `scope=${scope}`, wanted)
      }
    }
  })

  test('accepts the Cloudpods names for the system scope', async () => {
    const { owner, admin } = fleet.callers
    await expectServers(admin, 'admin=true', '0 1 2 3 4')
    await expectServers(admin, 'admin=false', '4')
    await expectServers(admin, 'admin=true&scope=system', '0 1 2 3 4')
    await expectServers(owner, 'admin=true', 403)
    await expectServers(owner, 'admin=false', '0')
    assert.equal((await badParameter(admin, 'admin=true&scope=project'))[0], 'admin')
  })

  test('rejects scope=user with 400 and lists the valid scopes', async () => {
    const [path, problem] = await badParameter(fleet.callers.admin, 'scope=user')
    assert.equal(path, 'scope')
    assert.match(problem, /project, domain, system, max/)
    assert.equal((await badParameter(fleet.callers.admin, 'scope='))[0], 'scope')
    assert.equal((await badParameter(fleet.callers.admin, 'scope=System'))[0], 'scope')
  })

  test('a project or domain filter narrows and never widens', async () => {
    const { owner, domainAdmin, admin } = fleet.callers
    const [first, second, , fourth] = fleet.projects
    await expectServers(domainAdmin, `project_id=${second?.id}`, '1')
    await expectServers(domainAdmin, `tenant_id=${second?.id}&tenant_id=${first?.id}`, '0 1')
    await expectServers(domainAdmin, `project_id=${fourth?.id}`, '')
    await expectServers(owner, `project_id=${second?.id}`, '')
    await expectServers(owner, `domain_id=${first?.domainId}`, '0')
    await expectServers(admin, `scope=system&domain_id=${first?.domainId}`, '0 1 2')
    await expectServers(admin, `domain_id=${first?.domainId}`, '')
    // Two projects of the same name: each caller finds the visible one.
    await expectServers(admin, 'scope=system&project=genome', '0 3')
    await expectServers(domainAdmin, 'project=genome', '0')
  })

  test('excludes the recycle bin and deleted servers unless requested with permission', async () => {
    const { owner, viewer, domainAdmin, auditor, admin } = fleet.callers
    const domainViewer = await fleet.addCaller('domain_viewer', projectAt(fleet, 0))
    const allowed: [InventoryCaller, readonly number[]][] = [
      [owner, [0]],
      [domainAdmin, [0, 1, 2]],
      [admin, [4]],
    ]
    for (const [caller, projects] of allowed) {
      const names = (...endings: string[]) =>
        projects.flatMap((at) => endings.map((ending) => `${at}${ending}`)).join(' ')
      await expectServers(caller, 'pending_delete=true', names('bin'))
      await expectServers(caller, 'pending_delete=1', names('bin'))
      await expectServers(caller, 'pending_delete=all', names('', 'bin'))
      await expectServers(caller, 'pending_delete_all=true', names('', 'bin'))
      await expectServers(caller, 'pending_delete=false', names(''))
      await expectServers(caller, 'deleted=true', names('gone'))
      await expectServers(caller, 'deleted=false', names(''))
      await expectServers(caller, 'deleted=true&pending_delete=true', 400)
    }
    const seen: [InventoryCaller, string][] = [
      [viewer, '0'],
      [auditor, '3'],
      [domainViewer, '0 1 2'],
    ]
    for (const [caller, names] of seen) {
      for (const query of ['pending_delete=true', 'pending_delete=all', 'deleted=true']) {
        await expectServers(caller, query, 403)
      }
      await expectServers(caller, 'pending_delete=false&deleted=false', names)
    }
    await expectServers(admin, 'scope=system&deleted=true', '0gone 1gone 2gone 3gone 4gone')
    await expectServers(auditor, 'scope=system&deleted=true', 403)
    await expectServers(auditor, 'scope=system&pending_delete=all', 403)
  })

  test('deleted servers require delete permission in the listed scope', async () => {
    const { auditor } = fleet.callers
    await fleet.identities.assign({
      role: 'project_owner',
      userId: auditor.userId,
      projectId: projectAt(fleet, 3).id,
    })
    await expectServers(auditor, 'deleted=true', '3gone')
    await expectServers(auditor, 'scope=system&deleted=true', 403)
    await expectServers(auditor, 'scope=domain&pending_delete=true', 403)
  })

  test('applies to details, metadata and history; without a scope everything allowed is included', async () => {
    const { owner, domainAdmin, admin } = fleet.callers
    const { servers } = await listServers(admin, 'scope=system&order_by=name&order=asc')
    const [own = '', other = ''] = [servers[0]?.id, servers[3]?.id]
    const reads = ['getServer', 'getServerMetadata', 'getServerHistory'] as const
    type Refused = 'ForbiddenError' | 'ResourceNotFoundError' | 'InputParameterError'
    const table: [InventoryCaller, id: string, scope: string, Refused | undefined][] = [
      [owner, own, '', undefined],
      [owner, own, 'scope=project', undefined],
      [owner, own, 'scope=max', undefined],
      [owner, own, 'scope=domain', 'ForbiddenError'],
      [owner, own, 'scope=system', 'ForbiddenError'],
      [owner, own, 'scope=user', 'InputParameterError'],
      [domainAdmin, own, 'scope=domain', undefined],
      [domainAdmin, own, 'scope=project', 'InputParameterError'],
      [domainAdmin, own, 'scope=system', 'ForbiddenError'],
      [admin, other, '', undefined],
      [admin, other, 'scope=system', undefined],
      [admin, other, 'scope=max', undefined],
      [admin, other, 'scope=project', 'ResourceNotFoundError'],
      [admin, other, 'scope=domain', 'ResourceNotFoundError'],
    ]
    for (const [caller, id, query, refused] of table) {
      for (const read of reads) {
        if (refused) await caller.fail(refused, read, { path: { id }, query })
        else await caller.get(read, { path: { id }, query })
      }
    }
    // By name too: several servers have this name, one of them in the project.
    const name = '0'
    await fleet.record([minimalServer(fleet.projects[3]?.id ?? '', { name })])
    await admin.fail('ConflictError', 'getServer', { path: { id: name }, query: 'scope=system' })
    await owner.get('getServer', { path: { id: name }, query: 'scope=project' })
  })
})
