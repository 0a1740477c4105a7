import { sql } from 'kysely'
import {
  referenceTo,
  resourceOf,
  type InventoryKind,
  type ReferencedKind,
} from '../../domain/inventory/kinds.ts'
import type { ScopeOrNone } from '../../domain/scope.ts'
import { codeOf, type Sql } from '../sql-parts.ts'

/** The states of servers in the tables. */
const live = sql`= 0`
const liveOrRecycled = sql`in (0, 1)`

/** The condition for servers of a scope. */
function inScope(scope: ScopeOrNone): Sql {
  switch (scope.kind) {
    case 'system':
      return sql`1 = 1`
    case 'domain':
      return sql`servers.domain_id = ${codeOf(scope.domainId)}`
    case 'project':
      return sql`servers.project_id = ${codeOf(scope.projectId)}`
    case 'none':
      return sql`1 = 0`
  }
}

/** The servers of a scope in some states, with the code of the resource that each of them refers to. */
function referringServers(
  kind: ReferencedKind,
  scope: ScopeOrNone,
  states: Sql,
): { from: Sql; code: Sql } {
  const { field } = referenceTo(kind)
  const inStates = sql`servers.state ${states} and ${inScope(scope)}`
  if (field !== 'nics') {
    return { from: sql`servers where ${inStates}`, code: sql.ref(`servers.${field}`) }
  }
  const code = sql.ref('server_networks.network')
  return scope.kind === 'system'
    ? { from: sql`server_networks where state ${states}`, code }
    : {
        from: sql`servers inner join server_networks on server_networks.server = servers.seq where ${inStates}`,
        code,
      }
}

/**
 * Whether a live or recycled server of the scope refers to the item, or is its parent. With a system scope,
 * everything is visible.
 */
export function visibleIn(kind: InventoryKind, scope: ScopeOrNone): Sql {
  if (scope.kind === 'system') return sql`1 = 1`
  const { visibility } = resourceOf(kind)
  if (visibility.through === 'parent') {
    const parent = sql.ref(`${kind}.server`)
    return sql`${parent} in (select seq from servers where state ${liveOrRecycled} and ${inScope(scope)})`
  }
  const { from, code } = referringServers(kind as ReferencedKind, scope, liveOrRecycled)
  return sql`${sql.ref(`${kind}.id`)} in (select word from words where code in (select ${code} from ${from}))`
}

/** The number of live servers of the scope that refer to each of these resources. */
export function countServers(
  kind: ReferencedKind,
  scope: ScopeOrNone,
  ids: readonly string[],
): Sql {
  const { from, code } = referringServers(kind, scope, live)
  const codes = sql`select code from words where word in (${sql.join(ids)})`
  // Unary plus keeps the engines from reading all servers of a region, rather than those of the scope.
  const subject = scope.kind === 'system' ? code : sql`+${code}`
  return sql`select (select word from words where words.code = counted.code) as id, servers from (select ${code} as code, count(*) as servers from ${from} and ${subject} in (${codes}) group by ${code}) as counted`
}

/** Whether no live or recycled server refers to the resource, and no account sees it. */
export function isOrphaned(kind: ReferencedKind): Sql {
  const { field } = referenceTo(kind)
  const own = sql`(select code from words where word = ${sql.ref(`${kind}.id`)})`
  const referring = (state: number) =>
    field === 'nics'
      ? sql`select 1 from server_networks where network = ${own} and state = ${sql.lit(state)}`
      : sql`select 1 from servers where ${sql.ref(field)} = ${own} and state = ${sql.lit(state)}`
  const seen = sql`select 1 from resource_sightings where kind = ${kind} and resource_id = ${sql.ref(`${kind}.id`)}`
  return sql`not exists (${seen}) and not exists (${referring(0)}) and not exists (${referring(1)})`
}
