import { PlatformError } from '../../error.ts'
import { everywhere } from '../../scope.ts'
import { requireCanRevokeAll } from './authority.ts'
import type { Caller } from '../caller.ts'
import { requireNoServers, requireNotDefaultDomain } from './protected-resources.ts'
import { all } from './registry.ts'
import type { Domain } from './resources.ts'
import { createWriteUseCases, type WriteContext } from './write-resources.ts'

export function createDomainUseCases(context: WriteContext) {
  const { registry, clock } = context

  /** Deleting a domain deletes its groups, and with them the deny rules of their roles. */
  async function requireCanRevokeGroups({ principal }: Caller, domainId: string): Promise<void> {
    const { items } = await registry.list('groups', everywhere, all({ domain_id: domainId }))
    for (const { id } of items) {
      const held = await registry.assignmentsOf({ kind: 'group', id })
      requireCanRevokeAll(principal, held, 'delete this domain')
    }
  }

  return createWriteUseCases('domains', context, {
    update(_caller, { before, after, input }) {
      requireNotDefaultDomain(before, input)
      return { writes: after.enabled ? [] : [{ do: 'revoke-tokens', of: 'domain', id: before.id }] }
    },
    async delete(caller, domain) {
      requireNotDefaultDomain(domain, 'delete')
      requireDisabled(domain)
      await requireCanRevokeGroups(caller, domain.id)
      const impact = await registry.impactOf('domains', domain.id, clock())
      requireNoServers('domain', impact)
      return {
        changes: { touched: [impact, null] },
        writes: [{ do: 'require-no-servers', of: 'domain', id: domain.id }],
      }
    },
  })
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
