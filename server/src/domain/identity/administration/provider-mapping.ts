import type { MappingRule } from '@muster/contract'
import { badField } from '../../error.ts'
import { everywhere, type Scope } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import type { Principal } from '../principal.ts'
import { policiesInScope, requireCanGrant, requireCanRevoke } from './authority.ts'
import { requireAssignable } from './plan-grants.ts'
import type { Registry } from './registry.ts'
import { requireReference } from './require-resource.ts'
import type { Grant } from './resources.ts'

/** The scope in which a rule of a mapping grants its role. */
export async function scopeOfRule(
  registry: Registry,
  rule: MappingRule,
): Promise<Scope | undefined> {
  if (rule.project_id !== undefined) {
    const project = await registry.find('projects', rule.project_id, everywhere)
    return project && { kind: 'project', projectId: project.id, domainId: project.domain_id }
  }
  const domain = await registry.find('domains', rule.domain_id ?? '', everywhere)
  return domain && { kind: 'domain', domainId: domain.id }
}

/**
 * What the mapping of a provider granted, to one user or to all. Throws unless the principal may revoke it,
 * deny rules included.
 */
export async function requireCanRevokeMapped(
  registry: Pick<Registry, 'grantsBy' | 'policiesOfRole'>,
  principal: Principal,
  what: string,
  providerId: string,
  userId?: string,
): Promise<readonly Grant[]> {
  const grants = await registry.grantsBy(providerId, userId)
  for (const { roleId, scope } of grants) {
    const policies = policiesInScope(scope, await registry.policiesOfRole(roleId))
    requireCanRevoke(principal, scope, policies, what)
  }
  return grants
}

/** Throws unless the caller could grant what the rules of a mapping grant at every login. */
export function createRequireMapping(registry: Registry) {
  async function requireRule({ principal }: Caller, rule: MappingRule, field: string) {
    if ((rule.project_id === undefined) === (rule.domain_id === undefined)) {
      throw badField(field, 'must have either project_id or domain_id')
    }
    const texts = [rule.value, rule.pattern].filter((text) => text !== undefined)
    if (texts.length !== (rule.attribute === undefined ? 0 : 1)) {
      throw badField(field, 'must have both attribute and value or pattern, or none of them')
    }
    const role = await requireReference(
      registry,
      'roles',
      rule.role_id,
      everywhere,
      `${field}.role_id`,
    )
    const scope = await scopeOfRule(registry, rule)
    if (!scope) throw badField(field, 'refers to a project or domain that does not exist')
    const policies = await registry.policiesOfRole(role.id)
    requireAssignable(role, policies, scope, `${field}.role_id`)
    requireCanGrant(principal, scope, policiesInScope(scope, policies), 'map to this role')
  }

  return async function requireMapping(
    caller: Caller,
    mapping: readonly MappingRule[] = [],
    path = 'identity_provider.mapping',
  ): Promise<void> {
    for (const [index, rule] of mapping.entries()) {
      await requireRule(caller, rule, `${path}.${index}`)
    }
  }
}
