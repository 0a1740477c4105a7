import type { PolicyRule, PolicyScope } from '@muster/contract'
import { newId } from '../../new-id.ts'
import type { Clock } from '../../clock.ts'
import { requireCanGrant, requireCanRevoke } from './authority.ts'
import type { Caller } from '../caller.ts'
import { requireFreeName, requireFreeRename, requireResource } from './require-resource.ts'
import { definedFields } from '../../audit/field-diff.ts'
import { createChangePlans } from './change-plan.ts'
import type { Change } from './change-as-caller.ts'
import type { Registry } from './registry.ts'
import type { Policy } from './resources.ts'

interface NewPolicy {
  readonly name: string
  readonly scope: PolicyScope
  readonly enabled?: boolean
  readonly rules: readonly PolicyRule[]
}

/** Whoever holds it, and wherever: a policy is made and unmade by who may do all of it anywhere. */
const anywhere = { kind: 'system' } as const

/**
 * Policies. A new rule that allows is given to whoever holds it, and a rule that forbids is taken
 * when it goes: both only by who may do it.
 */
export function createPolicyUseCases(registry: Registry, change: Change, clock: Clock) {
  const plans = createChangePlans('policies', clock, () => anywhere)

  function requireCanChange({ principal }: Caller, before: Policy, after: Policy): void {
    if (before.enabled === after.enabled && before.rules === after.rules) return
    requireCanGrant(principal, anywhere, [after], 'change this policy so')
    requireCanRevoke(principal, anywhere, [before], 'change this policy so')
  }

  return {
    createPolicy: (caller: Caller, wish: NewPolicy): Promise<Policy> =>
      change(caller, async (caller) => {
        await requireFreeName(registry, 'policies', wish.name)
        const policy: Policy = {
          id: newId(),
          name: wish.name,
          scope: wish.scope,
          enabled: wish.enabled ?? true,
          rules: wish.rules,
          created_at: clock(),
        }
        requireCanGrant(caller.principal, anywhere, [policy], 'make this policy')
        return plans.toCreate(caller, policy)
      }),

    updatePolicy: (
      caller: Caller,
      id: string,
      wish: Partial<Omit<NewPolicy, 'scope'>>,
    ): Promise<Policy> =>
      change(caller, async (caller) => {
        const before = await requireResource(registry, 'policies', id, caller.authorizedScope)
        await requireFreeRename(registry, 'policies', before, wish.name)
        const { name, enabled, rules } = wish
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
