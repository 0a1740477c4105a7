import { sql, type ExpressionBuilder, type ExpressionWrapper, type SqlBool } from 'kysely'
import type { ResourceKind } from '../../domain/identity/administration/resources.ts'
import type { ScopeOrNone, AuthorizedScope } from '../../domain/scope.ts'
import type { Row } from './resource-columns.ts'

/** Tables without column types, because the table is chosen at run time. */
export type AnyTables = Record<string, Row>
export type Builder = ExpressionBuilder<AnyTables, string>
type Condition = ExpressionWrapper<AnyTables, string, SqlBool>

/**
 * SQL condition that restricts rows to the caller's scope. Assignments and events have their own
 * beside their queries.
 */
export function visibleTo(
  eb: Builder,
  kind: ResourceKind,
  { scope, self }: AuthorizedScope,
): Condition {
  const conditions = [withinScope(eb, kind, scope)]
  if (self !== undefined) conditions.push(ownedBy(eb, kind, self))
  return eb.or(conditions.filter((condition) => condition !== undefined))
}

const everything = (eb: Builder): Condition => eb(sql<number>`1`, '=', 1)

function withinScope(eb: Builder, kind: ResourceKind, scope: ScopeOrNone): Condition | undefined {
  switch (scope.kind) {
    case 'system':
      return everything(eb)
    case 'domain':
      return withinDomain(eb, kind, scope.domainId)
    case 'project':
      return withinProject(eb, kind, scope.projectId, scope.domainId)
    case 'none':
      return undefined
  }
}

function withinDomain(eb: Builder, kind: ResourceKind, domainId: string): Condition {
  switch (kind) {
    case 'domains':
      return eb('id', '=', domainId)
    case 'projects':
    case 'users':
    case 'groups':
    case 'identity_providers':
      return eb('domain_id', '=', domainId)
    case 'roles':
    case 'policies':
      return everything(eb)
    case 'credentials':
      return eb(
        'user_id',
        'in',
        eb.selectFrom('users').select('users.id').where('users.domain_id', '=', domainId),
      )
  }
}

function withinProject(
  eb: Builder,
  kind: ResourceKind,
  projectId: string,
  domainId: string,
): Condition | undefined {
  switch (kind) {
    case 'domains':
      return eb('id', '=', domainId)
    case 'projects':
      return eb('id', '=', projectId)
    case 'users':
      return eb.or([
        eb('id', 'in', projectHolders(eb, 'user_id', projectId)),
        eb(
          'id',
          'in',
          eb
            .selectFrom('group_members')
            .select('group_members.user_id')
            .where('group_members.group_id', 'in', projectHolders(eb, 'group_id', projectId)),
        ),
      ])
    case 'groups':
      return eb('id', 'in', projectHolders(eb, 'group_id', projectId))
    case 'roles':
    case 'policies':
      return everything(eb)
    case 'credentials':
      return eb('project_id', '=', projectId)
    // Providers belong to domains.
    case 'identity_providers':
      return undefined
  }
}

const projectHolders = (eb: Builder, column: 'user_id' | 'group_id', projectId: string) =>
  eb
    .selectFrom('assignments')
    .select(`assignments.${column}`)
    .where('assignments.project_id', '=', projectId)
    .where(`assignments.${column}`, 'is not', null)

function ownedBy(eb: Builder, kind: ResourceKind, userId: string): Condition | undefined {
  if (kind === 'users') return eb('id', '=', userId)
  if (kind === 'credentials') return eb('user_id', '=', userId)
  return undefined
}
