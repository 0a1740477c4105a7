import { sql, type CompiledQuery } from 'kysely'
import type { Owners } from '../../../domain/inventory/owners.ts'
import type { ScopedQuery } from '../../../domain/inventory/ports.ts'
import type { StateFilter } from '../../../domain/inventory/server-list/server-query.ts'
import type { DatabaseReader, QueryPriority, Row, ServerSet } from '../../database.ts'
import { createIndexLookups, type IndexLookup } from './index-lookups.ts'
import { isCombinedColumn } from '../counts.ts'
import { coveredColumns, coveringIndex, everyServer } from '../indexes.ts'
import { serverNumbers, type SideCondition } from './side-table-numbers.ts'
import { allOf, everything, type Sql } from '../../sql-parts.ts'
import { createWhere } from './where.ts'

/** Thresholds of the planner. They affect only the speed, never the result. */
export interface Limits {
  /** A scope, an index lookup or a result with at most this many servers is read completely. */
  readonly fewServers: number
  /** How many servers an index scan on SQLite looks up for a page before it sorts all matches instead. */
  readonly mostLookups: number
}

export const defaultLimits: Limits = { fewServers: 5_000, mostLookups: 10_000 }

const states: Readonly<Record<StateFilter, Sql>> = {
  live: sql`state = 0`,
  recycled: sql`state = 1`,
  'live-and-recycled': sql`state in (0, 1)`,
  deleted: sql`state = 2`,
}

/** An index name, a full table scan, or undefined for the engine's own choice. */
type Index = string | typeof everyServer | undefined

/** How a query is run: its conditions and its index lookups. */
export interface Plan {
  readonly query: ScopedQuery
  readonly isLive: boolean
  /** The index lookup of the scope; undefined for the whole system. */
  readonly scope: IndexLookup | undefined
  /** The index lookups of parts of the filter. */
  readonly indexLookups: readonly IndexLookup[]
  readonly conditions: readonly Sql[]
  /** The same conditions for a full scan. */
  readonly scanConditions: readonly Sql[]
  /** The index for a full scan: the covering one if it has all columns of the filter. */
  readonly scanIndexName: Index
  /** The stored counts of the matches, if they have all columns of the filter and of the scope. */
  readonly combinations: Sql | undefined
  /** Whether the filter reads tags, addresses or texts. */
  readonly usesSideTables: boolean
  /** Whether the covering index has all columns of the filter. */
  readonly isCovered: boolean
}

/** Recycled and deleted servers are few and have their own indexes. */
const inactiveLookups: Partial<Record<StateFilter, IndexLookup>> = {
  recycled: { index: 'servers_recycled', condition: everything, list: undefined },
  deleted: { index: 'servers_deleted', condition: everything, list: undefined },
}

