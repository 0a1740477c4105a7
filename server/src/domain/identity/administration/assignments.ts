import { badField } from '../../error.ts'
import type { Clock } from '../../clock.ts'
import { everywhere, type AuthorizedScope, type Scope } from '../../scope.ts'
import type { PolicyRecord } from '../records.ts'
import { policiesInScope, requireCanGrant, requireCanRevoke } from './authority.ts'
import type { Caller } from '../caller.ts'
import { type AuditedAction } from '../../audit/create-event.ts'
import { createAuditEvent } from '../create-audit-event.ts'
import { requireResource, notFound } from './require-resource.ts'
import { noChange } from './change-plan.ts'
import type { Change } from './change-as-caller.ts'
import { all, type Registry } from './registry.ts'
import type { Grant, Holder, Role } from './resources.ts'

/** How a request names a scope. */
export type ScopeReference =
  | { readonly kind: 'system' }
  | { readonly kind: 'domain'; readonly id: string }
  | { readonly kind: 'project'; readonly id: string }

/** Who holds which role where. */
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
   * Whom a role can be given to: anyone for the system's administrators, for all others the people
   * of the scope's own domain.
   */
  async function requireHolder({ authorizedScope }: Caller, holder: Holder, scope: Scope) {
    const kind = holder.kind === 'user' ? 'users' : 'groups'
    const isFree = authorizedScope.scope.kind === 'system'
    const relatedTo: AuthorizedScope =
      isFree || scope.kind === 'system'
        ? authorizedScope
        : { scope: { kind: 'domain', domainId: scope.domainId }, self: undefined }
    return await requireResource(registry, kind, holder.id, relatedTo)
  }

  /** Somebody who holds a role at a scope in the caller's scope is known there, from wherever they are. */
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

  return {
    grantRole: (
      caller: Caller,
      roleId: string,
      holder: Holder,
      reference: ScopeReference,
    ): Promise<void> =>
      change(caller, async (caller) => {
        const scope = await requireScope(caller, reference)
        const { name } = await requireHolder(caller, holder, scope)
        const role = await requireResource(registry, 'roles', roleId, everywhere)
        const policies = await registry.policiesOfRole(roleId)
        requireAssignable(role, policies, scope)
        requireCanGrant(
          caller.principal,
          scope,
          policiesInScope(scope, policies),
          'grant this role',
        )
        const grant: Grant = { roleId, holder, scope }
        const held = await registry.findGrant(grant)
        if (held?.providerId === null) return noChange
        return {
          // What a mapping gave it could take back; from now on somebody has given it.
          writes: [...(held ? [{ do: 'revoke', grant } as const] : []), { do: 'grant', grant }],
          events: [createAuditEvent(caller, grantAction('grant', role, grant, name), clock)],
          result: undefined,
        }
      }),

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
      change(caller, async (caller) => {
        const scope = await requireScope(caller, reference)
        const held = await requireHeld(roleId, holder, scope)
        const policies = await registry.policiesOfRole(roleId)
        requireCanRevoke(
          caller.principal,
          scope,
          policiesInScope(scope, policies),
          'take this role',
        )
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
      }),

    async listHeldRoles(
      caller: Caller,
      holder: Holder,
      reference: ScopeReference,
    ): Promise<readonly Role[]> {
      const scope = await requireScope(caller, reference)
      const relatedTo = { relation: 'roles-of-holder', holder, scope } as const
      const { items } = await registry.list('roles', everywhere, all({}), relatedTo)
      return items
    },
  }
}

/** A role fits where at least one of its policies bites; a role without any fits everywhere. */
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
