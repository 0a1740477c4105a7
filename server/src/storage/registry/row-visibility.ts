import { administeredResources, type AdministeredResource } from '@muster/contract'
import { sql } from 'kysely'
import type { ResourceKind } from '../../domain/identity/administration/resources.ts'
import type { AuthorizedScope } from '../../domain/scope.ts'
import { anyOf, everything, nothing, type Sql } from '../sql-parts.ts'

type Condition = AdministeredResource['visibility']['domain']

/**
 * SQL condition that restricts rows to the caller's scope. Assignments and events have their own
 * beside their queries.
 */
export function visibleTo(kind: ResourceKind, { scope, self }: AuthorizedScope): Sql {
  const { visibility }: AdministeredResource = administeredResources[kind]
  const { user, serviceAccount } = visibility
  const own =
    self === undefined
      ? nothing
      : anyOf([
          user === undefined ? nothing : sql`${sql.ref(user)} = ${self}`,
          serviceAccount === undefined
            ? nothing
            : sql`${sql.ref(serviceAccount)} in (select id from users where owner_id = ${self})`,
        ])
  switch (scope.kind) {
    case 'system':
      return everything
    case 'domain':
      return anyOf([own, within(visibility.domain, scope.domainId)])
    case 'project':
      return anyOf([own, within(visibility.project, scope.domainId, scope.projectId)])
    case 'none':
      return own
  }
}

function within(condition: Condition, domainId: string, projectId = ''): Sql {
  if (condition === 'all') return everything
  if (condition === 'none') return nothing
  if ('domain' in condition) return sql`${sql.ref(condition.domain)} = ${domainId}`
  if ('project' in condition) return sql`${sql.ref(condition.project)} = ${projectId}`
  if ('inDomain' in condition) {
    const { field, inDomain } = condition
    return sql`${sql.ref(field)} in (select id from ${sql.table(inDomain)} where domain_id = ${domainId})`
  }
  const holders = (column: 'user_id' | 'group_id') =>
    sql`select ${sql.ref(column)} from assignments where project_id = ${projectId} and ${sql.ref(column)} is not null`
  if (condition.holders === 'group_id') return sql`id in (${holders('group_id')})`
  return sql`(id in (${holders('user_id')}) or id in (select user_id from group_members where group_id in (${holders('group_id')})))`
}
