import type { Impact } from '@muster/contract'
import type { Clock } from '../ports.ts'
import { everywhere } from '../reach.ts'
import type { Caller } from '../caller.ts'
import { demandThing, notThere } from './changes.ts'
import type { AssignmentQuery, GrantRecord, ListQuery, Page, Registry } from './registry.ts'
import type { Group, Kind, Policy, Project, Resources, User } from './resources.ts'

/** Looking things up. What a caller sees of a list is decided by the reach, in the query itself. */
export function createReadUseCases(registry: Registry, clock: Clock) {
  return {
    listThings: <K extends Kind>(kind: K, { reach }: Caller, query: ListQuery) =>
      registry.list(kind, reach, query),

    async getThing<K extends Kind>(
      kind: K,
      { reach }: Caller,
      id: string,
      domainId?: string,
    ): Promise<Resources[K]> {
      const thing = await demandThing(registry, kind, id, reach)
      const isElsewhere = 'domain_id' in thing && thing.domain_id !== domainId
      if (domainId !== undefined && isElsewhere) throw notThere(kind)
      return thing
    },

    async listUserProjects(
      caller: Caller,
      userId: string,
      query: ListQuery,
    ): Promise<Page<Project>> {
      await demandThing(registry, 'users', userId, caller.reach)
      const isOwn = userId === caller.principal.token.userId
      return await registry.list('projects', isOwn ? everywhere : caller.reach, query, {
        relation: 'projects-of-user',
        userId,
      })
    },

    async listUserGroups(caller: Caller, userId: string, query: ListQuery): Promise<Page<Group>> {
      await demandThing(registry, 'users', userId, caller.reach)
      const isOwn = userId === caller.principal.token.userId
      return await registry.list('groups', isOwn ? everywhere : caller.reach, query, {
        relation: 'groups-of-user',
        userId,
      })
    },

    async listGroupUsers(caller: Caller, groupId: string, query: ListQuery): Promise<Page<User>> {
      await demandThing(registry, 'groups', groupId, caller.reach)
      return await registry.list('users', caller.reach, query, {
        relation: 'members-of-group',
        groupId,
      })
    },

    async listRolePolicies(
      caller: Caller,
      roleId: string,
      query: ListQuery,
    ): Promise<Page<Policy>> {
      await demandThing(registry, 'roles', roleId, caller.reach)
      return await registry.list('policies', caller.reach, query, {
        relation: 'policies-of-role',
        roleId,
      })
    },

    listRoleAssignments: ({ reach }: Caller, query: AssignmentQuery): Promise<Page<GrantRecord>> =>
      registry.listGrants(reach, query),

    async getImpact(
      kind: 'domains' | 'projects' | 'users',
      caller: Caller,
      id: string,
    ): Promise<Impact> {
      await demandThing(registry, kind, id, caller.reach)
      return await registry.impactOf(kind, id, clock())
    },
  }
}
