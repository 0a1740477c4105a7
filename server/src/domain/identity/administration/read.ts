import type { Impact } from '@muster/contract'
import type { Clock } from '../../clock.ts'
import { everywhere } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import { requireThing, notThere } from './changes.ts'
import type { AssignmentQuery, GrantRecord, ListQuery, Page, Registry } from './registry.ts'
import type { Group, Kind, Policy, Project, Resources, User } from './resources.ts'

/** Looking things up. What a caller sees of a list is decided by the caller's scope, in the query itself. */
export function createReadUseCases(registry: Registry, clock: Clock) {
  return {
    listThings: <K extends Kind>(kind: K, { authorizedScope }: Caller, query: ListQuery) =>
      registry.list(kind, authorizedScope, query),

    async getThing<K extends Kind>(
      kind: K,
      { authorizedScope }: Caller,
      id: string,
      domainId?: string,
    ): Promise<Resources[K]> {
      const thing = await requireThing(registry, kind, id, authorizedScope)
      const isElsewhere = 'domain_id' in thing && thing.domain_id !== domainId
      if (domainId !== undefined && isElsewhere) throw notThere(kind)
      return thing
    },

    async listUserProjects(
      caller: Caller,
      userId: string,
      query: ListQuery,
    ): Promise<Page<Project>> {
      await requireThing(registry, 'users', userId, caller.authorizedScope)
      const isOwn = userId === caller.principal.token.userId
      return await registry.list('projects', isOwn ? everywhere : caller.authorizedScope, query, {
        relation: 'projects-of-user',
        userId,
      })
    },

    async listUserGroups(caller: Caller, userId: string, query: ListQuery): Promise<Page<Group>> {
      await requireThing(registry, 'users', userId, caller.authorizedScope)
      const isOwn = userId === caller.principal.token.userId
      return await registry.list('groups', isOwn ? everywhere : caller.authorizedScope, query, {
        relation: 'groups-of-user',
        userId,
      })
    },

    async listGroupUsers(caller: Caller, groupId: string, query: ListQuery): Promise<Page<User>> {
      await requireThing(registry, 'groups', groupId, caller.authorizedScope)
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
      await requireThing(registry, 'roles', roleId, caller.authorizedScope)
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
      await requireThing(registry, kind, id, caller.authorizedScope)
      return await registry.impactOf(kind, id, clock())
    },
  }
}
