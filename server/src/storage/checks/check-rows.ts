import { checkViolations, checks as description, type Check } from '@muster/contract'
import { sql, type Selectable } from 'kysely'
import { checkIds } from '../../domain/checks/check-ids.ts'
import type { CheckRecord, ViolationRecord } from '../../domain/checks/check-record.ts'
import type { CheckVisibility } from '../../domain/checks/ports.ts'
import { queryFieldsOf, type QueryFields } from '../../domain/query/query-fields.ts'
import type { ScopeOrNone } from '../../domain/scope.ts'
import type { DatabaseReader } from '../database.ts'
import { nameField, sqlFieldsOf, type SqlField } from '../list-rows.ts'
import { allOf, anyOf, byCodePoint, everything, nothing, type Sql } from '../sql-parts.ts'
import type { Tables } from '../tables.ts'

export const checkFields: QueryFields<string> = queryFieldsOf(description)
export const violationFields: QueryFields<string> = queryFieldsOf(checkViolations)

export const toCheck = (row: Selectable<Tables['checks']>): CheckRecord => ({
  id: row.id,
  name: row.name,
  description: row.description,
  severity: row.severity as Check['severity'],
  q: row.q,
  grace: row.grace,
  enabled: row.enabled === 1,
  built_in: row.built_in === 1,
  project_id: row.project_id ?? '',
  domain_id: row.domain_id ?? '',
  evaluated_at: row.evaluated_at,
  error: row.error,
  created_at: row.created_at,
  updated_at: row.updated_at,
  revision: row.revision,
})

export const toViolation = (row: Tables['check_violations']): ViolationRecord => ({
  id: row.id,
  subject_kind: row.subject_kind as ViolationRecord['subject_kind'],
  subject_id: row.subject_id,
  name: row.name,
  project_id: row.project_id,
  domain_id: row.domain_id,
  since: row.since,
  opened_at: row.opened_at,
  until: row.until,
})

function within(scope: ScopeOrNone, table: string): Sql {
  switch (scope.kind) {
    case 'system':
      return everything
    case 'domain':
      return sql`${sql.ref(`${table}.domain_id`)} = ${scope.domainId}`
    case 'project':
      return sql`${sql.ref(`${table}.domain_id`)} = ${scope.domainId}
        and ${sql.ref(`${table}.project_id`)} = ${scope.projectId}`
    case 'none':
      return nothing
  }
}

/** Built-in checks, and those of the scope. */
export const visibleChecks = ({ checks }: CheckVisibility): Sql =>
  anyOf([sql`checks.built_in = 1`, within(checks, 'checks')])

/** Violations that have begun: their grace time is over. */
export const visibleViolations = ({ servers, recycled, accounts }: CheckVisibility): Sql => {
  const ofServer = sql`check_violations.subject_kind = 'server'`
  const isRecycled = sql`check_violations.check_id = ${checkIds.recycleBin}`
  return allOf([
    sql`check_violations.opened_at is not null`,
    anyOf([
      allOf([ofServer, within(servers, 'check_violations'), sql`not ${isRecycled}`]),
      allOf([ofServer, within(recycled, 'check_violations'), isRecycled]),
      ...(accounts ? [sql`check_violations.subject_kind = 'account'`] : []),
    ]),
  ])
}

/** The number of open violations. */
export const countOf = (visibility: CheckVisibility): Sql =>
  sql`(select count(*) from check_violations where check_violations.check_id = checks.id
    and check_violations.until is null and ${visibleViolations(visibility)})`

/** Whether a server or an account violates the check now. */
export const isViolatedBy = (
  engine: DatabaseReader['engine'],
  visibility: CheckVisibility,
  id: string,
): Sql =>
  sql`exists (select 1 from check_violations where check_violations.check_id = checks.id
    and check_violations.subject_kind in ('server', 'account')
    and ${byCodePoint(engine, sql.ref('check_violations.subject_id'))} = ${id}
    and check_violations.until is null and ${visibleViolations(visibility)})`

export function checkColumns(
  engine: DatabaseReader['engine'],
  visibility: CheckVisibility,
): Readonly<Record<string, SqlField>> {
  return {
    ...sqlFieldsOf(engine, checkFields, (field) => {
      if (checkFields.kinds[field] === 'timestamp')
        return sql`(${sql.ref(`checks.${field}`)} * 1000)`
      if (field === 'project_id' || field === 'domain_id') {
        return sql`coalesce(${sql.ref(`checks.${field}`)}, '')`
      }
      return field === 'violations' ? countOf(visibility) : sql.ref(`checks.${field}`)
    }),
    name: nameField(sql.ref('checks.name'), sql.ref('checks.name_key')),
  }
}

export const violationColumns = (
  engine: DatabaseReader['engine'],
): Readonly<Record<string, SqlField>> =>
  sqlFieldsOf(engine, violationFields, (field) => {
    const column = sql.ref(`check_violations.${field}`)
    if (violationFields.kinds[field] === 'timestamp') return sql`(${column} * 1000)`
    return field === 'is_open'
      ? sql`(case when check_violations.until is null then 1 else 0 end)`
      : column
  })