/** Chooses the index lookup of a query by the number of servers that each one leads to. */
export function createPlanner(database: DatabaseReader, owners: Owners, limits: Limits) {
  const { engine, db } = database

  /** SQLite has no statistics of its indexes here, so it gets a hint. */
  const hint = (index: Index): Sql => {
    if (engine === 'postgres' || index === undefined) return sql``
    return sql.raw(index === everyServer ? ' not indexed' : ` indexed by ${index}`)
  }

  async function run(queries: readonly Sql[], priority: QueryPriority): Promise<readonly Row[][]> {
    const compiled: CompiledQuery[] = queries.map((query) => query.compile(db))
    return await database.run(compiled, priority)
  }

  const scopes = createIndexLookups(engine, createWhere({ engine, owners: new Map() }))

  /** SQL conditions that restrict servers to the state and the scope of the query. */
  function visibleServers({ state, scope }: ScopedQuery): readonly Sql[] {
    const within = scopes.ofScope(scope)
    return within ? [states[state], within.condition] : [states[state]]
  }

  /**
   * A reader thread checks at one server in 64 whether it has to stop, because each call costs half a
   * microsecond. PostgreSQL queries are cancelled directly.
   */
  const stopChecks = engine === 'sqlite' ? [sql`(servers.seq & 63 or check_stop())`] : []

  /**
   * SQLite reads a list once into one byte per server. Testing a byte takes a tenth of a lookup. Lists
   * have live servers only.
   */
  function inByteSet(condition: SideCondition, _: Sql, wanted: 'some' | 'none'): Sql {
    const list = serverNumbers(engine, condition)
    const numbers = sql`select group_concat(server) as list from (${list})`
    const { sql: text, parameters } = numbers.compile(db)
    const set: ServerSet = { listedBy: { sql: text, parameters } }
    const isSet = sql`substr(${set}, seq, 1) = x'01'`
    return wanted === 'some' ? isSet : sql`not ${isSet}`
  }

  /**
   * PostgreSQL hashes a subquery that it does not join, or looks up each server if there are too many.
   * It estimates `<>` as nearly always true. Otherwise, with many conditions, it would expect few
   * matches and use lookups for all servers.
   */
  const inHash = (_: SideCondition, rows: Sql, wanted: 'some' | 'none'): Sql =>
    wanted === 'some' ? sql`(exists (${rows}))::int <> 0` : sql`(exists (${rows}))::int <> 1`

  async function plan(query: ScopedQuery): Promise<Plan> {
    const setting = { engine, owners: await owners.byProject() }
    const where = createWhere(setting)
    const indexLookups = createIndexLookups(engine, where)
    const scope = indexLookups.ofScope(query.scope)
    const isLive = query.state === 'live'
    const inLists = isLive ? inByteSet : undefined
    const fullScan = createWhere({
      ...setting,
      inFullScan: engine === 'postgres' ? inHash : inLists,
    })
    const visible = visibleServers(query)
    const columns = where.columnsIn(query.where)
    const isCovered = isLive && columns.every((column) => coveredColumns.has(column))
    const usesSideTables = where.usesSideTables(query.where)
    const isCombined =
      isLive &&
      !usesSideTables &&
      (query.scope.kind === 'system' || query.scope.kind === 'domain') &&
      columns.every(isCombinedColumn)
    const counted = [sql`servers > 0`, ...(scope ? [scope.condition] : [])]
    /** A filter that is cheaper than the check comes before it. */
    const stoppable = (filter: Sql) =>
      isCovered && !usesSideTables ? [filter, ...stopChecks] : [...stopChecks, filter]
    return {
      query,
      isLive,
      scope,
      indexLookups: isLive ? indexLookups.of(query.where) : [],
      conditions: [...visible, ...stoppable(where.where(query.where))],
      scanConditions: [...visible, ...stoppable(fullScan.where(query.where))],
      scanIndexName: isCovered ? coveringIndex : everyServer,
      combinations: isCombined
        ? sql`server_combinations where ${allOf([...counted, where.where(query.where)])}`
        : undefined,
      usesSideTables,
      isCovered,
    }
  }

  const probe = ({ index, condition, list }: IndexLookup, state: StateFilter): Sql => {
    const servers = list ?? select(sql`1`, index, [states[state], condition])
    return sql`select count(*) as n from (${servers} limit ${limits.fewServers + 1}) as probed`
  }

  /** The index lookup with the fewest servers, if they are few. */
  async function narrowest(lookups: readonly IndexLookup[], { state, requester }: ScopedQuery) {
    if (lookups.length === 0) return undefined
    const counts = await run(
      lookups.map((lookup) => probe(lookup, state)),
      requester,
    )
    return lookups
      .map((lookup, at) => ({ lookup, n: Number(counts[at]?.[0]?.['n']) }))
      .filter(({ n }) => n <= limits.fewServers)
      .toSorted((a, b) => a.n - b.n)[0]?.lookup
  }

  /**
   * An index lookup with few servers. The scope is tried first, so that response times do not reveal
   * how many servers other tenants have.
   */
  async function findSelectiveLookup({ query, isLive, scope, indexLookups }: Plan) {
    const own = scope && (await narrowest([scope], query))
    if (own) return own
    const aside = inactiveLookups[query.state]
    return isLive
      ? await narrowest(indexLookups, query)
      : aside && (await narrowest([aside], query))
  }

  const select = (columns: Sql, index: Index, conditions: readonly Sql[], beside = sql``): Sql =>
    sql`select ${columns} from servers${hint(index)}${beside} where ${allOf(conditions)}`

  return {
    engine,
    run,
    plan,
    findSelectiveLookup,
    select,
    hint,
    limits,
    withinScope: scopes.ofScope,
  }
}
export type Planner = ReturnType<typeof createPlanner>
