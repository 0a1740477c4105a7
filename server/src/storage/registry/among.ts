import type { ExpressionWrapper, SqlBool } from 'kysely'
import type { Among } from '../../domain/identity/administration/registry.ts'
import type { Scope } from '../../domain/scope.ts'
import type { AnyTables, Builder } from './visible.ts'

type Condition = ExpressionWrapper<AnyTables, string, SqlBool>

/** The columns of an assignment that say where it holds. */
export const scopeColumns = (scope: Scope) => ({
  project_id: scope.kind === 'project' ? scope.projectId : null,
  domain_id: scope.kind === 'domain' ? scope.domainId : null,
})

/** Those that stand in a relation to something else, as a condition on the query. */
export function related(eb: Builder, among: Among): Condition {
  switch (among.relation) {
    case 'members-of-group':
      return eb(
        'id',
        'in',
        eb
          .selectFrom('group_members')
          .select('group_members.user_id')
          .where('group_members.group_id', '=', among.groupId),
      )
    case 'groups-of-user':
      return eb('id', 'in', groupsOf(eb, among.userId))
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
              inner('assignments.user_id', '=', among.userId),
              inner('assignments.group_id', 'in', groupsOf(inner, among.userId)),
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
          .where('role_policies.role_id', '=', among.roleId),
      )
    case 'roles-of-holder': {
      const { project_id, domain_id } = scopeColumns(among.scope)
      return eb(
        'id',
        'in',
        eb
          .selectFrom('assignments')
          .select('assignments.role_id')
          .where(`assignments.${among.holder.kind}_id`, '=', among.holder.id)
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
