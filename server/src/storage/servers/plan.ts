import { sql, type CompiledQuery } from 'kysely'
import type { Condition } from '../../domain/inventory/condition.ts'
import type { Owners } from '../../domain/inventory/owners.ts'
import type { ScopedQuery } from '../../domain/inventory/ports.ts'
import type { StateFilter } from '../../domain/inventory/server-query.ts'
import type { DatabaseReader, QueryPriority, Row, ServerSet } from '../database.ts'
import { createAccessPaths, type AccessPath } from './access-paths.ts'
import { coveredColumns, everyServer, sortIndex } from './indexes.ts'
import { serverList, type SideCondition } from './server-lists.ts'
import { allOf, everything, type Sql } from './sql-parts.ts'
import { createWhere } from './where.ts'

/** How many are few. Whatever these are, the answers are the same. */
export interface Limits {
  /** What a caller may see, if it is no more than this, is gone through for every query. */
  readonly smallScope: number
  /** A part of a query that leads to no more than these is followed to its end. */
  readonly fewServers: number
  /** So many that were found by looking at every server are still remembered one by one. */
  readonly mostFound: number
}

/** Beyond these it is quicker to walk in order. */
export const usualLimits: Limits = { smallScope: 5_000, fewServers: 1_000, mostFound: 3_000 }

const states: Readonly<Record<StateFilter, Sql>> = {
  live: sql`state = 0`,
  recycled: sql`state = 1`,
  'live-and-recycled': sql`state in (0, 1)`,
  deleted: sql`state = 2`,
}

export const isEverything = (condition: Condition) =>
  condition.kind === 'all' && condition.conditions.length === 0

/** The name of an index, none at all, or whichever the engine likes. */
type Index = string | typeof everyServer | undefined

/** How a query is going to be answered: what must hold, and the ways that lead there. */
export interface Plan {
  readonly query: ScopedQuery
  readonly isLive: boolean
  /** The way to what the caller may see; none where that is everything. */
  readonly scope: AccessPath | undefined
  /** The ways to parts of what is asked for. */
  readonly accessPaths: readonly AccessPath[]
  readonly conditions: readonly Sql[]
  /** The same, for a look at all servers. */
  readonly scanConditions: readonly Sql[]
  /** The index for such a look: one that has all the columns that are looked at, where there is one. */
  readonly scanIndexName: Index
  /** Whether tags, addresses or texts of servers have to be looked at. */
  readonly usesSideTables: boolean
  /** Whether an index in some order has all the columns that are looked at. */
  readonly isCovered: boolean
}

/** The few that are out of use have indexes of their own. */
const outOfUse: Partial<Record<StateFilter, AccessPath>> = {
  recycled: { index: 'servers_recycled', condition: everything, list: undefined },
  deleted: { index: 'servers_deleted', condition: everything, list: undefined },
}

