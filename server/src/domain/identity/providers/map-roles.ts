import { isDeepStrictEqual } from 'node:util'
import type { MappingRule } from '@muster/contract'
import { scopeOfRule } from '../administration/provider-mapping.ts'
import type { Registry, Write } from '../administration/registry.ts'
import type { Grant, IdentityProvider } from '../administration/resources.ts'
import { matchesGlob } from '../../glob.ts'
import { everywhere } from '../../scope.ts'
import type { ExternalIdentity } from '../provider-driver.ts'

/** What one rule of a mapping does for a person. */
export interface AppliedRule {
  /** Undefined if the role, the project or the domain no longer exists. */
  readonly grant: Grant | undefined
  readonly isMatch: boolean
  /** The first value that matches; undefined for a rule that applies to everybody. */
  readonly matched: string | undefined
}

/** The grants that a mapping makes now, and those that it made before. */
export interface MappedRoles {
  /** In the order of the mapping. */
  readonly rules: readonly AppliedRule[]
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
    const rules: AppliedRule[] = []
    for (const rule of provider.mapping) {
      rules.push({ grant: await grantOf(rule, userId), ...applyRule(rule, person) })
    }
    const wanted = rules.flatMap(({ grant, isMatch }) => (isMatch && grant ? grant : []))
    return {
      rules,
      wanted: wanted.filter((grant, at) => !hasGrant(wanted.slice(0, at), grant)),
      offered: rules.flatMap(({ grant }) => grant ?? []),
      given: await registry.grantsBy(provider.id, userId),
    }
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

function applyRule(
  { attribute, value, pattern }: MappingRule,
  { attributes }: ExternalIdentity,
): Omit<AppliedRule, 'grant'> {
  if (attribute === undefined) return { isMatch: true, matched: undefined }
  const matched = attributes
    .get(attribute)
    ?.find((text) => (pattern === undefined ? text === value : matchesGlob(text, pattern)))
  return { isMatch: matched !== undefined, matched }
}
