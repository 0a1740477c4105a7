import type { Changes } from '../../audit/event.ts'
import { newId } from '../../new-id.ts'
import type { Clock } from '../../clock.ts'
import { requireCanGrant, requireCanRevoke } from './authority.ts'
import type { Caller } from '../caller.ts'
import {
  requireFreeName,
  requireFreeRename,
  requireResource,
  notFound,
  nullToEmpty,
} from './require-resource.ts'
import { definedFields } from '../../audit/field-diff.ts'
import { createChangePlans, noChange, type Change } from './change-plan.ts'
import type { Registry } from './registry.ts'
import type { Policy, Role } from './resources.ts'

interface NewRole {
  readonly name: string
  readonly description?: string | null
}

/** Roles belong to no scope, so changing one takes permissions on the whole system. */
const anywhere = { kind: 'system' } as const

/** Roles and the policies bound to them. */
export function createRoleUseCases(registry: Registry, change: Change, clock: Clock) {
  const plans = createChangePlans('roles', clock, () => anywhere)

  async function requirePair({ authorizedScope }: Caller, roleId: string, policyId: string) {
    const role = await requireResource(registry, 'roles', roleId, authorizedScope)
    const policy = await requireResource(registry, 'policies', policyId, authorizedScope)
    const policies = await registry.policiesOfRole(roleId)
    return { role, policy, isBound: policies.some(({ id }) => id === policyId) }
  }

  return {
    createRole: (caller: Caller, input: NewRole): Promise<Role> =>
      change(caller, async (caller) => {
        await requireFreeName(registry, 'roles', input.name)
        return plans.toCreate(caller, {
          id: newId(),
          name: input.name,
          description: input.description ?? '',
          created_at: clock(),
        })
      }),

    updateRole: (caller: Caller, id: string, input: Partial<NewRole>): Promise<Role> =>
      change(caller, async (caller) => {
        const before = await requireResource(registry, 'roles', id, caller.authorizedScope)
        await requireFreeRename(registry, 'roles', before, input.name)
        const { name, description } = input
        return plans.toUpdate(
          caller,
          before,
          definedFields({ name, description: nullToEmpty(description) }),
        )
      }),

    deleteRole: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const role = await requireResource(registry, 'roles', id, caller.authorizedScope)
        const policies = await registry.policiesOfRole(id)
        requireCanRevoke(caller.principal, anywhere, policies, 'delete this role')
        return plans.toDelete(caller, role)
      }),

    bindPolicy: (caller: Caller, roleId: string, policyId: string): Promise<void> =>
      change(caller, async (caller) => {
        const { role, policy, isBound } = await requirePair(caller, roleId, policyId)
        requireCanGrant(caller.principal, anywhere, [policy], 'bind this policy')
        if (isBound) return noChange
        const write = { do: 'bind', roleId, policyId } as const
        return plans.toRelate(caller, 'bind', role, policyChange(policy, 'bound'), write)
      }),

    async checkPolicyBinding(caller: Caller, roleId: string, policyId: string): Promise<void> {
      const { isBound } = await requirePair(caller, roleId, policyId)
      if (!isBound) throw notFound('policies')
    },

    unbindPolicy: (caller: Caller, roleId: string, policyId: string): Promise<void> =>
      change(caller, async (caller) => {
        const { role, policy, isBound } = await requirePair(caller, roleId, policyId)
        if (!isBound) throw notFound('policies')
        requireCanRevoke(caller.principal, anywhere, [policy], 'take this policy off')
        const write = { do: 'unbind', roleId, policyId } as const
        return plans.toRelate(caller, 'unbind', role, policyChange(policy, 'unbound'), write)
      }),
  }
}

function policyChange({ id, name }: Policy, way: 'bound' | 'unbound'): Changes {
  const policy = { id, name }
  return { policy: way === 'bound' ? [null, policy] : [policy, null] }
}