/** Looks for the best way to answer a query. Which it is depends on how many each way leads to. */
export function createPlanner(database: DatabaseReader, owners: Owners, limits: Limits) {
  const { engine, db } = database

  /** SQLite keeps no statistics of what is in its indexes: it is told which to take. */
  const hint = (index: Index): Sql => {
    if (engine === 'postgres' || index === undefined) return sql``
    return sql.raw(index === everyServer ? ' not indexed' : ` indexed by ${index}`)
  }

  async function run(queries: readonly Sql[], priority: QueryPriority): Promise<readonly Row[][]> {
    const compiled: CompiledQuery[] = queries.map((query) => query.compile(db))
    return await database.run(compiled, priority)
  }

  const scopes = createAccessPaths(engine, createWhere({ engine, owners: new Map() }))

  /** What must hold of any server that the caller is shown. */
  function inSight({ view, scope }: ScopedQuery): readonly Sql[] {
    const within = scopes.ofScope(scope)
    return within ? [states[view], within.condition] : [states[view]]
  }

  /**
   * Where a reader thread notices that it has to stop: at one server in 64, since each call costs half
   * a microsecond. PostgreSQL can be told directly.
   */
  const stopChecks =
    engine === 'sqlite' ? [sql`case when servers.seq & 63 then 1 else check_stop() end`] : []

  /**
   * SQLite reads a list once, into one byte per server: to test that takes a tenth of a lookup. Lists
   * have live servers only.
   */
  function inByteSet(condition: SideCondition, _: Sql, wanted: 'some' | 'none'): Sql {
    const list = serverList(engine, condition)
    const numbers = sql`select group_concat(server) as list from (${list})`
    const { sql: text, parameters } = numbers.compile(db)
    const set: ServerSet = { listedBy: { sql: text, parameters } }
    const isSet = sql`substr(${set}, seq, 1) = x'01'`
    return wanted === 'some' ? isSet : sql`not ${isSet}`
  }

  /**
   * PostgreSQL hashes a subquery that it does not join, or looks up each server if there are too many.
   * It takes `<>` for nearly always true: else, with many conditions, it would expect few servers to be
   * left, and look up all of them.
   */
  const inHash = (_: SideCondition, rows: Sql, wanted: 'some' | 'none'): Sql =>
    wanted === 'some' ? sql`(exists (${rows}))::int <> 0` : sql`(exists (${rows}))::int <> 1`

  async function plan(query: ScopedQuery): Promise<Plan> {
    const setting = { engine, owners: await owners.byProject() }
    const where = createWhere(setting)
    const accessPaths = createAccessPaths(engine, where)
    const scope = accessPaths.ofScope(query.scope)
    const isLive = query.view === 'live'
    const inLists = isLive ? inByteSet : undefined
    const fullScan = createWhere({
      ...setting,
      inFullScan: engine === 'postgres' ? inHash : inLists,
    })
    const visible = inSight(query)
    const isCovered =
      isLive && where.columnsIn(query.where).every((column) => coveredColumns.has(column))
    return {
      query,
      isLive,
      scope,
      accessPaths: isLive ? accessPaths.of(query.where) : [],
      conditions: [...visible, ...stopChecks, where.where(query.where)],
      scanConditions: [...visible, ...stopChecks, fullScan.where(query.where)],
      scanIndexName: isCovered ? sortIndex('created_at') : everyServer,
      usesSideTables: where.usesSideTables(query.where),
      isCovered,
    }
  }

  const probe = ({ index, condition, list }: AccessPath, view: StateFilter, most: number): Sql => {
    const servers = list ?? select(sql`1`, index, [states[view], condition])
    return sql`select count(*) as n from (${servers} limit ${most + 1}) as probed`
  }

  /** Of these ways, the narrowest that leads to no more than so many. */
  async function narrowest(
    ways: readonly AccessPath[],
    view: StateFilter,
    most: number,
    priority: QueryPriority,
  ) {
    if (ways.length === 0) return undefined
    const counts = await run(
      ways.map((way) => probe(way, view, most)),
      priority,
    )
    return ways
      .map((way, at) => ({ way, n: Number(counts[at]?.[0]?.['n']) }))
      .filter(({ n }) => n <= most)
      .toSorted((a, b) => a.n - b.n)[0]?.way
  }

  /**
   * A way that leads to few servers. That of the scope is tried before any other: how many servers
   * others have must not tell in how long it takes.
   */
  async function findNarrowWay(
    { query, isLive, scope, accessPaths }: Plan,
    priority: QueryPriority,
  ) {
    const { view } = query
    const own = scope && (await narrowest([scope], view, limits.smallScope, priority))
    if (own) return own
    const aside = outOfUse[view]
    return isLive
      ? await narrowest(accessPaths, view, limits.fewServers, priority)
      : aside && (await narrowest([aside], view, limits.smallScope, priority))
  }

  const select = (columns: Sql, index: Index, conditions: readonly Sql[], beside = sql``): Sql =>
    sql`select ${columns} from servers${hint(index)}${beside} where ${allOf(conditions)}`

  return { engine, run, plan, findNarrowWay, select, hint, limits }
}
export type Planner = ReturnType<typeof createPlanner>
