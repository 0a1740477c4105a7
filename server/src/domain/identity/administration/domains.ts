import { PlatformError } from '../../error.ts'
import { newId } from '../new-id.ts'
import type { Clock } from '../ports.ts'
import { everywhere } from '../reach.ts'
import { demandMayTakeAll } from './authority.ts'
import type { Caller } from '../caller.ts'
import { demandFreeName, demandFreeRename, demandThing, orEmpty, said } from './changes.ts'
import { createDecisions } from './decisions.ts'
import { demandNoServers } from './demand-no-servers.ts'
import { demandNotDefaultDomain } from './demand-not-built-in.ts'
import type { Change } from './change.ts'
import { all, type Registry } from './registry.ts'
import type { Domain } from './resources.ts'

interface NewDomain {
  readonly name: string
  readonly description?: string | null
  readonly enabled?: boolean
}

export function createDomainUseCases(registry: Registry, change: Change, clock: Clock) {
  const decisions = createDecisions('domains', clock, ({ id }) => ({
    kind: 'domain',
    domainId: id,
  }))

  /** The groups of a domain go with it, and with them whatever ban they carry. */
  async function demandMayTakeGroups({ principal }: Caller, domainId: string): Promise<void> {
    const { items } = await registry.list('groups', everywhere, all({ domain_id: domainId }))
    for (const { id } of items) {
      const held = await registry.assignmentsOf({ kind: 'group', id })
      demandMayTakeAll(principal, held, 'delete this domain')
    }
  }

  return {
    createDomain: (caller: Caller, wish: NewDomain): Promise<Domain> =>
      change(caller, async (caller) => {
        await demandFreeName(registry, 'domains', wish.name)
        return decisions.toCreate(caller, {
          id: newId(),
          name: wish.name,
          description: wish.description ?? '',
          enabled: wish.enabled ?? true,
          created_at: clock(),
        })
      }),

    updateDomain: (caller: Caller, id: string, wish: Partial<NewDomain>): Promise<Domain> =>
      change(caller, async (caller) => {
        const before = await demandThing(registry, 'domains', id, caller.reach)
        demandNotDefaultDomain(before, wish)
        await demandFreeRename(registry, 'domains', before, wish.name)
        const { name, description, enabled } = wish
        return decisions.toUpdate(
          caller,
          before,
          said({ name, description: orEmpty(description), enabled }),
          (after) => ({
            writes: after.enabled ? [] : [{ do: 'end-tokens', of: 'domain', id }],
          }),
        )
      }),

    deleteDomain: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const domain = await demandThing(registry, 'domains', id, caller.reach)
        demandNotDefaultDomain(domain, 'delete')
        demandDisabled(domain)
        await demandMayTakeGroups(caller, id)
        const impact = await registry.impactOf('domains', id, clock())
        demandNoServers('domain', impact)
        return decisions.toDelete(caller, domain, {
          changes: { touched: [impact, null] },
          writes: [{ do: 'demand-no-servers', of: 'domain', id }],
        })
      }),
  }
}

/** So much goes with a domain that it takes two steps. */
function demandDisabled({ enabled }: Domain): void {
  if (enabled) {
    throw new PlatformError(
      'InvalidStatusError',
      'Only a disabled domain can be deleted: disable it first, and see that nobody misses it.',
    )
  }
}
