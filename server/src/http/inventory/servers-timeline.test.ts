import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { maxTimelineDays, type ServerTimeline } from '@muster/contract'
import { dayOf } from '../../domain/inventory/draw-timeline.ts'
import { createTimelineStore } from '../../storage/servers/timeline.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer } from '../../testing/inventory-world/minimal-server.ts'
import { projectAt } from '../../testing/inventory-world/server-responses.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
  type InventoryCaller,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { startPlatform } from '../../testing/start-platform.ts'

const aDay = 86_400_000
const today = dayOf(Date.now())
/** At noon, so that the day does not change during the test. */
const timeAgo = (days: number) =>
  `${new Date((today - days) * aDay + aDay / 2).toISOString().slice(0, -1)}000Z`

onEngineOfLane('the server timeline', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { servers: 0 })
  })
  after(() => fleet.platform.close())

  const read = async (caller: InventoryCaller, query: string) =>
    (await caller.get<ServerTimeline>('getServerTimeline', { query })).timeline
  const draw = async (caller: InventoryCaller, query: string) =>
    (await read(caller, query))
      .map(({ count, estimated }) => `${count}${estimated ? '?' : ''}`)
      .join(' ')
  const madeAgo = (project: number, days: number, facts: object = {}) =>
    minimalServer(projectAt(fleet, project).id, { created_at: timeAgo(days), ...facts })

  test('is estimated before the first count, and only over visible servers', async () => {
    const { owner, viewer, domainAdmin, auditor, admin } = fleet.callers
    assert.equal(await draw(admin, 'scope=system&days=3'), '0? 0? 0')
    await fleet.record([
      madeAgo(0, 500, { vcpu_count: 4, vmem_size: 2048 }),
      madeAgo(0, 1, { vcpu_count: 2, vmem_size: 512 }),
      madeAgo(1, 2),
      madeAgo(3, 0),
      madeAgo(0, 2, { pending_deleted: true }),
    ])
    assert.equal(await draw(owner, 'days=4'), '1? 1? 2? 2')
    assert.equal(await draw(viewer, 'days=4'), '1? 1? 2? 2')
    assert.equal(await draw(domainAdmin, 'days=4'), '1? 2? 3? 3')
    assert.equal(await draw(auditor, 'days=4'), '0? 0? 0? 1')
    assert.equal(await draw(admin, 'days=2'), '0? 0')
    assert.equal(await draw(admin, 'days=4&scope=system'), '1? 2? 3? 4')

    const points = await read(owner, '')
    assert.equal(points.length, 90)
    assert.equal(points.at(-1)?.date, new Date().toISOString().slice(0, 10))
    const { date: _date, ...rest } = points.at(-3) ?? {}
    assert.deepEqual(rest, { count: 1, vcpu_count: 4, vmem_size: 2048, disk: 0, estimated: true })
  })

  test('a project or domain filter narrows and never widens', async () => {
    const { owner, domainAdmin, admin } = fleet.callers
    const [first, second, fourth] = [0, 1, 3].map((at) => projectAt(fleet, at))
    const both = `project_id=${first?.id}&project_id=${second?.id}`
    assert.equal(await draw(domainAdmin, `days=2&project_id=${second?.id}`), '1? 1')
    assert.equal(await draw(domainAdmin, `days=2&${both}`), '3? 3')
    assert.equal(await draw(domainAdmin, `days=2&project_id=${fourth?.id}`), '0? 0')
    assert.equal(await draw(owner, `days=2&${both}`), '2? 2')
    assert.equal(await draw(owner, `days=2&project_id=never`), '0? 0')
    assert.equal(await draw(admin, `days=2&scope=system&domain_id=${first?.domainId}`), '3? 3')
    assert.equal(await draw(admin, `days=2&domain_id=${first?.domainId}`), '0? 0')
    await owner.fail('ForbiddenError', 'getServerTimeline', { query: 'scope=system' })
    await owner.fail('ForbiddenError', 'getServerTimeline', { query: 'scope=domain' })
    for (const query of ['days=0', `days=${maxTimelineDays + 1}`, 'days=x', 'status=running']) {
      await owner.fail('InputParameterError', 'getServerTimeline', { query })
    }
  })

  test('has the stored counts from the first count on, and a live count for today', async () => {
    const { owner, admin } = fleet.callers
    const timeline = createTimelineStore(fleet.platform.database)
    await timeline.count(today - 3)
    await fleet.record([madeAgo(0, 300)])
    await timeline.count(today - 1)
    await timeline.count(today - 1)
    await fleet.record([madeAgo(0, 300), madeAgo(1, 300)])
    // Created long ago but missing from the count; the day before the first count is estimated.
    assert.equal(await draw(owner, 'days=5'), '3? 2 2? 3 4')
    assert.equal(await draw(admin, 'days=3&scope=system'), '4? 5 7')
    await fleet.platform.inventory.countToday()
    assert.equal(await draw(owner, 'days=2'), '3 4')
    // A project whose servers are all deleted is counted as 0.
    const gone = await fleet.callers.owner.get<{ servers: { id: string }[] }>('listServers')
    await fleet.record(
      [],
      gone.servers.map(({ id }) => id),
    )
    assert.equal(await draw(owner, 'days=2'), '3 0')
  })

  test('is stored for the configured number of days', async () => {
    const timeline = createTimelineStore(fleet.platform.database)
    await timeline.count(today - maxTimelineDays)
    await timeline.count(today - maxTimelineDays - 1)
    await fleet.platform.inventory.countToday()
    const { db } = fleet.platform.database
    const { first } = await db
      .selectFrom('fleet_days')
      .select((eb) => eb.fn.min('day').as('first'))
      .executeTakeFirstOrThrow()
    assert.equal(first, today - maxTimelineDays)
  })

  test('is found although a server is named "timeline"', async () => {
    const { owner } = fleet.callers
    await fleet.record([madeAgo(0, 1, { name: 'timeline' })])
    assert.equal((await read(owner, 'days=7')).length, 7)
  })
})

test('a process counts the servers before it stops', async () => {
  const platform = await startPlatform({ engine: 'postgres' })
  try {
    const { id } = await platform.database.db
      .selectFrom('projects')
      .select('id')
      .executeTakeFirstOrThrow()
    await platform.inventory.recordServers({ present: [minimalServer(id)], gone: [] })
    const other = await startPlatform({ engine: 'postgres', beside: platform })
    await other.close()
    const rows = await platform.database.db.selectFrom('fleet_days').selectAll().execute()
    assert.deepEqual(
      rows.map(({ day, servers }) => [day, servers]),
      [[today, 1]],
    )
  } finally {
    await platform.close()
  }
})
