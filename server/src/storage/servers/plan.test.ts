import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { ScopeOrNone } from '../../domain/scope.ts'
import { allOf } from '../../domain/inventory/conditions.ts'
import { createOwners } from '../../domain/inventory/owners.ts'
import { parseQ } from '../../domain/inventory/parse-q.ts'
import { background, type ServerFinder } from '../../domain/inventory/ports.ts'
import { onBothEngines } from '../../testing/engines.ts'
import { repeatedSteps } from '../../testing/inventory-world/query-plans.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../testing/inventory-world/start-inventory-world.ts'
import type { Database, Query } from '../database.ts'
import { createOwnerDirectory } from '../owners.ts'
import { createServerFinder } from './finder.ts'
import { defaultLimits } from './plan.ts'

/** One filter of each kind, common ones above all: what is rare leads to few servers anyway. */
const filters = [
  'status:running',
  '-status:ready',
  'provider:Aws',
  'project:genome',
  'region:"Zone A"',
  'os:Linux',
  'tag:env=prod',
  'tag:env',
  '-tag:env=prod',
  'tag:env=prod,test',
  'web',
  '-web',
  'we',
  '-we',
  'ip:10.0.0.0/8',
  '-ip:10.0.0.0/8',
  'vcpu>=1',
  'disk_count>=1',
  'created>2000-01-01',
  'expired<2030-01-01',
  'gpu:false',
  'name:web',
]
const orders = ['created_at', 'name', 'status', 'os_name', 'expired_at'] as const
const copies = 50
const runs = 60

/** As many servers as it takes for PostgreSQL to care how it finds them. */
async function multiply({ db, commit, engine, maintain }: Database): Promise<void> {
  const tables = await db.introspection.getTables()
  const numbers = Array.from({ length: copies }, (_, at) => `(${at + 1})`).join()
  for (const name of ['servers', 'server_tags', 'server_addresses', 'server_texts']) {
    const columns = (tables.find((table) => table.name === name)?.columns ?? []).map(
      (column) => `"${column.name}"`,
    )
    const values = columns.map((column) => {
      if (column === '"seq"' || column === '"server"') return `${column} + 100000 * copy`
      return column === '"id"' ? `"id" || '-' || copy` : column
    })
    const copied = `with copies (copy) as (values ${numbers}) insert into ${name} (${columns.join()}) select ${values.join()} from ${name}, copies`
    await commit([{ sql: copied, parameters: [] }])
  }
  if (engine === 'postgres') await maintain(['analyze'])
}

onBothEngines('the plan of a query', (engine) => {
  let fleet: InventoryWorld
  let finder: ServerFinder
  /** Finds more than it remembers. */
  let walker: ServerFinder
  let asked: Query[] = []
  before(async () => {
    fleet = await startInventoryWorld(engine, { seed: 11, servers: 60 })
    const { database } = fleet.platform
    await multiply(database)
    const owners = createOwners(createOwnerDirectory(database), {
      current: database.currentVersion,
    })
    const recording: Database = {
      ...database,
      run: (queries, ...rest) => {
        asked.push(...queries)
        return database.run(queries, ...rest)
      },
    }
    finder = createServerFinder(recording, owners)
    walker = createServerFinder(recording, owners, { ...defaultLimits, mostFound: 10 })
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

  async function findScans(): Promise<string[]> {
    const { database } = fleet.platform
    const steps = await Promise.all(asked.map((query) => repeatedSteps(database, query)))
    return steps.flat().flatMap(({ isLookup, text }) => (isLookup ? [] : [text]))
  }

  test('repeats no scan per row, whatever filters are combined', async () => {
    const several = fc.uniqueArray(fc.constantFrom(...filters), { minLength: 2, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(
        several,
        fc.constantFrom(...orders),
        fc.boolean(),
        fc.nat(2),
        async (terms, field, descending, place) => {
          asked = []
          const query = {
            requester: background,
            scope: scopes()[place] ?? { kind: 'system' },
            view: 'live' as const,
            where: allOf(parseQ(terms.join(' '))),
            isAnew: true,
          }
          const page = { order: [{ field, descending }], limit: 20, offset: 0, after: undefined }
          await finder.find({ ...query, ...page })
          await finder.count({
            ...query,
            groups: [
              { name: 'zone', field: 'zone' },
              { name: 'metadata.env', metadataKey: 'env' },
            ],
          })
          assert.notEqual(asked.length, 0)
          assert.deepEqual(await findScans(), [], terms.join(' '))
        },
      ),
      { numRuns: runs },
    )
  })

  test('reads a page of a negated filter in index order, without sorting', async () => {
    const { database } = fleet.platform
    const explain = engine === 'postgres' ? 'explain' : 'explain query plan'
    for (const q of ['-tag:env=nowhere', '-nowhere', '-ip:192.0.2.0/24']) {
      asked = []
      await walker.find({
        requester: background,
        scope: { kind: 'system' },
        view: 'live',
        where: allOf(parseQ(q)),
        isAnew: true,
        order: [{ field: 'created_at', descending: true }],
        limit: 20,
        offset: 0,
        after: undefined,
      })
      const page = asked.findLast(({ sql }) => sql.includes('order by')) ?? assert.fail(q)
      const [rows] = await database.run([{ ...page, sql: `${explain} ${page.sql}` }], background)
      assert.doesNotMatch(JSON.stringify(rows), /sort key|temp b-tree/i, q)
    }
  })

  test('counts with one pass over the other tables per filter', async () => {
    const { database } = fleet.platform
    asked = []
    await walker.find({
      requester: background,
      scope: { kind: 'system' },
      view: 'live',
      where: allOf(parseQ(Array.from({ length: 20 }, (_, at) => `-tag:key${at}`).join(' '))),
      isAnew: true,
      order: [{ field: 'created_at', descending: true }],
      limit: 20,
      offset: 0,
      after: undefined,
    })
    const pass = asked.find(({ sql }) => sql.includes('materialized')) ?? assert.fail()
    const steps = await repeatedSteps(database, pass)
    assert.deepEqual(
      steps.filter(({ text }) => text.includes('server_tags')),
      [],
    )
  })
})
