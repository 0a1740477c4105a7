import type { Kysely } from 'kysely'
import type { Outcome, Statement, Statements } from './database.ts'
import type { Tables } from './tables.ts'

/** More writes than one connection will ever see. */
export const eraSize = 2 ** 32

/** Which servers were written when, as one process knows it. What was never heard of is at nought. */
export function createFleetVersions() {
  const scopes = new Map<string, number>()
  let era = 0
  let fleet = 0
  return {
    of: (scope?: string): number =>
      era * eraSize + (scope === undefined ? fleet : (scopes.get(scope) ?? 0)),
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

/**
 * A commit that changes servers. Its first statement makes all such commits come one after another,
 * and returns the new version.
 */
export function fleetStatements(
  read: Kysely<Tables>,
  statements: Statements,
  scopes: ReadonlySet<string>,
): Statement[] {
  const bump = read
    .updateTable('fleet_version')
    .set((row) => ({ version: row('version', '+', 1) }))
    .returning('version')
    .compile()
  const marks = [...scopes].toSorted().map((scope) =>
    read
      .insertInto('scope_versions')
      .values((row) => ({
        scope,
        version: row.selectFrom('fleet_version').select('fleet_version.version'),
      }))
      .onConflict((conflict) =>
        conflict.column('scope').doUpdateSet((row) => ({ version: row.ref('excluded.version') })),
      )
      .compile(),
  )
  return [bump, ...statements, ...marks]
}

/** What the commit's own statements did, without the first and without the marks. */
export const ownOutcomes = (outcomes: readonly Outcome[], count: number): Outcome[] =>
  outcomes.slice(1, 1 + count)
