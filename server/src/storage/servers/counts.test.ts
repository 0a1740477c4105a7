import { eventually } from '../../testing/eventually.ts'
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from 'kysely'
import type { ServerFacts } from '../../domain/inventory/server-facts.ts'
import { onBothEngines } from '../../testing/engines.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { startPlatform } from '../../testing/start-platform.ts'
import { combinedColumns, facets, type Facet } from './counts.ts'
import { ensureServerCounts } from './ensure-counts.ts'

onBothEngines('the counts of servers', (engine) => {
  let fleet: InventoryWorld
  before(async () => {
    fleet = await startInventoryWorld(engine, { seed: 3, servers: 60 })
  })
  after(() => fleet.platform.close())

  type Line = readonly (string | number)[]
  const sorted = (lines: readonly Line[]) => lines.map((line) => line.join(' | ')).sort()

  /** The stored counts: a line for each value of the servers in use. */
  async function kept(): Promise<string[]> {
    const rows = await fleet.platform.database.db
      .selectFrom('server_counts')
      .leftJoin('words as values', 'values.code', 'server_counts.value')
      .leftJoin('words as projects', 'projects.code', 'server_counts.project_id')
      .select([
        'facet',
        'projects.word as project',
        'values.word as value',
        ...(['servers', 'vcpu_count', 'vmem_size', 'disk'] as const),
      ])
      .execute()
    for (const row of rows) assert.ok(row.servers >= 0, JSON.stringify(row))
    const empty = rows.filter(({ servers }) => servers === 0)
    for (const row of empty) {
      assert.deepEqual([row.vcpu_count, row.vmem_size, row.disk].map(Number), [0, 0, 0])
    }
    return sorted(
      rows
        .filter(({ servers }) => servers > 0)
        .map(({ facet, project, value, ...sums }) => {
          const { servers, vcpu_count, vmem_size, disk } = sums
          const numbers = [servers, vcpu_count, vmem_size, disk].map(Number)
          return [facet, String(project), String(value), ...numbers]
        }),
    )
  }

  /** The same, counted anew from the model of the fleet. */
  function recount(): string[] {
    const inUse = fleet.world
      .servers()
      .filter(({ deleted, pending_deleted }) => !deleted && !pending_deleted)
    const linesOf = (facet: Facet): Line[] => {
      const groups = Map.groupBy(inUse, (server) => `${server.project_id}\n${server[facet]}`)
      return [...groups.values()].map((servers) => {
        const add = (key: 'vcpu_count' | 'vmem_size' | 'disk') =>
          servers.reduce((sum, server) => sum + server[key], 0)
        const [first] = servers
        return [
          facet,
          first?.project_id ?? '',
          first?.[facet] ?? '',
          servers.length,
          add('vcpu_count'),
          add('vmem_size'),
          add('disk'),
        ]
      })
    }
    return sorted(facets.flatMap(linesOf))
  }

  /** The counts of combinations, with words instead of codes. */
  async function keptCombinations(): Promise<string[]> {
    const { db } = fleet.platform.database
    const cells = combinedColumns.map((column) =>
      column === 'status'
        ? sql.ref(column)
        : sql`(select word from words where code = ${sql.ref(column)}) as ${sql.ref(column)}`,
    )
    const { rows } = await sql<
      Record<string, string>
    >`select ${sql.join(cells)}, servers, vcpu_count, vmem_size, disk from server_combinations`.execute(
      db,
    )
    const empty = rows.filter((row) => Number(row['servers']) === 0)
    for (const row of empty) {
      const sums = ['vcpu_count', 'vmem_size', 'disk'].map((name) => Number(row[name]))
      assert.deepEqual(sums, [0, 0, 0])
    }
    return sorted(rows.filter((row) => !empty.includes(row)).map((row) => Object.values(row)))
  }

  function recountCombinations(): string[] {
    const inUse = fleet.world
      .servers()
      .filter(({ deleted, pending_deleted }) => !deleted && !pending_deleted)
    const groups = Map.groupBy(inUse, (server) =>
      combinedColumns.map((column) => server[column]).join(' | '),
    )
    return sorted(
      [...groups].map(([key, servers]) => {
        const add = (name: 'vcpu_count' | 'vmem_size' | 'disk') =>
          servers.reduce((sum, server) => sum + server[name], 0)
        return [key, servers.length, add('vcpu_count'), add('vmem_size'), add('disk')]
      }),
    )
  }

  async function agree(): Promise<void> {
    assert.deepEqual(await kept(), recount())
    assert.deepEqual(await keptCombinations(), recountCombinations())
  }
  const some = (count: number): ServerFacts[] => {
    const ids = fleet.world
      .servers()
      .slice(0, count)
      .map(({ id }) => id)
    return ids.map((id) => fleet.samples.facts(id))
  }

  test('match the servers that were written', () => agree())

  test('stay right when every field of servers changes, including the project', async () => {
    for (let round = 0; round < 3; round += 1) {
      await fleet.record(some(25))
      await agree()
    }
  })

  test('stay right when servers are deleted and restored', async () => {
    const gone = fleet.world
      .servers()
      .slice(10, 30)
      .map(({ id }) => id)
    await fleet.record([], gone)
    await agree()
    await fleet.record([], gone)
    await agree()
    await fleet.record(gone.map((id) => fleet.samples.facts(id)))
    await agree()
  })

  test('stay right when servers enter and leave the recycle bin', async () => {
    const ids = some(20).map(({ id }) => id)
    await fleet.record(ids.map((id) => ({ ...fleet.samples.facts(id), status: 'ready' })))
    await fleet.recycle(ids, true)
    await agree()
    // A scan leaves stopped servers in the bin, and takes out those that run.
    for (const status of ['ready', 'running']) {
      await fleet.record(ids.map((id) => ({ ...fleet.samples.facts(id), status })))
      await agree()
    }
    await fleet.recycle(ids, true)
    await fleet.recycle(ids, false)
    await agree()
  })

  test('stay right when a scan reports the same again, and when a tag changes', async () => {
    const servers = some(10).map((facts) => ({ ...facts, pending_deleted: false }))
    await fleet.record(servers)
    const before = await kept()
    await fleet.platform.inventory.recordServers({ present: servers, gone: [] })
    assert.deepEqual(await kept(), before)
    await fleet.callers.admin.get('mergeServerMetadata', {
      path: { id: servers[0]?.id ?? '' },
      body: { metadata: { env: 'counted' } },
    })
    assert.deepEqual(await kept(), before)
  })

  test('stay right when several writers run at once', async () => {
    const ids = fleet.world.servers().map(({ id }) => id)
    const scans = [0, 1, 2, 3].map((part) =>
      ids.filter((_, at) => at % 4 === part).map((id) => fleet.samples.facts(id)),
    )
    await Promise.all(scans.map((present) => fleet.record(present)))
    await agree()
    // Two concurrent writes of the same servers. One of them is last.
    const [first = []] = scans
    // Of a server that runs only in one of them, the order would decide whether it leaves the bin.
    const other = first.map(({ id, status }) => ({ ...fleet.samples.facts(id), status }))
    const { recordServers } = fleet.platform.inventory
    await Promise.all([
      recordServers({ present: first, gone: [] }),
      recordServers({ present: other, gone: [] }),
    ])
    await fleet.record(first)
    await agree()
  })

  test('do not include purged servers', async () => {
    const gone = fleet.world
      .servers()
      .slice(0, 15)
      .map(({ id }) => id)
    await fleet.record([], gone)
    const before = await kept()
    await fleet.platform.inventory.serverWriter.purgeDeleted(fleet.tick())
    fleet.world.purge()
    assert.deepEqual(await kept(), before)
    const left = await fleet.platform.database.db.selectFrom('servers').select('id').execute()
    assert.equal(
      left.some(({ id }) => gone.includes(id)),
      false,
    )
    await agree()
  })

  test('of a field that becomes counted include the stored servers, and others are deleted', async () => {
    const { database } = fleet.platform
    const commit = (statement: string) => database.commit([sql.raw(statement).compile(database.db)])
    await commit(`delete from server_counts where facet in ('status', 'brand')`)
    await commit(`update server_counts set facet = 'machine' where facet = 'zone'`)
    await commit('delete from server_combinations')
    // Processes that start together.
    await Promise.all([ensureServerCounts(database), ensureServerCounts(database)])
    await agree()
    await fleet.record(some(25))
    await agree()
  })

  // Two processes do not write the same SQLite database.
  if (engine === 'postgres') {
    test('of a field that becomes counted are made when Muster starts', async () => {
      const { database } = fleet.platform
      await database.commit([
        sql`delete from server_counts where facet = 'brand'`.compile(database.db),
      ])
      const started = await startPlatform({ engine, beside: fleet.platform })
      await started.close()
      await agree()
    })

    test('of a field that becomes counted include a commit that another process has begun', async () => {
      const { database } = fleet.platform
      const { db } = database
      const forget = () =>
        database.commit([sql`delete from server_counts where facet = 'brand'`.compile(db)])
      const changeState = (from: number, to: number) =>
        sql`update servers set state = ${to} where state = ${from}`
      const isWaiting = async () => {
        const { rows } =
          await sql`select 1 from pg_locks where not granted and relation = 'servers'::regclass`.execute(
            db,
          )
        return rows.length > 0
      }
      await forget()
      const { counting } = await db.transaction().execute(async (transaction) => {
        await changeState(0, 3).execute(transaction)
        const started = ensureServerCounts(database)
        await eventually('it waits for the lock', isWaiting)
        return { counting: started }
      })
      await counting
      assert.equal(
        (await kept()).some((line) => line.startsWith('brand')),
        false,
      )
      await changeState(3, 0).execute(db)
      await ensureServerCounts(database)
      await agree()
    })
  }
})
