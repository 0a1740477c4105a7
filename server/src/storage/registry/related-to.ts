import type { ExpressionWrapper, SqlBool } from 'kysely'
import type { RelatedTo } from '../../domain/identity/administration/registry.ts'
import type { Scope } from '../../domain/scope.ts'
import type { AnyTables, Builder } from './row-visibility.ts'

type Condition = ExpressionWrapper<AnyTables, string, SqlBool>

/** The columns of an assignment that hold its scope. */
export const scopeColumns = (scope: Scope) => ({
  project_id: scope.kind === 'project' ? scope.projectId : null,
  domain_id: scope.kind === 'domain' ? scope.domainId : null,
})

/** SQL condition for what is related to another resource. */
export function related(eb: Builder, relatedTo: RelatedTo): Condition {
  switch (relatedTo.relation) {
    case 'members-of-group':
      return eb(
        'id',
        'in',
        eb
          .selectFrom('group_members')
          .select('group_members.user_id')
          .where('group_members.group_id', '=', relatedTo.groupId),
      )
    case 'groups-of-user':
      return eb('id', 'in', groupsOf(eb, relatedTo.userId))
    case 'projects-of-user':
      return eb(
        'id',
        'in',
        eb
          .selectFrom('assignments')
          .select('assignments.project_id')
          .where('assignments.project_id', 'is not', null)
          .where((inner) =>
            inner.or([
              inner('assignments.user_id', '=', relatedTo.userId),
              inner('assignments.group_id', 'in', groupsOf(inner, relatedTo.userId)),
            ]),
          ),
      )
    case 'policies-of-role':
      return eb(
        'id',
        'in',
        eb
          .selectFrom('role_policies')
          .select('role_policies.policy_id')
          .where('role_policies.role_id', '=', relatedTo.roleId),
      )
    case 'roles-of-holder': {
      const { project_id, domain_id } = scopeColumns(relatedTo.scope)
      return eb(
        'id',
        'in',
        eb
          .selectFrom('assignments')
          .select('assignments.role_id')
          .where(`assignments.${relatedTo.holder.kind}_id`, '=', relatedTo.holder.id)
          .where('assignments.project_id', 'is not distinct from', project_id)
          .where('assignments.domain_id', 'is not distinct from', domain_id),
      )
    }
  }
}

const groupsOf = (eb: Builder, userId: string) =>
  eb
    .selectFrom('group_members')
    .select('group_members.group_id')
    .where('group_members.user_id', '=', userId)
