import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { operations, type Operation, type ServerListQuery } from '@muster/contract'
import fc from 'fast-check'
import type { ScopeOrNone } from '../../../domain/scope.ts'
import { createCacheMemory } from '../../../domain/cache.ts'
import { createOwners } from '../../../domain/inventory/owners.ts'
import {
  background,
  type FoundPage,
  type PageQuery,
  type ServerFinder,
} from '../../../domain/inventory/ports.ts'
import { readServerQuery } from '../../../domain/inventory/server-list/read-server-query.ts'
import { createQueryReader } from '../../../http/query.ts'
import { onBothEngines } from '../../../testing/engines.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../../testing/inventory-world/start-inventory-world.ts'
import { createServerQueries } from '../../../testing/inventory-world/random-server-queries.ts'
import { queryText } from '../../../testing/inventory-world/server-query.ts'
import type { Database } from '../../database.ts'
import { createOwnerDirectory } from '../../owners.ts'
import { createServerFinder } from './server-finder.ts'

const runs = 150
/** With the second, many queries match few servers that no single index lookup finds. */
const lowLimits = [
  { fewServers: 2, mostLookups: 9 },
  { fewServers: 25, mostLookups: 0 },
]

const listServers = operations.find(({ id }) => id === 'listServers') as Operation
const readQuery = createQueryReader(listServers)

onBothEngines('the index lookup of a query', (engine) => {
  let fleet: InventoryWorld
  let usual: ServerFinder
  let others: readonly ServerFinder[]
  before(async () => {
    fleet = await startInventoryWorld(engine, { seed: 7, servers: 120 })
    const { database } = fleet.platform
    const memory = createCacheMemory(2 ** 24)
    const owners = createOwners(
      createOwnerDirectory(database),
      { current: database.currentVersion },
      memory,
    )
    usual = createServerFinder(database, owners, createCacheMemory(2 ** 24))
    // Low thresholds: every query takes the index lookup that it would take for a million servers.
    others = lowLimits.map((limits) =>
      createServerFinder(database, owners, createCacheMemory(2 ** 24), limits),
    )
  })
  after(() => fleet.platform.close())

  const scopes = (): ScopeOrNone[] => {
    const [{ id: projectId, domainId }] = fleet.projects as [InventoryWorld['projects'][number]]
    return [
      { kind: 'system' },
      { kind: 'domain', domainId },
      { kind: 'project', projectId, domainId },
    ]
  }

  const found = ({ total, found: rows, hasMore }: FoundPage) => ({
    total,
    hasMore,
    seqs: rows.map(({ seq }) => seq),
  })

  /** All pages from this one on, each begun where the last one ended. */
  async function walk(finder: ServerFinder, pageQuery: PageQuery) {
    const pages = []
    let asked = pageQuery
    for (;;) {
      const page = await finder.find(asked)
      pages.push(found(page))
      const last = page.found.at(-1)
      const position = last && page.hasMore && (await finder.position(last, asked.order))
      if (!position || pages.length > 60) return pages
      asked = { ...pageQuery, offset: 0, after: position }
    }
  }

  /** PostgreSQL needs no help to be stopped. */
  const stoppable = engine === 'sqlite' ? test : () => {}
  void stoppable('can be stopped wherever it scans servers', async () => {
    const { database } = fleet.platform
    const asked: string[] = []
    const run: Database['run'] = (queries, pace) => {
      if (pace !== 'quick') asked.push(...queries.map(({ sql }) => sql))
      return database.run(queries, pace)
    }
    const memory = createCacheMemory(2 ** 24)
    const owners = createOwners(
      createOwnerDirectory(database),
      { current: database.currentVersion },
      memory,
    )
    const servers = fleet.world.servers()
    const { serverQuery } = createServerQueries(servers)
    for (const limits of [undefined, ...lowLimits]) {
      const finder = createServerFinder({ ...database, run }, owners, memory, limits)
      for (const each of fc.sample(serverQuery, { numRuns: 60, seed: 5 })) {
        const url = `/servers?${queryText(each)}`
        const query = readServerQuery(readQuery(url) as ServerListQuery)
        const pageQuery = { ...query, requester: background, scope: { kind: 'system' as const } }
        await finder.find({ ...pageQuery, after: undefined })
        await finder.count({ ...pageQuery, groups: [{ name: 'zone', field: 'zone' }] })
      }
      for (const scope of scopes()) {
        for (const offset of [0, 1_000_000]) {
          const tags = { origins: ['own', 'source'] as const, isKeyOnly: false, limit: 9, offset }
          await finder.countTags({ ...tags, scope, requester: background })
        }
      }
    }
    // What is counted up to a limit ends by itself.
    const unbounded = asked.filter(
      (sql) => /from (servers|server_tags where state)\b/.test(sql) && !sql.endsWith('as probed'),
    )
    assert.ok(unbounded.length > 100)
    for (const sql of unbounded) assert.match(sql, /check_stop\(\)/)
  })

  test('does not change its result, on any page', async () => {
    const servers = fleet.world.servers()
    const { serverQuery } = createServerQueries(servers)
    await fc.assert(
      fc.asyncProperty(serverQuery, fc.nat(2), async (asked, place) => {
        const text = queryText(asked)
        const query = readServerQuery(readQuery(`/servers?${text}`) as ServerListQuery)
        const { state, where, order, offset } = query
        const limit = Math.max(query.limit, 7)
        const scope = scopes()[place] ?? { kind: 'system' }
        const requester = background
        const pageQuery = { requester, scope, state, where, order, limit, offset, after: undefined }
        const grouped = { ...pageQuery, groups: [{ name: 'zone', field: 'zone' as const }] }
        const pages = await walk(usual, pageQuery)
        const counts = await usual.count(grouped)
        for (const other of others) {
          assert.deepEqual(await walk(other, pageQuery), pages, text)
          assert.deepEqual(await other.count(grouped), counts, text)
        }
      }),
      { numRuns: runs },
    )
  })

  /** No index lookup leads to few servers, the stored counts tell that few match both filters. */
  test('is the same for two filters, each with many matches', async () => {
    const servers = fleet.world.servers()
    const fields = ['status', 'os_type', 'provider', 'zone'] as const
    const pairs = fields.flatMap((a, at) => fields.slice(at + 1).map((b) => [a, b] as const))
    let cells = 0
    for (const [a, b] of pairs) {
      for (const order of ['order_by=name', 'order_by=created_at', 'order_by=zone&order_by=name']) {
        for (const offset of [0, 1, 3, 8]) {
          const server = servers[(cells * 7) % servers.length]
          cells += 1
          const text = `${a}=${server?.[a]}&${b}=${server?.[b]}&${order}&limit=2&offset=${offset}`
          const query = readServerQuery(readQuery(`/servers?${text}`) as ServerListQuery)
          for (const scope of scopes()) {
            const pageQuery = { ...query, requester: background, scope, after: undefined }
            const pages = await walk(usual, pageQuery)
            for (const other of others) {
              assert.deepEqual(await walk(other, pageQuery), pages, `${text} ${scope.kind}`)
            }
          }
        }
      }
    }
  })
})
