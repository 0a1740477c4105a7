import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { InventoryObject } from '../../domain/inventory/kinds.ts'
import { renderingVersion } from '../../domain/inventory/render-server.ts'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { createAdminClient } from '../../testing/contract-client.ts'
import { onEngineOfLane } from '../../testing/lanes.ts'
import { minimalServer, withDisk } from '../../testing/inventory-world/minimal-server.ts'
import { createNumbers } from '../../testing/inventory-world/server-samples.ts'
import { createIdentityWorld } from '../../testing/identity-world/create-identity-world.ts'
import { startPlatform, type TestPlatform } from '../../testing/start-platform.ts'

const draw = createNumbers(28)

onEngineOfLane('the disks of servers', (engine) => {
  let platform: TestPlatform
  let admin: Awaited<ReturnType<typeof createAdminClient>>
  let projectId: string
  before(async () => {
    platform = await startPlatform({ engine })
    admin = await createAdminClient(platform)
    projectId = await createIdentityWorld(platform.database).addProject('home')
  })
  after(() => platform.close())

  const list = async () => {
    const query = 'details=true&limit=2048&order_by=id&order=asc'
    return (await admin.get<{ disks: readonly InventoryObject<'disks'>[] }>('listDisks', { query }))
      .disks
  }

  const randomDisks = () =>
    Array.from({ length: draw(3) }, () => draw(3))
      // A source may name a disk twice.
      .flatMap(
        (number) => withDisk({ id: `disk-${number}`, size: draw(1) * 1024 }).disks_info ?? [],
      )

  test('and images with names that no index takes do not stop a sync', async () => {
    // Random, because PostgreSQL compresses what repeats.
    const long = randomBytes(3_000).toString('base64')
    const [disk, longId] = [{ id: 'd', name: long }, { id: long }].map(
      (each) => withDisk(each).disks_info?.[0],
    )
    const facts = {
      ...minimalServer(projectId),
      image: long,
      image_id: 'image-1',
      flavor_uuid: long,
      disks_info: [disk, longId].filter((each) => each !== undefined),
    }
    await platform.inventory.recordServers({ present: [facts], gone: [] })
    assert.deepEqual(
      (await list()).map(({ id, name }) => [id, name]),
      [['d', long.slice(0, 512)]],
    )
    const { images } = await admin.get<{ images: readonly { name: string }[] }>('listImages')
    assert.deepEqual(
      images.map(({ name }) => name),
      [long.slice(0, 512)],
    )
    await platform.inventory.recordServers({ present: [], gone: [facts.id] })
  })

  test('have the time that the source gives, and otherwise that of the first sight', async () => {
    const server = minimalServer(projectId)
    const record = async (times: Readonly<Record<string, string | null>>) => {
      const disks_info = Object.entries(times).flatMap(([id, created_at]) =>
        (withDisk({ id, size: draw(9_999) }).disks_info ?? []).map((disk) => ({
          ...disk,
          created_at,
        })),
      )
      await platform.inventory.recordServers({ present: [{ ...server, disks_info }], gone: [] })
      return new Map((await list()).map(({ id, created_at }) => [id, created_at]))
    }
    const [first, second] = ['2024-02-01T00:00:00.000000Z', '2024-03-01T00:00:00.000000Z'] as const
    const before = await record({ a: null, b: first, c: null })
    assert.ok((before.get('a') ?? '') > second)
    assert.equal(before.get('b'), first)
    const later = await record({ a: null, b: second, c: first })
    assert.deepEqual([...later.values()], [before.get('a'), second, first])
    await platform.inventory.recordServers({ present: [], gone: [server.id] })
  })

  for (const created_at of [
    '0001-01-01T00:00:00.000000Z',
    '1969-12-31T23:59:59.999999Z',
    '9999-12-31T23:59:59.999999Z',
  ]) {
    test(`and their server are listed if they were created at ${created_at}`, async () => {
      const disks_info = (withDisk({ id: 'far' }).disks_info ?? []).map((disk) => ({
        ...disk,
        created_at,
      }))
      const facts = { ...minimalServer(projectId), created_at }
      await platform.inventory.recordServers({ present: [facts], gone: [] })
      for (const order of ['asc', 'desc']) {
        const { servers } = await admin.get<{ servers: readonly { created_at: string }[] }>(
          'listServers',
          { query: `scope=system&details=true&order_by=created_at&order=${order}` },
        )
        assert.deepEqual(
          servers.map((server) => server.created_at),
          [created_at],
        )
      }
      await platform.inventory.recordServers({ present: [{ ...facts, disks_info }], gone: [] })
      const [disk] = await list()
      assert.match(disk?.created_at ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      await platform.inventory.recordServers({ present: [], gone: [facts.id] })
    })
  }

  test('follow 100 random changes of three servers', async () => {
    const { recordServers } = platform.inventory
    const servers = new Map<string, ServerFacts>()
    const known = Array.from({ length: 3 }, () => minimalServer(projectId))
    const firstSeen = new Map<string, string>()
    for (let step = 0; step < 100; step += 1) {
      const server = known[draw(2)] as ServerFacts
      if (draw(4) === 0) {
        servers.delete(server.id)
        await recordServers({ present: [], gone: [server.id] })
      } else {
        const facts = {
          ...server,
          name: `name ${draw(5)}`,
          pending_deleted: draw(3) === 0,
          disks_info: randomDisks(),
        }
        servers.set(server.id, facts)
        await recordServers({ present: [facts], gone: [] })
      }
      const expected = [...servers.values()].flatMap(({ id, name, disks_info = [] }) =>
        [...new Map(disks_info.map((disk) => [disk.id, disk])).values()].map((disk) =>
          [disk.id, id, name, disk.size].join(),
        ),
      )
      const shown = await list()
      assert.deepEqual(
        shown
          .map(({ id, guest_id, guest, disk_size }) => [id, guest_id, guest, disk_size].join())
          .toSorted(),
        expected.toSorted(),
        `step ${step}`,
      )
      const seen = new Map(
        shown.map(({ id, guest_id, created_at }) => [`${guest_id} ${id}`, created_at]),
      )
      for (const [key, time] of seen) {
        assert.equal(time, firstSeen.get(key) ?? time, `first seen: ${key}`)
        firstSeen.set(key, time ?? '')
      }
      for (const key of firstSeen.keys()) if (!seen.has(key)) firstSeen.delete(key)
    }
    await recordServers({ present: [], gone: known.map(({ id }) => id) })
    assert.deepEqual(await list(), [])
  })

  test('are stored when the servers of an earlier version are written again', async () => {
    const server = { ...minimalServer(projectId), ...withDisk({ id: 'earlier' }) }
    await platform.inventory.recordServers({ present: [server], gone: [] })
    const { db, commit } = platform.database
    await commit([
      db.deleteFrom('disks').compile(),
      db.updateTable('server_documents').set({ rendering: 'earlier' }).compile(),
      db.updateTable('server_rendering').set({ version: 'earlier' }).compile(),
    ])
    assert.deepEqual(await list(), [])
    await platform.inventory.rewriteServers(new AbortController().signal, () => {})
    assert.deepEqual(
      (await list()).map(({ id }) => id),
      ['earlier'],
    )
    const { version } = await db
      .selectFrom('server_rendering')
      .select('version')
      .executeTakeFirstOrThrow()
    assert.equal(version, renderingVersion)
  })
})
