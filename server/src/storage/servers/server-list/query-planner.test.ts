import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import type { ScopeOrNone } from '../../../domain/scope.ts'
import { allOf } from '../../../domain/query/conditions.ts'
import { createCacheMemory } from '../../../domain/cache.ts'
import { serverFields } from '../../../domain/inventory/fields.ts'
import { createOwners } from '../../../domain/inventory/owners.ts'
import { parseQ } from '../../../domain/query/parse-q.ts'
import { background, type ServerFinder } from '../../../domain/inventory/ports.ts'
import { onEngineOfLane } from '../../../testing/lanes.ts'
import {
  startInventoryWorld,
  type InventoryWorld,
} from '../../../testing/inventory-world/start-inventory-world.ts'
import type { Database, Query, Row } from '../../database.ts'
import { createOwnerDirectory } from '../../owners.ts'
import { createServerFinder } from './server-finder.ts'
import { defaultLimits } from './query-planner.ts'

/** A step of a plan that runs once for each row of another step, and what it does then. */
interface RepeatedStep {
  readonly text: string
  /** Whether it goes straight to the rows of one server (or of one key), rather than through many. */
  readonly isLookup: boolean
}

const sideTables = /\bserver(s|_tags|_addresses|_texts|_search)(_|\b)/

/** SQLite describes each loop in one line. All loops of one select but the first are nested in it. */
function sqliteSteps(rows: readonly Row[]): RepeatedStep[] {
  const nodes = rows.map((row) => ({
    id: Number(row['id']),
    parent: Number(row['parent']),
    text: String(row['detail']),
  }))
  const parents = new Map(nodes.map((node) => [node.id, node]))
  const isLoop = (text: string) => /^(SCAN|SEARCH) /.test(text)
  const isCorrelated = (id: number): boolean => {
    const node = parents.get(id)
    return node !== undefined && (node.text.startsWith('CORRELATED') || isCorrelated(node.parent))
  }
  const isNested = ({ id, parent }: (typeof nodes)[number]) =>
    nodes.some((other) => other.parent === parent && other.id < id && isLoop(other.text))
  return nodes
    .filter((node) => isLoop(node.text) && sideTables.test(node.text))
    .filter((node) => isCorrelated(node.parent) || isNested(node))
    .map(({ text }) => ({ text, isLookup: /^SEARCH .*\((server|rowid|seq)=\?/.test(text) }))
}

interface PostgresNode {
  readonly 'Node Type': string
  readonly 'Parent Relationship'?: string
  readonly 'Subplan Name'?: string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly Plans?: readonly PostgresNode[]
}

/** PostgreSQL repeats a subplan that it does not hash, and the inner side of a nested loop. */
function postgresSteps(root: PostgresNode): RepeatedStep[] {
  const hashed = new Set(JSON.stringify(root).match(/(?<=hashed )SubPlan \d+/g))
  const steps: RepeatedStep[] = []
  function walk(node: PostgresNode, isRepeated: boolean, isOneKey: boolean): void {
    const condition = node['Index Cond'] ?? ''
    const isLookup = isOneKey || /\b(server|seq) = /.test(condition)
    const reads = node['Relation Name'] ?? node['Index Name'] ?? ''
    if (isRepeated && sideTables.test(reads)) {
      const isAround = (node.Plans ?? []).some((inner) => inner['Node Type'].startsWith('Bitmap'))
      const text = `${node['Node Type']} ${reads} ${condition}`
      if (!isAround) steps.push({ text, isLookup })
    }
    for (const inner of node.Plans ?? []) {
      const relation = inner['Parent Relationship']
      // A few codes of words on the outer side are not a repetition for each server.
      const isInner =
        node['Node Type'] === 'Nested Loop' &&
        relation === 'Inner' &&
        sideTables.test(JSON.stringify(node.Plans?.[0]))
      const isSubPlan = relation === 'SubPlan' && !hashed.has(inner['Subplan Name'] ?? '')
      const isOnce = relation === 'InitPlan' || (relation === 'SubPlan' && !isSubPlan)
      walk(inner, !isOnce && (isRepeated || isInner || isSubPlan), isLookup && isInner)
    }
  }
  walk(root, false, false)
  return steps
}

/** The steps that the database repeats for a query. */
async function repeatedSteps(
  { engine, run }: Pick<Database, 'engine' | 'run'>,
  { sql, parameters }: Query,
): Promise<RepeatedStep[]> {
  const explain = engine === 'postgres' ? 'explain (format json)' : 'explain query plan'
  const [rows = []] = await run([{ sql: `${explain} ${sql}`, parameters }], background)
  if (engine === 'sqlite') return sqliteSteps(rows)
  const plans = rows.flatMap((row) => row['QUERY PLAN'] as { readonly Plan: PostgresNode }[])
  return plans.flatMap(({ Plan }) => postgresSteps(Plan))
}

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

onEngineOfLane('the plan of a query', (engine) => {
  let fleet: InventoryWorld
  let finder: ServerFinder
  /** Finds more than it remembers. */
  let walker: ServerFinder
  let asked: Query[] = []
  before(async () => {
    fleet = await startInventoryWorld(engine, { seed: 11, servers: 60 })
    const { database } = fleet.platform
    await multiply(database)
    const memory = createCacheMemory(2 ** 24)
    const owners = createOwners(
      createOwnerDirectory(database),
      { current: database.currentVersion },
      memory,
    )
    const recording: Database = {
      ...database,
      run: (queries, ...rest) => {
        asked.push(...queries)
        return database.run(queries, ...rest)
      },
    }
    finder = createServerFinder(recording, owners, memory)
    walker = createServerFinder(recording, owners, memory, { ...defaultLimits, fewServers: 10 })
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
            state: 'live' as const,
            where: allOf(parseQ(serverFields, terms.join(' '))),
            ignoresCache: true,
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
        state: 'live',
        where: allOf(parseQ(serverFields, q)),
        ignoresCache: true,
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
      state: 'live',
      where: allOf(
        parseQ(serverFields, Array.from({ length: 20 }, (_, at) => `-tag:key${at}`).join(' ')),
      ),
      ignoresCache: true,
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
