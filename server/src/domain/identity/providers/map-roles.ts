import { isDeepStrictEqual } from 'node:util'
import type { MappingRule } from '@muster/contract'
import { scopeOfRule } from '../administration/provider-mapping.ts'
import type { Registry, Write } from '../administration/registry.ts'
import type { Grant, IdentityProvider } from '../administration/resources.ts'
import { everywhere } from '../../scope.ts'
import type { ExternalIdentity } from '../provider-driver.ts'

/** The grants that a mapping makes now, and those that it made before. */
export interface MappedRoles {
  readonly wanted: readonly Grant[]
  readonly given: readonly Grant[]
  /** What the mapping grants to those who have the attributes. */
  readonly offered: readonly Grant[]
}

/** Applies a provider's mapping to one person. */
export function createMapRoles(registry: Registry) {
  /** A rule whose role or scope no longer exists grants nothing. */
  async function grantOf(rule: MappingRule, userId: string): Promise<Grant | undefined> {
    const scope = await scopeOfRule(registry, rule)
    const role = await registry.find('roles', rule.role_id, everywhere)
    return scope && role && { roleId: role.id, holder: { kind: 'user', id: userId }, scope }
  }

  return async function mapRoles(
    provider: IdentityProvider,
    person: ExternalIdentity,
    userId: string,
  ): Promise<MappedRoles> {
    const wanted: Grant[] = []
    const offered: Grant[] = []
    for (const rule of provider.mapping) {
      const grant = await grantOf(rule, userId)
      if (!grant) continue
      offered.push(grant)
      if (applies(rule, person) && !hasGrant(wanted, grant)) wanted.push(grant)
    }
    return { wanted, offered, given: await registry.grantsBy(provider.id, userId) }
  }
}

/** What makes the grants of a mapping those that it makes now. */
export async function planRoles(
  registry: Pick<Registry, 'findGrant'>,
  providerId: string,
  { wanted, given }: MappedRoles,
): Promise<Write[]> {
  const writes: Write[] = []
  for (const grant of wanted.filter((candidate) => !hasGrant(given, candidate))) {
    // Keeps a grant that a user made: the mapping must not revoke it later.
    if (!(await registry.findGrant(grant))) writes.push({ do: 'grant', grant, providerId })
  }
  for (const grant of given.filter((candidate) => !hasGrant(wanted, candidate))) {
    writes.push({ do: 'revoke', grant, providerId })
  }
  return writes
}

/** The numbers of roles that the mapping revoked and granted, for an event. */
export const countRoles = (writes: readonly Write[]): [unknown, unknown] => [
  { taken: writes.filter((write) => write.do === 'revoke').length },
  { given: writes.filter((write) => write.do === 'grant').length },
]

export const hasGrant = (grants: readonly Grant[], grant: Grant): boolean =>
  grants.some((candidate) => isDeepStrictEqual(candidate, grant))

function applies(
  { attribute, value = '' }: MappingRule,
  { attributes }: ExternalIdentity,
): boolean {
  if (attribute === undefined) return true
  return attributes.get(attribute)?.includes(value) ?? false
}
