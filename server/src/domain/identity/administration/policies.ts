import type { PolicyRule, PolicyScope } from '@muster/contract'
import { newId } from '../../new-id.ts'
import type { Clock } from '../../clock.ts'
import { requireCanGrant, requireCanRevoke } from './authority.ts'
import type { Caller } from '../caller.ts'
import { requireFreeName, requireFreeRename, requireResource } from './require-resource.ts'
import { definedFields } from '../../audit/field-diff.ts'
import { createChangePlans, type Change } from './change-plan.ts'
import type { Registry } from './registry.ts'
import type { Policy } from './resources.ts'

interface NewPolicy {
  readonly name: string
  readonly scope: PolicyScope
  readonly enabled?: boolean
  readonly rules: readonly PolicyRule[]
}

/** Policies belong to no scope, so changing one takes permissions on the whole system. */
const anywhere = { kind: 'system' } as const

/** Policies. Adding an allow rule grants a permission, and so does removing a deny rule. */
export function createPolicyUseCases(registry: Registry, change: Change, clock: Clock) {
  const plans = createChangePlans('policies', clock, () => anywhere)

  function requireCanChange({ principal }: Caller, before: Policy, after: Policy): void {
    if (before.enabled === after.enabled && before.rules === after.rules) return
    requireCanGrant(principal, anywhere, [after], 'change this policy so')
    requireCanRevoke(principal, anywhere, [before], 'change this policy so')
  }

  return {
    createPolicy: (caller: Caller, input: NewPolicy): Promise<Policy> =>
      change(caller, async (caller) => {
        await requireFreeName(registry, 'policies', input.name)
        const policy: Policy = {
          id: newId(),
          name: input.name,
          scope: input.scope,
          enabled: input.enabled ?? true,
          rules: input.rules,
          created_at: clock(),
        }
        requireCanGrant(caller.principal, anywhere, [policy], 'make this policy')
        return plans.toCreate(caller, policy)
      }),

    updatePolicy: (
      caller: Caller,
      id: string,
      input: Partial<Omit<NewPolicy, 'scope'>>,
    ): Promise<Policy> =>
      change(caller, async (caller) => {
        const before = await requireResource(registry, 'policies', id, caller.authorizedScope)
        await requireFreeRename(registry, 'policies', before, input.name)
        const { name, enabled, rules } = input
        const changes = definedFields({ name, enabled, rules })
        requireCanChange(caller, before, { ...before, ...changes })
        return plans.toUpdate(caller, before, changes)
      }),

    deletePolicy: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const policy = await requireResource(registry, 'policies', id, caller.authorizedScope)
        requireCanRevoke(caller.principal, anywhere, [policy], 'delete this policy')
        return plans.toDelete(caller, policy)
      }),
  }
}
