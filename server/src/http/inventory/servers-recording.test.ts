import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
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
import { changedTables, createSnapshots } from '../../testing/platform-world/snapshots.ts'

onEngineOfLane('recording servers', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
  })
  after(() => fleet.platform.close())

  const owner = () => fleet.callers.owner
  const projectId = (at = 0) => projectAt(fleet, at).id
  const see = (present: readonly ServerFacts[], gone: readonly string[] = []) => {
    fleet.tick()
    return fleet.platform.inventory.recordServers({ present, gone })
  }
  const names = async (caller: InventoryCaller, query = '') =>
    (await listServers(caller, `${query}&limit=100&order_by=name&order=asc`)).servers
      .map(({ name }) => name)
      .join(' ')

  test('an identical scan changes no row', async () => {
    const present = [
      minimalServer(projectId()),
      minimalServer(projectId(3)),
      minimalServer(projectId()),
    ]
    assert.deepEqual(await see(present), { created: 3, changed: 0, gone: 0 })
    const takeSnapshot = await createSnapshots(fleet.platform.database)
    const before = await takeSnapshot()
    const nothing = { created: 0, changed: 0, gone: 0 }
    assert.deepEqual(await see(present), nothing)
    assert.deepEqual(await see(present.toReversed()), nothing)
    assert.deepEqual(await see([]), nothing)
    assert.deepEqual(await see([], ['11111111-2222-4333-8444-555555555555']), nothing)
    assert.deepEqual(changedTables(before, await takeSnapshot()), [])
    const shown = await showServer(owner(), present[0]?.id ?? '')
    assert.equal(shown.update_version, 0)
  })

  test('a changed server gets a new version, and no other server does', async () => {
    const [one, other] = [minimalServer(projectId()), minimalServer(projectId())]
    await see([one, other])
    const [before, beside] = await Promise.all([
      showServer(owner(), one.id),
      showServer(owner(), other.id),
    ])
    const changed = { ...one, status: 'ready', vcpu_count: 4 }
    assert.deepEqual(await see([changed, other]), { created: 0, changed: 1, gone: 0 })
    const after = await showServer(owner(), one.id)
    assert.deepEqual([after.status, after.vcpu_count], ['ready', 4])
    assert.equal(after.update_version, before.update_version + 1)
    assert.ok((after.updated_at ?? '') > (before.updated_at ?? ''))
    assert.equal(after.created_at, before.created_at)
    assert.deepEqual(await showServer(owner(), other.id), beside)
    await see([one])
    assert.equal((await showServer(owner(), one.id)).update_version, 2)
  })

  test('a server keeps its version while fields cannot be read and stay the same', async () => {
    const server = minimalServer(projectId(), { nics: [nic('10.9.8.7')], tags: { env: 'same' } })
    await see([server])
    const before = await showServer(owner(), server.id)
    const { nics: _nics, ...rest } = server
    const unread: ServerFacts = { ...rest, unread: ['nics'] }
    const nothing = { created: 0, changed: 0, gone: 0 }
    for (const facts of [unread, server, unread]) {
      assert.deepEqual(await see([facts]), nothing)
      assert.deepEqual(await showServer(owner(), server.id), before)
    }
    // What can be read is recorded, and what changed meanwhile.
    for (const facts of [
      { ...unread, status: 'ready' },
      { ...server, status: 'ready', nics: [nic('10.9.8.6')] },
    ]) {
      assert.deepEqual(await see([facts]), { ...nothing, changed: 1 })
    }
    const after = await showServer(owner(), server.id)
    assert.deepEqual(
      [after.status, after.nics?.[0]?.ip_addr, after.update_version],
      ['ready', '10.9.8.6', before.update_version + 2],
    )
  })

  test('a missing server is deleted, and restored when it reappears', async () => {
    const server = minimalServer(projectId(), { name: 'returning', status: 'suspend' })
    await see([server])
    const total = async (query = '') =>
      (await listServers(owner(), `name=returning&${query}`)).total
    assert.deepEqual([await total(), await total('deleted=true')], [1, 0])
    assert.deepEqual(await see([], [server.id]), { created: 0, changed: 0, gone: 1 })
    assert.deepEqual([await total(), await total('deleted=true')], [0, 1])
    const gone = await showServer(owner(), server.id)
    assert.deepEqual([gone.deleted, gone.status, gone.update_version], [true, 'unknown', 1])
    assert.deepEqual(await see([], [server.id]), { created: 0, changed: 0, gone: 0 })
    assert.deepEqual(await showServer(owner(), server.id), gone)
    // The same data as before restores it.
    await see([server])
    assert.deepEqual([await total(), await total('deleted=true')], [1, 0])
    const back = await showServer(owner(), server.id)
    assert.deepEqual([back.deleted, back.deleted_at, back.update_version], [false, null, 2])
    assert.equal(await total('search=returning'), 1)
  })

  test('servers enter and leave the recycle bin', async () => {
    const server = minimalServer(projectId(), { name: 'binned', nics: [nic('10.9.9.9')] })
    await see([server])
    const found = async (query = '') => (await listServers(owner(), `ip=10.9.9.9&${query}`)).total
    await fleet.recycle([server.id], true)
    assert.deepEqual([await found(), await found('pending_delete=true')], [0, 1])
    await fleet.recycle([server.id], false)
    assert.deepEqual([await found(), await found('pending_delete=true')], [1, 0])
    assert.equal(await found('pending_delete=all'), 1)
  })

  test('a server that changes its project is visible there at once and no longer here', async () => {
    const there = await fleet.addCaller('project_owner', projectAt(fleet, 2))
    const { domainAdmin, auditor } = fleet.callers
    const server = minimalServer(projectId(), { name: 'moving', tags: { env: 'move' } })
    const seen = async () => {
      const query = 'name=moving'
      const told = await Promise.all([
        names(owner(), query),
        names(there, query),
        names(domainAdmin, `${query}&tags=env=move`),
        names(auditor, query),
      ])
      return told.map((text) => text !== '')
    }
    await see([server])
    assert.deepEqual(await seen(), [true, false, true, false])
    await see([{ ...server, project_id: projectId(2) }])
    assert.deepEqual(await seen(), [false, true, true, false])
    await owner().fail('ResourceNotFoundError', 'getServer', { path: { id: server.id } })
    assert.equal((await showServer(there, server.id)).project, 'archive')
    await see([{ ...server, project_id: projectId(3) }])
    assert.deepEqual(await seen(), [false, false, false, true])
    const { domain_id, project_domain } = await showServer(auditor, server.id)
    assert.deepEqual([domain_id, project_domain], [projectAt(fleet, 3).domainId, 'Trade'])
    await see([], [server.id])
    assert.equal(await names(there, 'deleted=true&name=moving'), '')
  })

  test('concurrent scans write each change once', async () => {
    const servers = Array.from({ length: 30 }, (_, at) => minimalServer(projectId(at % 5)))
    const before = await listServers(fleet.callers.admin, 'scope=system&limit=0')
    const results = await Promise.all([see(servers), see(servers.toReversed()), see(servers)])
    assert.equal(
      results.reduce((sum, { created }) => sum + created, 0),
      30,
    )
    const after = await listServers(fleet.callers.admin, 'scope=system&limit=0')
    assert.equal(after.total, before.total + 30)
    const turn = (status: string) => servers.map((server) => ({ ...server, status }))
    await Promise.all([see(turn('ready')), see(turn('suspend')), see(turn('ready'))])
    for (const { id } of servers) {
      const { status, update_version } = await showServer(fleet.callers.admin, id)
      assert.ok(['ready', 'suspend'].includes(status))
      assert.ok(update_version >= 1 && update_version <= 3, String(update_version))
    }
  })

  test('the last entry of a duplicate wins; a server both present and gone is present', async () => {
    const server = minimalServer(projectId(), { name: 'twice' })
    const again = { ...server, status: 'ready' }
    assert.deepEqual(await see([server, again], [server.id]), { created: 1, changed: 0, gone: 0 })
    const { status, deleted } = await showServer(owner(), server.id)
    assert.deepEqual([status, deleted], ['ready', false])
  })

  test('an unknown project rejects the whole scan', async () => {
    const good = minimalServer(projectId())
    await assert.rejects(see([good, minimalServer('nowhere')]), /project that does not exist/)
    await owner().fail('ResourceNotFoundError', 'getServer', { path: { id: good.id } })
  })

  async function rowsOf(...servers: readonly ServerFacts[]): Promise<boolean[]> {
    const { db } = fleet.platform.database
    const rows = await db.selectFrom('servers').select('id').execute()
    const ids = new Set(rows.map(({ id }) => id))
    return servers.map(({ id }) => ids.has(id))
  }

  test('a deleted server is purged after the retention time with all its data', async () => {
    const [old, young, live] = [
      minimalServer(projectId(), { nics: [nic('10.9.9.8')] }),
      minimalServer(projectId()),
      minimalServer(projectId()),
    ]
    await see([old, young, live])
    await see([], [old.id])
    await see([], [young.id])
    const { inventory, database } = fleet.platform
    const { deleted_at } = await showServer(owner(), young.id)
    await inventory.serverWriter.purgeDeleted(Date.parse(deleted_at ?? ''))
    assert.deepEqual(await rowsOf(old, young, live), [false, true, true])
    await owner().fail('ResourceNotFoundError', 'getServer', { path: { id: old.id } })
    const listed = await listServers(owner(), 'deleted=true&limit=100&field=id')
    assert.equal(
      listed.servers.some(({ id }) => id === old.id),
      false,
    )
    for (const table of ['server_documents', 'server_texts', 'server_tags', 'server_addresses']) {
      const orphans = await database.db
        .selectFrom(table as 'server_texts')
        .select('server')
        .where('server', 'not in', database.db.selectFrom('servers').select('seq'))
        .execute()
      assert.deepEqual(orphans, [], table)
    }
    // If it reappears, it is a new server.
    await see([old])
    assert.equal((await showServer(owner(), old.id)).update_version, 0)
  })

  test('the default retention time is thirty days', async () => {
    const server = minimalServer(projectId())
    await see([server])
    await see([], [server.id])
    const pass = (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) fleet.tick()
    }
    pass(30 * 86_400)
    await fleet.platform.inventory.purgeDeleted()
    assert.deepEqual(await rowsOf(server), [true])
    pass(1)
    await fleet.platform.inventory.purgeDeleted()
    assert.deepEqual(await rowsOf(server), [false])
  })
})

const nic = (ip_addr: string) => ({
  ip_addr,
  ip6_addr: '',
  mac: '',
  network_id: '',
  team_with: '',
  vpc_id: '',
  is_exit: false,
})
