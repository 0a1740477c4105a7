import type { Changes } from '../../audit/event.ts'
import { requireCanGrant, requireCanRevoke } from './authority.ts'
import type { Caller } from '../caller.ts'
import { requireResource, notFound } from './require-resource.ts'
import { createChangePlans, noChange } from './change-plan.ts'
import { createWriteUseCases, type WriteContext } from './write-resources.ts'
import type { Policy } from './resources.ts'

/** Roles belong to no scope, so changing one takes permissions on the whole system. */
const anywhere = { kind: 'system' } as const

/** Roles and the policies bound to them. */
export function createRoleUseCases(context: WriteContext) {
  const { registry, change } = context
  const plans = createChangePlans('roles', context)

  async function requirePair({ authorizedScope }: Caller, roleId: string, policyId: string) {
    const role = await requireResource(registry, 'roles', roleId, authorizedScope)
    const policy = await requireResource(registry, 'policies', policyId, authorizedScope)
    const policies = await registry.policiesOfRole(roleId)
    return { role, policy, isBound: policies.some(({ id }) => id === policyId) }
  }

  return {
    write: createWriteUseCases('roles', context, {
      async delete({ principal }, { id }) {
        const policies = await registry.policiesOfRole(id)
        requireCanRevoke(principal, anywhere, policies, 'delete this role')
        return undefined
      },
    }),

    bindPolicy: (caller: Caller, roleId: string, policyId: string): Promise<void> =>
      change(caller, async (caller) => {
        const { role, policy, isBound } = await requirePair(caller, roleId, policyId)
        requireCanGrant(caller.principal, anywhere, [policy], 'bind this policy')
        if (isBound) return noChange
        const write = { do: 'bind', roleId, policyId } as const
        return await plans.toRelate(caller, 'bind', role, policyChange(policy, 'bound'), write)
      }),

    async checkPolicyBinding(caller: Caller, roleId: string, policyId: string): Promise<void> {
      const { isBound } = await requirePair(caller, roleId, policyId)
      if (!isBound) throw notFound('policies')
    },

    unbindPolicy: (caller: Caller, roleId: string, policyId: string): Promise<void> =>
      change(caller, async (caller) => {
        const { role, policy, isBound } = await requirePair(caller, roleId, policyId)
        if (!isBound) throw notFound('policies')
        requireCanRevoke(caller.principal, anywhere, [policy], 'unbind this policy')
        const write = { do: 'unbind', roleId, policyId } as const
        return await plans.toRelate(caller, 'unbind', role, policyChange(policy, 'unbound'), write)
      }),
  }
}

function policyChange({ id, name }: Policy, way: 'bound' | 'unbound'): Changes {
  const policy = { id, name }
  return { policy: way === 'bound' ? [null, policy] : [policy, null] }
}
