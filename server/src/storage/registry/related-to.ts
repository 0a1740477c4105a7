import { sql } from 'kysely'
import type { RelatedTo } from '../../domain/identity/administration/registry.ts'
import type { Scope } from '../../domain/scope.ts'
import type { Sql } from '../sql-parts.ts'

/** The columns of an assignment that hold its scope. */
export const scopeColumns = (scope: Scope) => ({
  project_id: scope.kind === 'project' ? scope.projectId : null,
  domain_id: scope.kind === 'domain' ? scope.domainId : null,
})

const groupsOf = (userId: string): Sql =>
  sql`select group_id from group_members where user_id = ${userId}`

/** SQL condition for what is related to another resource. */
export function related(relatedTo: RelatedTo): Sql {
  switch (relatedTo.relation) {
    case 'members-of-group':
      return sql`id in (select user_id from group_members where group_id = ${relatedTo.groupId})`
    case 'groups-of-user':
      return sql`id in (${groupsOf(relatedTo.userId)})`
    case 'projects-of-user':
      return sql`id in (select project_id from assignments where project_id is not null and (user_id = ${relatedTo.userId} or group_id in (${groupsOf(relatedTo.userId)})))`
    case 'policies-of-role':
      return sql`id in (select policy_id from role_policies where role_id = ${relatedTo.roleId})`
    case 'roles-of-holder': {
      const { holder, scope } = relatedTo
      const { project_id, domain_id } = scopeColumns(scope)
      return sql`id in (select role_id from assignments where ${sql.ref(`${holder.kind}_id`)} = ${holder.id} and project_id is not distinct from ${project_id} and domain_id is not distinct from ${domain_id})`
    }
  }
}
