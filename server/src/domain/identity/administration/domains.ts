import { PlatformError } from '../../error.ts'
import { newId } from '../../new-id.ts'
import type { Clock } from '../../clock.ts'
import { everywhere } from '../../scope.ts'
import { requireCanRevokeAll } from './authority.ts'
import type { Caller } from '../caller.ts'
import {
  requireFreeName,
  requireFreeRename,
  requireResource,
  nullToEmpty,
} from './require-resource.ts'
import { definedFields } from '../../audit/field-diff.ts'
import { createChangePlans, type Change } from './change-plan.ts'
import { requireNoServers, requireNotDefaultDomain } from './protected-resources.ts'
import { all, type Registry } from './registry.ts'
import type { Domain } from './resources.ts'

interface NewDomain {
  readonly name: string
  readonly description?: string | null
  readonly enabled?: boolean
}

export function createDomainUseCases(registry: Registry, change: Change, clock: Clock) {
  const plans = createChangePlans('domains', clock, ({ id }) => ({
    kind: 'domain',
    domainId: id,
  }))

  /** Deleting a domain deletes its groups, and with them the deny rules of their roles. */
  async function requireCanRevokeGroups({ principal }: Caller, domainId: string): Promise<void> {
    const { items } = await registry.list('groups', everywhere, all({ domain_id: domainId }))
    for (const { id } of items) {
      const held = await registry.assignmentsOf({ kind: 'group', id })
      requireCanRevokeAll(principal, held, 'delete this domain')
    }
  }

  return {
    createDomain: (caller: Caller, input: NewDomain): Promise<Domain> =>
      change(caller, async (caller) => {
        await requireFreeName(registry, 'domains', input.name)
        return plans.toCreate(caller, {
          id: newId(),
          name: input.name,
          description: input.description ?? '',
          enabled: input.enabled ?? true,
          created_at: clock(),
        })
      }),

    updateDomain: (caller: Caller, id: string, input: Partial<NewDomain>): Promise<Domain> =>
      change(caller, async (caller) => {
        const before = await requireResource(registry, 'domains', id, caller.authorizedScope)
        requireNotDefaultDomain(before, input)
        await requireFreeRename(registry, 'domains', before, input.name)
        const { name, description, enabled } = input
        return plans.toUpdate(
          caller,
          before,
          definedFields({ name, description: nullToEmpty(description), enabled }),
          (after) => ({
            writes: after.enabled ? [] : [{ do: 'revoke-tokens', of: 'domain', id }],
          }),
        )
      }),

    deleteDomain: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const domain = await requireResource(registry, 'domains', id, caller.authorizedScope)
        requireNotDefaultDomain(domain, 'delete')
        requireDisabled(domain)
        await requireCanRevokeGroups(caller, id)
        const impact = await registry.impactOf('domains', id, clock())
        requireNoServers('domain', impact)
        return plans.toDelete(caller, domain, {
          changes: { touched: [impact, null] },
          writes: [{ do: 'require-no-servers', of: 'domain', id }],
        })
      }),
  }
}

/** Deleting a domain deletes so much that it takes two steps. */
function requireDisabled({ enabled }: Domain): void {
  if (enabled) {
    throw new PlatformError(
      'InvalidStatusError',
      'The domain is enabled. Disable it before you delete it.',
    )
  }
}
