import { type AuditedAction } from '../../audit/create-event.ts'
import type { Clock } from '../../clock.ts'
import { badField } from '../../error.ts'
import { everywhere, type AuthorizedScope, type Scope } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import { createAuditEvent } from '../create-audit-event.ts'
import type { PolicyRecord } from '../records.ts'
import { policiesInScope, requireCanGrant, requireCanRevoke } from './authority.ts'
import { noChange } from './change-plan.ts'
import type { ChangePlan, Registry } from './registry.ts'
import { notFound, requireResource } from './require-resource.ts'
import type { Grant, Holder, Role } from './resources.ts'

/** A scope as a request names it. */
export type ScopeReference =
  | { readonly kind: 'system' }
  | { readonly kind: 'domain'; readonly id: string }
  | { readonly kind: 'project'; readonly id: string }

/** A role assignment as a request names it. */
export interface GrantReference {
  readonly roleId: string
  readonly holder: Holder
  readonly on: ScopeReference
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

/** Decides whether a caller may grant or revoke a role, and plans the change. */
export function createGrantPlans(registry: Registry, clock: Clock) {
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
    { roleId, holder, on }: GrantReference,
  ): Promise<ChangePlan<undefined>> {
    const scope = await requireScope(caller, on)
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
    { roleId, holder, on }: GrantReference,
  ): Promise<ChangePlan<undefined>> {
    const scope = await requireScope(caller, on)
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

  return { requireScope, requireHeld, planGrant, planRevocation }
}
