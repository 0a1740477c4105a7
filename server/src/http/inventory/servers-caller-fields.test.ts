import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server, ServerStatistics } from '@muster/contract'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import {
  listServers,
  showServer,
  projectAt,
} from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
  type InventoryCaller,
} from '../../testing/inventory-world/start-inventory-world.ts'

onEngineOfLane('server fields that depend on the caller', (engine) => {
  let fleet: InventoryWorld
  let servers: ServerFacts[]
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
    servers = fleet.projects.map(({ id }, at) =>
      minimalServer(id, {
        name: `of ${at}`,
        manager_project_id: projectAt(fleet, 3).id,
        adminGroup: { id: `group ${at}`, rules: 'in:deny any' },
      }),
    )
    await fleet.record(servers)
  })
  after(() => fleet.platform.close())

  const id = (at: number) => servers[at]?.id ?? ''

  /** The same from the list, the list with selected fields and the details. */
  async function seenBy(caller: InventoryCaller, at: number): Promise<Server> {
    const alone = await showServer(caller, id(at))
    const query = `scope=max&id=${id(at)}&with_meta=true`
    const [listed] = (await listServers(caller, `${query}&details=true`)).servers
    assert.deepEqual(listed, alone)
    const keys = ['can_update', 'update_fail_reason', 'admin_secgrp_id', 'project'] as const
    const fields = keys.map((key) => `field=${key}`).join('&')
    const [chosen] = (await listServers(caller, `${query}&${fields}`)).servers
    assert.deepEqual(chosen, Object.fromEntries(keys.map((key) => [key, alone[key]])))
    return alone
  }

  test('can_update tells whether the caller can change metadata, with the reason if not', async () => {
    const { owner, viewer, domainAdmin, auditor, admin } = fleet.callers
    const expected: [InventoryCaller, boolean][] = [
      [owner, true],
      [viewer, false],
      [domainAdmin, true],
      [auditor, false],
      [admin, true],
    ]
    for (const [caller, may] of expected) {
      const { can_update, update_fail_reason } = await seenBy(caller, 0)
      assert.equal(can_update, may, caller.name)
      assert.equal(update_fail_reason === '', may, caller.name)
      const { status } = await caller.call('mergeServerMetadata', {
        path: { id: id(0) },
        body: { metadata: {} },
      })
      assert.equal(status === 200, may, `${caller.name}: ${status}`)
    }
  })

  test('can_update differs by row if the permissions of the caller do', async () => {
    const { auditor } = fleet.callers
    const fourth = projectAt(fleet, 3)
    await fleet.identities.assign({
      role: 'project_owner',
      userId: auditor.userId,
      projectId: fourth.id,
    })
    const page = await listServers(auditor, 'scope=system&details=true&order_by=name&order=asc')
    const told = page.servers.map(({ can_update, update_fail_reason }) => [
      can_update,
      update_fail_reason === '',
    ])
    assert.deepEqual(
      told,
      [0, 1, 2, 3, 4].map((at) => [at === 3, at === 3]),
    )
  })

  test('can_delete is false for servers of accounts that are only observed', async () => {
    for (const caller of fleet.all) {
      const page = await listServers(caller, 'scope=max&details=true')
      assert.ok(page.total > 0)
      for (const { can_delete, delete_fail_reason } of page.servers) {
        assert.equal(can_delete, false)
        assert.match(delete_fail_reason ?? '', /observe only|roles do not allow/)
      }
    }
  })

  test('the admin security group is visible with domain or system permissions only', async () => {
    const { owner, viewer, domainAdmin, auditor, admin } = fleet.callers
    for (const _round of ['first', 'again']) {
      for (const caller of [owner, viewer]) {
        const { admin_secgrp_id, admin_security_rules } = await seenBy(caller, 0)
        assert.deepEqual([admin_secgrp_id, admin_security_rules], ['', ''], caller.name)
      }
      for (const caller of [domainAdmin, auditor, admin]) {
        const { admin_secgrp_id, admin_security_rules } = await seenBy(caller, 0)
        assert.deepEqual([admin_secgrp_id, admin_security_rules], ['group 0', 'in:deny any'])
      }
    }
    const domainViewer = await fleet.addCaller('domain_viewer', projectAt(fleet, 1))
    assert.equal((await seenBy(domainViewer, 2)).admin_secgrp_id, 'group 2')
  })

  test('SEC-62: cannot be used to filter, sort, group or search', async () => {
    const { admin } = fleet.callers
    for (const query of [
      'admin_secgrp_id=group%200',
      'can_update=true',
      'order_by=admin_secgrp_id',
      'order_by=can_update',
      "filter=admin_secgrp_id.equals('group 0')",
      'q=can_update:true',
    ]) {
      await admin.fail('InputParameterError', 'listServers', { query: `scope=system&${query}` })
    }
    const query = 'scope=system&group_by=admin_secgrp_id'
    await admin.fail('InputParameterError', 'getServerStatistics', { query })
    assert.equal((await listServers(admin, 'scope=system&search=group%200')).total, 0)
  })

  const statistics = (caller: InventoryCaller, query: string) =>
    caller.get<ServerStatistics>('getServerStatistics', { query })

  test('a renamed project or domain is visible at once, everywhere', async () => {
    const { owner, viewer, domainAdmin, admin } = fleet.callers
    const project = projectAt(fleet, 0)
    const body = { project: { name: 'Genome II' } }
    const ask = async (name: string) => {
      const query = `name=${encodeURIComponent('of 0')}&project=${encodeURIComponent(name)}`
      const { total } = await listServers(domainAdmin, query)
      const q = encodeURIComponent(`tenant:"${name}"`)
      assert.equal((await listServers(domainAdmin, `q=${q}`)).total, total)
      const filter = encodeURIComponent(`project.equals('${name}')`)
      assert.equal((await listServers(owner, `filter=${filter}`)).total, total)
      const { groups } = await statistics(domainAdmin, 'group_by=project')
      assert.equal(groups['project']?.some(({ value }) => value === name) ?? false, total > 0)
      return total
    }
    assert.deepEqual([await ask('genome'), await ask('Genome II')], [1, 0])
    await admin.get('updateProject', { path: { id: project.id }, body })
    assert.deepEqual([await ask('genome'), await ask('Genome II')], [0, 1])
    for (const caller of [owner, viewer, domainAdmin, admin]) {
      const shown = await seenBy(caller, 0)
      assert.deepEqual([shown.project, shown.tenant], ['Genome II', 'Genome II'])
    }

    const domain = { name: 'Science' }
    const path = { id: project.domainId }
    await admin.get('updateDomain', { path, body: { domain } })
    const shown = await seenBy(viewer, 0)
    assert.equal(shown.project_domain, 'Science')
    assert.equal((await listServers(owner, 'project_domain=Science')).total, 1)
    assert.equal((await listServers(owner, 'project_domain=Research')).total, 0)
    const { groups } = await statistics(admin, 'scope=system&group_by=project_domain')
    assert.deepEqual(
      groups['project_domain']?.map(({ value, count }) => [value, count]),
      [
        ['Science', 3],
        ['Trade', 1],
        ['Öffentlich', 1],
      ],
    )
    const manager = { project: { name: 'bought' } }
    await admin.get('updateProject', { path: { id: projectAt(fleet, 3).id }, body: manager })
    assert.equal((await seenBy(viewer, 0)).manager_project, 'bought')
  })

  test('a revoked permission applies at the next request', async () => {
    const { owner } = fleet.callers
    const { database } = fleet.platform
    await seenBy(owner, 0)
    const rows = database.db.deleteFrom('assignments').where('user_id', '=', owner.userId)
    await fleet.identities.assign({
      role: 'project_viewer',
      userId: owner.userId,
      projectId: projectAt(fleet, 0).id,
    })
    const { id: roleId } = await database.db
      .selectFrom('roles')
      .select('id')
      .where('name', '=', 'project_owner')
      .executeTakeFirstOrThrow()
    await fleet.identities.change(rows.where('role_id', '=', roleId).compile())
    assert.equal((await seenBy(owner, 0)).can_update, false)
    await fleet.identities.change(rows.compile())
    await owner.fail('UnauthorizedError', 'listServers')
  })
})
