import { isDeepStrictEqual } from 'node:util'
import type { MappingRule } from '@muster/contract'
import { scopeOfRule } from '../administration/identity-providers.ts'
import type { Registry } from '../administration/registry.ts'
import type { Grant, IdentityProvider } from '../administration/resources.ts'
import { everywhere } from '../../scope.ts'
import type { ExternalIdentity } from '../provider-driver.ts'

/** The grants that a mapping makes now, and those that it made before. */
export interface MappedRoles {
  readonly wanted: readonly Grant[]
  readonly given: readonly Grant[]
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
    for (const rule of provider.mapping.filter((candidate) => applies(candidate, person))) {
      const grant = await grantOf(rule, userId)
      if (grant && !hasGrant(wanted, grant)) wanted.push(grant)
    }
    return { wanted, given: await registry.grantsBy(provider.id, userId) }
  }
}

export const hasGrant = (grants: readonly Grant[], grant: Grant): boolean =>
  grants.some((candidate) => isDeepStrictEqual(candidate, grant))

function applies(
  { attribute, value = '' }: MappingRule,
  { attributes }: ExternalIdentity,
): boolean {
  if (attribute === undefined) return true
  return attributes.get(attribute)?.includes(value) ?? false
}
