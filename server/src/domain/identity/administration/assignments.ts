import type { Clock } from '../../clock.ts'
import type { Page } from '../../query/list-query.ts'
import { everywhere } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import { narrowScope } from '../choose-scope.ts'
import { requesterOf } from '../requester-of.ts'
import { joinPlans, type Change } from './change-plan.ts'
import { createGrantPlans, type GrantReference, type ScopeReference } from './plan-grants.ts'
import type { ChangePlan, Registry, ResourceQuery } from './registry.ts'
import { requireResource, resolveId } from './require-resource.ts'
import type { Holder, ResourceKind, Role } from './resources.ts'

/** Role assignments. */
export function createAssignmentUseCases(registry: Registry, change: Change, clock: Clock) {
  const { requireScope, requireHeld, planGrant, planRevocation } = createGrantPlans(registry, clock)

  /**
   * Grants or revokes roles on several projects, all or none. A name of a user or group is looked up only
   * among those that the caller can see, so that it tells nothing about others.
   */
  const changeProjectRoles =
    (plan: typeof planGrant) =>
    (
      caller: Caller,
      { kind, id }: Holder,
      wanted: readonly { readonly project: string; readonly role: string }[],
    ): Promise<{ readonly id: string; readonly name: string }> =>
      change(caller, async (caller) => {
        const resolve = (kind: ResourceKind, idOrName: string) =>
          resolveId(registry, kind, idOrName, caller.authorizedScope)
        /** The id of each name, which many pairs can repeat while this change delays all others. */
        const idsOf = async (kind: ResourceKind, names: readonly string[]) => {
          const ids = new Map<string, string>()
          for (const name of new Set(names)) ids.set(name, await resolve(kind, name))
          return ids
        }
        const holders = kind === 'user' ? 'users' : 'groups'
        const holder: Holder = { kind, id: await resolve(holders, id) }
        const projectIds = await idsOf(
          'projects',
          wanted.map(({ project }) => project),
        )
        const roleIds = await idsOf(
          'roles',
          wanted.map(({ role }) => role),
        )
        const pairs = new Map<string, readonly [string, string]>()
        for (const { project, role } of wanted) {
          const ids = [projectIds.get(project) ?? '', roleIds.get(role) ?? ''] as const
          pairs.set(ids.join(' '), ids)
        }
        const planned: ChangePlan<undefined>[] = []
        for (const [projectId, roleId] of pairs.values()) {
          planned.push(
            await plan(caller, { roleId, holder, on: { kind: 'project', id: projectId } }),
          )
        }
        const { name } = await requireResource(registry, holders, holder.id, everywhere)
        return joinPlans(planned, { id: holder.id, name })
      })

  return {
    grantRole: (caller: Caller, grant: GrantReference): Promise<void> =>
      change(caller, (caller) => planGrant(caller, grant)),

    async checkGrant(caller: Caller, { roleId, holder, on }: GrantReference): Promise<void> {
      await requireHeld(roleId, holder, await requireScope(caller, on))
    },

    revokeRole: (caller: Caller, grant: GrantReference): Promise<void> =>
      change(caller, (caller) => planRevocation(caller, grant)),

    joinProjects: changeProjectRoles(planGrant),
    leaveProjects: changeProjectRoles(planRevocation),

    async listHeldRoles(
      caller: Caller,
      holder: Holder,
      reference: ScopeReference,
      query: ResourceQuery,
    ): Promise<Page<Role>> {
      const scope = await requireScope(caller, reference)
      const relatedTo = { relation: 'roles-of-holder', holder, scope } as const
      const context = { relatedTo, requester: requesterOf(caller) }
      return await registry.list('roles', narrowScope(caller, query.scope), query, context)
    },
  }
}
