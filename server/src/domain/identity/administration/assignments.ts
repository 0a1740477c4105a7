import { badField } from '../../error.ts'
import type { Clock } from '../../clock.ts'
import { everywhere, type AuthorizedScope, type Scope } from '../../scope.ts'
import type { PolicyRecord } from '../records.ts'
import { policiesInScope, requireCanGrant, requireCanRevoke } from './authority.ts'
import type { Caller } from '../caller.ts'
import { narrowScope } from '../choose-scope.ts'
import { requesterOf } from '../requester-of.ts'
import { type AuditedAction } from '../../audit/create-event.ts'
import { createAuditEvent } from '../create-audit-event.ts'
import { requireResource, resolveId, notFound } from './require-resource.ts'
import { joinPlans, noChange, type Change } from './change-plan.ts'
import type { Page } from '../../query/list-query.ts'
import type { ChangePlan, Registry, ResourceQuery } from './registry.ts'
import type { Grant, Holder, ResourceKind, Role } from './resources.ts'

/** A scope as a request names it. */
export type ScopeReference =
  | { readonly kind: 'system' }
  | { readonly kind: 'domain'; readonly id: string }
  | { readonly kind: 'project'; readonly id: string }

/** Role assignments. */
export function createAssignmentUseCases(registry: Registry, change: Change, clock: Clock) {
  async function requireScope(
    { authorizedScope }: Caller,
    reference: ScopeReference,
  ): Promise<Scope> {
    switch (reference.kind) {
      case 'system':
        return reference
      case 'domain': {
        const { id } = await requireResource(registry, 'domains', reference.id, authorizedScope)
        return { kind: 'domain', domainId: id }
      }
      case 'project': {
        const { id, domain_id } = await requireResource(
          registry,
          'projects',
          reference.id,
          authorizedScope,
        )
        return { kind: 'project', projectId: id, domainId: domain_id }
      }
    }
  }

  /**
   * Administrators of the system may assign roles to anyone, all others to users and groups of the
   * scope's own domain.
   */
  async function requireHolder({ authorizedScope }: Caller, holder: Holder, scope: Scope) {
    const kind = holder.kind === 'user' ? 'users' : 'groups'
    const isSystemAdmin = authorizedScope.scope.kind === 'system'
    const relatedTo: AuthorizedScope =
      isSystemAdmin || scope.kind === 'system'
        ? authorizedScope
        : { scope: { kind: 'domain', domainId: scope.domainId }, self: undefined }
    return await requireResource(registry, kind, holder.id, relatedTo)
  }

  /** Whoever holds a role in a visible scope is visible there, also users of another domain. */
  async function requireHeld(roleId: string, holder: Holder, scope: Scope) {
    const grant: Grant = { roleId, holder, scope }
    if (!(await registry.findGrant(grant))) throw notFound('roles')
    const kind = holder.kind === 'user' ? 'users' : 'groups'
    const role = await requireResource(registry, 'roles', roleId, everywhere)
    return { grant, role, holder: await requireResource(registry, kind, holder.id, everywhere) }
  }

  const grantAction = (
    action: 'grant' | 'revoke',
    role: Role,
    { holder, scope }: Grant,
    holderName: string,
  ): AuditedAction => {
    const held = { role: role.name, role_id: role.id, on: scope.kind }
    return {
      action,
      targetType: holder.kind,
      targetId: holder.id,
      targetName: holderName,
      scope,
      changes: { assignment: action === 'grant' ? [null, held] : [held, null] },
    }
  }

  async function planGrant(
    caller: Caller,
    roleId: string,
    holder: Holder,
    reference: ScopeReference,
  ): Promise<ChangePlan<undefined>> {
    const scope = await requireScope(caller, reference)
    const { name } = await requireHolder(caller, holder, scope)
    const role = await requireResource(registry, 'roles', roleId, everywhere)
    const policies = await registry.policiesOfRole(roleId)
    requireAssignable(role, policies, scope)
    requireCanGrant(caller.principal, scope, policiesInScope(scope, policies), 'grant this role')
    const grant: Grant = { roleId, holder, scope }
    const held = await registry.findGrant(grant)
    if (held?.providerId === null) return noChange
    return {
      // Replaces an assignment of a provider's mapping, which the next login could revoke.
      writes: [...(held ? [{ do: 'revoke', grant } as const] : []), { do: 'grant', grant }],
      events: [createAuditEvent(caller, grantAction('grant', role, grant, name), clock)],
      result: undefined,
    }
  }

  async function planRevocation(
    caller: Caller,
    roleId: string,
    holder: Holder,
    reference: ScopeReference,
  ): Promise<ChangePlan<undefined>> {
    const scope = await requireScope(caller, reference)
    const held = await requireHeld(roleId, holder, scope)
    const policies = await registry.policiesOfRole(roleId)
    requireCanRevoke(caller.principal, scope, policiesInScope(scope, policies), 'take this role')
    return {
      writes: [{ do: 'revoke', grant: held.grant }],
      events: [
        createAuditEvent(
          caller,
          grantAction('revoke', held.role, held.grant, held.holder.name),
          clock,
        ),
      ],
      result: undefined,
    }
  }

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
          planned.push(await plan(caller, roleId, holder, { kind: 'project', id: projectId }))
        }
        const { name } = await requireResource(registry, holders, holder.id, everywhere)
        return joinPlans(planned, { id: holder.id, name })
      })

  return {
    grantRole: (
      caller: Caller,
      roleId: string,
      holder: Holder,
      reference: ScopeReference,
    ): Promise<void> => change(caller, (caller) => planGrant(caller, roleId, holder, reference)),

    async checkGrant(
      caller: Caller,
      roleId: string,
      holder: Holder,
      reference: ScopeReference,
    ): Promise<void> {
      const scope = await requireScope(caller, reference)
      await requireHeld(roleId, holder, scope)
    },

    revokeRole: (
      caller: Caller,
      roleId: string,
      holder: Holder,
      reference: ScopeReference,
    ): Promise<void> =>
      change(caller, (caller) => planRevocation(caller, roleId, holder, reference)),

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

/**
 * A role can be assigned in a scope where one of its policies applies; a role without policies in
 * any.
 */
export function requireAssignable(
  role: Role,
  policies: readonly PolicyRecord[],
  scope: Pick<Scope, 'kind'>,
  field = 'role_id',
): void {
  if (policies.length === 0 || policiesInScope(scope, policies).length > 0) return
  const kinds = [...new Set(policies.map(({ scope }) => scope))].join(' or ')
  throw badField(
    field,
    `is the role "${role.name}", which has policies for ${kinds} and cannot be assigned on a ${scope.kind}`,
  )
}
