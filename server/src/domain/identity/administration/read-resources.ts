import type { Impact } from '@muster/contract'
import type { Clock } from '../../clock.ts'
import { everywhere } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import { requireResource, notFound } from './require-resource.ts'
import type { AssignmentQuery, GrantRecord, ListQuery, Page, Registry } from './registry.ts'
import type { Group, ResourceKind, Policy, Project, Resources, User } from './resources.ts'

/** Lists and single resources. The query itself restricts them to the caller's scope. */
export function createReadUseCases(registry: Registry, clock: Clock) {
  return {
    listResources: <K extends ResourceKind>(
      kind: K,
      { authorizedScope }: Caller,
      query: ListQuery,
    ) => registry.list(kind, authorizedScope, query),

    async getResource<K extends ResourceKind>(
      kind: K,
      { authorizedScope }: Caller,
      id: string,
      domainId?: string,
    ): Promise<Resources[K]> {
      const resource = await requireResource(registry, kind, id, authorizedScope)
      const isElsewhere = 'domain_id' in resource && resource.domain_id !== domainId
      if (domainId !== undefined && isElsewhere) throw notFound(kind)
      return resource
    },

    async listUserProjects(
      caller: Caller,
      userId: string,
      query: ListQuery,
    ): Promise<Page<Project>> {
      await requireResource(registry, 'users', userId, caller.authorizedScope)
      const isOwn = userId === caller.principal.token.userId
      return await registry.list('projects', isOwn ? everywhere : caller.authorizedScope, query, {
        relation: 'projects-of-user',
        userId,
      })
    },

    async listUserGroups(caller: Caller, userId: string, query: ListQuery): Promise<Page<Group>> {
      await requireResource(registry, 'users', userId, caller.authorizedScope)
      const isOwn = userId === caller.principal.token.userId
      return await registry.list('groups', isOwn ? everywhere : caller.authorizedScope, query, {
        relation: 'groups-of-user',
        userId,
      })
    },

    async listGroupUsers(caller: Caller, groupId: string, query: ListQuery): Promise<Page<User>> {
      await requireResource(registry, 'groups', groupId, caller.authorizedScope)
      return await registry.list('users', caller.authorizedScope, query, {
        relation: 'members-of-group',
        groupId,
      })
    },

    async listRolePolicies(
      caller: Caller,
      roleId: string,
      query: ListQuery,
    ): Promise<Page<Policy>> {
      await requireResource(registry, 'roles', roleId, caller.authorizedScope)
      return await registry.list('policies', caller.authorizedScope, query, {
        relation: 'policies-of-role',
        roleId,
      })
    },

    listRoleAssignments: (
      { authorizedScope }: Caller,
      query: AssignmentQuery,
    ): Promise<Page<GrantRecord>> => registry.listGrants(authorizedScope, query),

    async getImpact(
      kind: 'domains' | 'projects' | 'users',
      caller: Caller,
      id: string,
    ): Promise<Impact> {
      await requireResource(registry, kind, id, caller.authorizedScope)
      return await registry.impactOf(kind, id, clock())
    },
  }
}
