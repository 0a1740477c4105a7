import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Server } from '@muster/contract'
import { walk } from '../../testing/inventory-world/check-against-model.ts'
import { onPostgresFirst } from '../../testing/lanes.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
  type InventoryCaller,
} from '../../testing/inventory-world/start-inventory-world.ts'
import { expectList } from '../../testing/inventory-world/server-model.ts'
import {
  everything,
  queryText,
  type ServerQuery,
} from '../../testing/inventory-world/server-query.ts'

const serverQuery = (changes: Partial<ServerQuery>): ServerQuery => ({
  ...everything,
  limit: 7,
  ...changes,
})

/** Sort orders of every kind: with and without an index, by names of owners, with nulls. */
const orders: Partial<ServerQuery>[] = [
  {},
  { order: 'asc' },
  { orderBy: ['name'] },
  { orderBy: ['name'], order: 'asc' },
  { orderBy: ['vcpu_count'], order: 'asc' },
  { orderBy: ['expired_at'] },
  { orderBy: ['expired_at'], order: 'asc' },
  { orderBy: ['updated_at'] },
  { orderBy: ['project'] },
  { orderBy: ['provider', 'is_gpu', 'name'], order: 'asc' },
  { orderBy: ['attach_time', 'id'] },
  { orderBy: ['description'], filters: [{ field: 'name', operator: 'isnotempty', values: [] }] },
  { state: 'both', orderBy: ['zone'] },
]

onPostgresFirst('pages of a list', (engine) => {
  let fleet: InventoryWorld
  /** The servers that a test changes; all others stay as they are. */
  let volatile: string[]
  before(async () => {
    fleet = await startInventoryWorld(engine, { seed: 5, servers: 100 })
    volatile = [
      ...fleet.world.servers().filter((_, at) => at % 3 === 0),
      // These are created later.
      ...Array.from({ length: 30 }, () => fleet.samples.facts()),
    ].map(({ id }) => id)
  })
  after(() => fleet.platform.close())

  const rowsOf = (caller: InventoryCaller, asked: ServerQuery) => {
    const expected = expectList(fleet.world.servers(), caller, { ...asked, limit: 2048 })
    return expected.status === 200 ? expected.all : assert.fail(queryText(asked))
  }
  const callers = () =>
    [
      [fleet.callers.owner, undefined],
      [fleet.callers.domainAdmin, undefined],
      [fleet.callers.admin, 'system'],
    ] as const

  test('by offset on unchanged data return the whole list', async () => {
    for (const [caller, scope] of callers()) {
      for (const order of orders) {
        const asked = serverQuery({ ...order, scope, limit: 17 })
        const rows = rowsOf(caller, asked)
        const found: Partial<Server>[] = []
        for (let offset = 0; offset <= rows.length; offset += 17) {
          const query = queryText({ ...asked, offset })
          const page = await caller.get<{ servers: Partial<Server>[] }>('listServers', { query })
          found.push(...page.servers)
        }
        assert.deepEqual(found, rows, queryText(asked))
      }
    }
  })

  /** Asserts that no unchanged server is repeated or left out. */
  function assertWhole(
    before: readonly Partial<Server>[],
    found: readonly Partial<Server>[],
    asked: ServerQuery,
  ): void {
    const stable = before.filter(({ id = '' }) => !volatile.includes(id)).map(({ id }) => id)
    const times = new Map<string | undefined, number>()
    for (const { id } of found) times.set(id, (times.get(id) ?? 0) + 1)
    for (const id of stable) assert.equal(times.get(id), 1, `${id} in ${queryText(asked)}`)
  }

  let turn = 0
  /** Creates, deletes, changes and restores some servers. */
  async function stir(): Promise<void> {
    turn += 1
    const of = (step: number) => volatile[(turn * 5 + step) % volatile.length] ?? ''
    await fleet.record([fleet.samples.facts(of(0)), fleet.samples.facts(of(1))], [of(2)])
  }

  test('by marker with changes between pages return every remaining server once', async () => {
    for (const [at, order] of orders.entries()) {
      for (const [caller, scope] of callers().filter((_, place) => place !== at % 3)) {
        const asked = serverQuery({ ...order, scope })
        const rows = rowsOf(caller, asked)
        const { servers } = await walk(caller, asked, stir)
        assertWhole(rows, servers, asked)
      }
    }
  })

  test('by marker under constant changes return every remaining server once', async () => {
    const [first, second] = [fleet.callers.domainAdmin, fleet.callers.admin]
    for (const orderBy of [['name'], ['updated_at'], ['zone', 'name']]) {
      const asked = serverQuery({ orderBy, limit: 3 })
      const wide = serverQuery({ orderBy, scope: 'system', limit: 5 })
      const [rows, wideRows] = [rowsOf(first, asked), rowsOf(second, wide)]
      const over = new AbortController()
      const stirring = (async () => {
        while (!over.signal.aborted) await stir()
      })()
      const walks = await Promise.all([walk(first, asked), walk(second, wide)]).finally(() =>
        over.abort(),
      )
      await stirring
      assertWhole(rows, walks[0].servers, asked)
      assertWhole(wideRows, walks[1].servers, wide)
    }
  })
})
