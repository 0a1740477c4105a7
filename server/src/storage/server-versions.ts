import { sql, type Kysely } from 'kysely'
import type { StatementResult, Statement, Statements } from './database.ts'
import type { Tables } from './tables.ts'

/** More commits than there will ever be between two restarts of the count. */
export const versionsPerRestart = 2 ** 32

/** The versions of servers by scope, as this process knows them. An unknown scope has version 0. */
export function createServerVersions() {
  const versions = new Map<string, number>()
  let restarts = 0
  let latest = 0
  return {
    of: (scope?: string): number =>
      restarts * versionsPerRestart + (scope === undefined ? latest : (versions.get(scope) ?? 0)),
    advance(version: number, changed: Iterable<string>): void {
      latest = Math.max(latest, version)
      for (const scope of changed) versions.set(scope, Math.max(versions.get(scope) ?? 0, version))
    },
    /** Changes may have been missed: every version from before becomes outdated. */
    restart(version: number): void {
      restarts += 1
      latest = version
      versions.clear()
    },
  }
}

export const raiseFleetVersion = (db: Kysely<Tables>): Statement =>
  db
    .updateTable('fleet_version')
    .set((row) => ({ version: row('version', '+', 1) }))
    .returning('version')
    .compile()

interface ServersCommit {
  /** In the order in which they run. */
  readonly statements: Statement[]
  /** The version that the commit got, from the results of its statements. */
  versionFrom(results: readonly StatementResult[]): number
}

/**
 * Adds to a commit of servers what raises their versions. The row of `fleet_version` is locked as
 * late as possible, because from there to the end such commits of all processes run one at a time.
 * It stays locked until the commit is visible, so whoever reads a version sees all commits up to it.
 *
 * - `statements` run before the lock, in parallel with those of other commits. The servers they
 *   change are locked by the check of their revisions (require-unchanged); counts are incremented
 *   in place (counts).
 * - `serialized` statements run after it and see everything that earlier commits wrote. They depend
 *   on rows that other accounts write (sightings).
 * - The versions of the scopes come last.
 */
export function buildServersCommit(
  db: Kysely<Tables>,
  statements: Statements,
  scopeIds: ReadonlySet<string>,
  serialized: Statements,
): ServersCommit {
  return {
    statements: [
      ...statements,
      raiseFleetVersion(db),
      ...serialized,
      ...raiseScopeVersions(db, scopeIds),
    ],
    versionFrom: (results) => Number(results[statements.length]?.rows[0]?.['version']),
  }
}

/** One statement for all scopes, because every other commit waits for it. */
function raiseScopeVersions(db: Kysely<Tables>, scopeIds: ReadonlySet<string>): Statement[] {
  if (scopeIds.size === 0) return []
  const names = sql.join([...scopeIds].toSorted().map((id) => sql`(${id})`))
  // Without `where true`, SQLite parses the conflict clause as part of a join.
  const mark = sql`insert into scope_versions (scope, version)
    select column1, version from (values ${names}) as scopes, fleet_version where true
    on conflict (scope) do update set version = excluded.version`
  return [mark.compile(db)]
}
