import { badField } from '../../error.ts'
import type { Clock } from '../ports.ts'
import { everywhere, type AuthorizedScope } from '../authorized-scope.ts'
import type { PolicyRecord } from '../records.ts'
import { bitingAt, requireMayGive, requireMayTake } from './authority.ts'
import type { Caller } from '../caller.ts'
import { createAuditEvent, type AuditedAction } from '../../audit/describe-event.ts'
import { requireThing, notThere } from './changes.ts'
import { nothingToDo } from './decisions.ts'
import type { Change } from './change.ts'
import { all, type Registry } from './registry.ts'
import type { Grant, Holder, Place, Role } from './resources.ts'

/** How a request names a place. */
export type PlaceReference =
  | { readonly kind: 'system' }
  | { readonly kind: 'domain'; readonly id: string }
  | { readonly kind: 'project'; readonly id: string }

/** Who holds which role where. */
export function createAssignmentUseCases(registry: Registry, change: Change, clock: Clock) {
  async function requirePlace(
    { authorizedScope }: Caller,
    reference: PlaceReference,
  ): Promise<Place> {
    switch (reference.kind) {
      case 'system':
        return reference
      case 'domain': {
        const { id } = await requireThing(registry, 'domains', reference.id, authorizedScope)
        return { kind: 'domain', domainId: id }
      }
      case 'project': {
        const { id, domain_id } = await requireThing(
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
   * of the place's own domain.
   */
  async function requireHolder({ authorizedScope }: Caller, holder: Holder, place: Place) {
    const kind = holder.kind === 'user' ? 'users' : 'groups'
    const isFree = authorizedScope.scope.kind === 'system'
    const among: AuthorizedScope =
      isFree || place.kind === 'system'
        ? authorizedScope
        : { scope: { kind: 'domain', domainId: place.domainId }, self: undefined }
    return await requireThing(registry, kind, holder.id, among)
  }

  /** Somebody who holds a role at a place in the caller's scope is known there, from wherever they are. */
  async function requireHeld(roleId: string, holder: Holder, place: Place) {
    const grant: Grant = { roleId, holder, place }
    if (!(await registry.findGrant(grant))) throw notThere('roles')
    const kind = holder.kind === 'user' ? 'users' : 'groups'
    const role = await requireThing(registry, 'roles', roleId, everywhere)
    return { grant, role, holder: await requireThing(registry, kind, holder.id, everywhere) }
  }

  const deed = (
    action: 'grant' | 'revoke',
    role: Role,
    { holder, place }: Grant,
    holderName: string,
  ): AuditedAction => {
    const held = { role: role.name, role_id: role.id, on: place.kind }
    return {
      action,
      targetType: holder.kind,
      targetId: holder.id,
      targetName: holderName,
      place,
      changes: { assignment: action === 'grant' ? [null, held] : [held, null] },
    }
  }

  return {
    grantRole: (
      caller: Caller,
      roleId: string,
      holder: Holder,
      reference: PlaceReference,
    ): Promise<void> =>
      change(caller, async (caller) => {
        const place = await requirePlace(caller, reference)
        const { name } = await requireHolder(caller, holder, place)
        const role = await requireThing(registry, 'roles', roleId, everywhere)
        const policies = await registry.policiesOfRole(roleId)
        requireFits(role, policies, place)
        requireMayGive(caller.principal, place, bitingAt(place, policies), 'grant this role')
        const grant: Grant = { roleId, holder, place }
        const held = await registry.findGrant(grant)
        if (held?.providerId === null) return nothingToDo
        return {
          // What a mapping gave it could take back; from now on somebody has given it.
          writes: [...(held ? [{ do: 'revoke', grant } as const] : []), { do: 'grant', grant }],
          events: [createAuditEvent(caller, deed('grant', role, grant, name), clock)],
          answer: undefined,
        }
      }),

    async checkGrant(
      caller: Caller,
      roleId: string,
      holder: Holder,
      reference: PlaceReference,
    ): Promise<void> {
      const place = await requirePlace(caller, reference)
      await requireHeld(roleId, holder, place)
    },

    revokeRole: (
      caller: Caller,
      roleId: string,
      holder: Holder,
      reference: PlaceReference,
    ): Promise<void> =>
      change(caller, async (caller) => {
        const place = await requirePlace(caller, reference)
        const held = await requireHeld(roleId, holder, place)
        const policies = await registry.policiesOfRole(roleId)
        requireMayTake(caller.principal, place, bitingAt(place, policies), 'take this role')
        return {
          writes: [{ do: 'revoke', grant: held.grant }],
          events: [
            createAuditEvent(
              caller,
              deed('revoke', held.role, held.grant, held.holder.name),
              clock,
            ),
          ],
          answer: undefined,
        }
      }),

    async listHeldRoles(
      caller: Caller,
      holder: Holder,
      reference: PlaceReference,
    ): Promise<readonly Role[]> {
      const place = await requirePlace(caller, reference)
      const among = { relation: 'roles-of-holder', holder, place } as const
      const { items } = await registry.list('roles', everywhere, all({}), among)
      return items
    },
  }
}

/** A role fits where at least one of its policies bites; a role without any fits everywhere. */
export function requireFits(
  role: Role,
  policies: readonly PolicyRecord[],
  place: Pick<Place, 'kind'>,
  field = 'role_id',
): void {
  if (policies.length === 0 || bitingAt(place, policies).length > 0) return
  const kinds = [...new Set(policies.map(({ scope }) => scope))].join(' or ')
  throw badField(
    field,
    `names the role "${role.name}", which has policies for: ${kinds}; it cannot be held on: ${place.kind}`,
  )
}
