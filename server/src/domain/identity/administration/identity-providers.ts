import type { MappingRule } from '@muster/contract'
import { badField } from '../../error.ts'
import { newId } from '../../new-id.ts'
import type { Clock } from '../../clock.ts'
import { everywhere, type Scope } from '../../scope.ts'
import type { PolicyRecord } from '../records.ts'
import { requireAssignable } from './assignments.ts'
import { policiesInScope, requireCanGrant, requireCanRevoke } from './authority.ts'
import type { Caller } from '../caller.ts'
import {
  requireFreeName,
  requireFreeRename,
  requireReference,
  requireResource,
} from './require-resource.ts'
import { definedFields } from '../../audit/field-diff.ts'
import { createChangePlans, type Change } from './change-plan.ts'
import type { ProviderDriver } from '../provider-driver.ts'
import type { Registry } from './registry.ts'
import type { IdentityProvider } from './resources.ts'

/** The fields of a request; the driver reads its options from the same object. */
interface ProviderChanges {
  readonly name?: string
  readonly enabled?: boolean
  readonly mapping?: readonly MappingRule[]
}

interface NewProvider extends ProviderChanges {
  readonly name: string
  readonly driver: string
  readonly domain_id: string
}

interface Dependencies {
  readonly registry: Registry
  readonly change: Change
  readonly drivers: readonly ProviderDriver[]
  readonly clock: Clock
}

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

/** Identity providers and their mappings. */
export function createIdentityProviderUseCases(dependencies: Dependencies) {
  const { registry, change, drivers, clock } = dependencies

  const plans = createChangePlans(
    'identity_providers',
    clock,
    ({ domain_id }) => ({ kind: 'domain', domainId: domain_id }),
    withoutNesting,
  )

  /** The contract allows the same names. */
  function driverOf(name: string): ProviderDriver {
    const driver = drivers.find(({ names }) => names[0] === name)
    if (!driver) throw badField('identity_provider.driver', 'is not a driver of this server')
    return driver
  }

  /** A mapping grants roles at every login, so whoever writes it must be allowed to grant them. */
  async function requireRule({ principal }: Caller, rule: MappingRule, field: string) {
    if ((rule.project_id === undefined) === (rule.domain_id === undefined)) {
      throw badField(field, 'must have either project_id or domain_id')
    }
    if ((rule.attribute === undefined) !== (rule.value === undefined)) {
      throw badField(field, 'must have both attribute and value, or neither')
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

  async function requireMapping(caller: Caller, { mapping = [] }: ProviderChanges) {
    for (const [index, rule] of mapping.entries()) {
      await requireRule(caller, rule, `identity_provider.mapping.${index}`)
    }
  }

  /** Deleting a provider revokes what its mapping granted, deny rules included. */
  async function requireCanRevokeMapped({ principal }: Caller, id: string): Promise<void> {
    for (const { roleId, scope } of await registry.grantsBy(id)) {
      const policies = policiesInScope(scope, await registry.policiesOfRole(roleId))
      requireCanRevoke(principal, scope, policies, 'delete this provider')
    }
  }

  return {
    createIdentityProvider: (caller: Caller, input: NewProvider): Promise<IdentityProvider> =>
      change(caller, async (caller) => {
        const options = driverOf(input.driver).readOptions(input)
        await requireReference(
          registry,
          'domains',
          input.domain_id,
          caller.authorizedScope,
          'identity_provider.domain_id',
        )
        await requireMapping(caller, input)
        await requireFreeName(registry, 'identity_providers', input.name)
        return plans.toCreate(caller, {
          id: newId(),
          name: input.name,
          driver: input.driver,
          options,
          domain_id: input.domain_id,
          enabled: input.enabled ?? true,
          mapping: input.mapping ?? [],
          created_at: clock(),
        })
      }),

    updateIdentityProvider: (
      caller: Caller,
      id: string,
      input: ProviderChanges,
    ): Promise<IdentityProvider> =>
      change(caller, async (caller) => {
        const before = await requireResource(
          registry,
          'identity_providers',
          id,
          caller.authorizedScope,
        )
        const driver = driverOf(before.driver)
        const options = driver.readOptions(input, before.options)
        if (driver.trustOptions.some((name) => options[name] !== before.options[name])) {
          requireFullAdministrator(caller)
        }
        const opens = input.enabled === true && !before.enabled
        await requireMapping(caller, opens ? { mapping: before.mapping, ...input } : input)
        await requireFreeRename(registry, 'identity_providers', { name: before.name }, input.name)
        const { name, enabled, mapping } = input
        const changes = definedFields({ name, options, enabled, mapping })
        return plans.toUpdate(caller, before, changes, (after) => ({
          writes: after.enabled ? [] : [{ do: 'revoke-tokens', of: 'provider', id }],
        }))
      }),

    deleteIdentityProvider: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const provider = await requireResource(
          registry,
          'identity_providers',
          id,
          caller.authorizedScope,
        )
        await requireCanRevokeMapped(caller, id)
        return plans.toDelete(caller, provider)
      }),
  }
}

const everything: PolicyRecord = {
  id: '',
  name: '',
  scope: 'system',
  enabled: true,
  rules: [{ service: '*', resource: '*', action: '*', effect: 'allow' }],
}

/** Whoever decides which server is trusted can log in as any of its users, whatever they hold. */
const requireFullAdministrator = ({ principal }: Caller): void =>
  requireCanGrant(
    principal,
    { kind: 'system' },
    [everything],
    'change which server authenticates users',
  )

/** The API and the audit log show the driver's options beside the other fields. */
const withoutNesting = ({ options, ...fields }: Partial<IdentityProvider>): object => ({
  ...fields,
  ...options,
})
