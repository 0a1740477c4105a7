import { sql, type Kysely } from 'kysely'
import type { StatementResult, Statement, Statements } from './database.ts'
import type { Tables } from './tables.ts'

/** More writes than one connection will ever see. */
export const versionsPerRestart = 2 ** 32

/** Which servers were written when, as one process knows it. What was never heard of is at nought. */
export function createServerVersions() {
  const scopes = new Map<string, number>()
  let era = 0
  let fleet = 0
  return {
    of: (scope?: string): number =>
      era * versionsPerRestart + (scope === undefined ? fleet : (scopes.get(scope) ?? 0)),
    advance(version: number, changed: Iterable<string>): void {
      fleet = Math.max(fleet, version)
      for (const scope of changed) scopes.set(scope, Math.max(scopes.get(scope) ?? 0, version))
    },
    /** After a gap in the news nothing that was remembered at an earlier version still counts. */
    restart(version: number): void {
      era += 1
      fleet = version
      scopes.clear()
    },
  }
}

/** A commit that changes servers, in the order in which its statements run. */
export interface ServersCommit {
  readonly statements: Statement[]
  /** The version that it made, from what its statements did. */
  versionOf(outcomes: readonly StatementResult[]): number
}

/**
 * The row of `fleet_version` is taken late: from there to the end, all such commits of all processes
 * come one after another, so what runs before must not rely on it. It is held until the commit is
 * visible, so versions become visible in their order: whoever reads one sees all commits up to it.
 *
 * - `statements` run before it, beside those of other commits. Servers that are changed are locked by
 *   their revision check (demand-unchanged), and counts are added to in place (counts).
 * - `inTurn` run behind it: they see everything that earlier commits have written. This is for what
 *   depends on rows that another account writes (sightings).
 * - The marks of the scopes come last.
 */
export function buildServersCommit(
  db: Kysely<Tables>,
  statements: Statements,
  scopes: ReadonlySet<string>,
  inTurn: Statements,
): ServersCommit {
  const bump = db
    .updateTable('fleet_version')
    .set((row) => ({ version: row('version', '+', 1) }))
    .returning('version')
    .compile()
  return {
    statements: [...statements, bump, ...inTurn, ...markScopes(db, scopes)],
    versionOf: (outcomes) => Number(outcomes[statements.length]?.rows[0]?.['version']),
  }
}

/** All in one statement: while it runs, everybody else waits. */
function markScopes(db: Kysely<Tables>, scopes: ReadonlySet<string>): Statement[] {
  if (scopes.size === 0) return []
  const names = sql.join([...scopes].toSorted().map((scope) => sql`(${scope})`))
  // SQLite needs the condition to tell the conflict clause from a join.
  const mark = sql`insert into scope_versions (scope, version)
    select column1, version from (values ${names}) as scopes, fleet_version where true
    on conflict (scope) do update set version = excluded.version`
  return [mark.compile(db)]
}
