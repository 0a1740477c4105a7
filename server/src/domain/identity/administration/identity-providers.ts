import type { MappingRule } from '@muster/contract'
import { redacted } from '../../audit/field-diff.ts'
import { badField } from '../../error.ts'
import type { SecretBox } from '../../secret-box.ts'
import { everywhere, type Scope } from '../../scope.ts'
import type { PolicyRecord } from '../records.ts'
import { requireAssignable } from './plan-grants.ts'
import { policiesInScope, requireCanGrant, requireCanRevoke } from './authority.ts'
import type { Caller } from '../caller.ts'
import { chooseOwner, requireReference } from './require-resource.ts'
import { createWriteUseCases, type WriteContext } from './write-resources.ts'
import type { Principal } from '../principal.ts'
import type { ProviderDriver } from '../provider-driver.ts'
import { createDecryptOptions, providerSecretsContext } from '../providers/decrypt-options.ts'
import {
  optionsThat,
  readOptions,
  type CheckAddress,
  type ProviderOptions,
} from '../providers/read-options.ts'
import type { Registry } from './registry.ts'
import type { Grant, IdentityProvider } from './resources.ts'

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

/** Identity providers and their mappings. */
export function createIdentityProviderUseCases(
  context: WriteContext & {
    readonly drivers: readonly ProviderDriver[]
    readonly checkAddress: CheckAddress
    readonly secretBox: SecretBox
  },
) {
  const { registry, drivers, checkAddress, secretBox } = context
  const decryptOptions = createDecryptOptions(registry, secretBox)

  /** The contract allows the same names. */
  function driverOf(name: string): ProviderDriver {
    const driver = drivers.find(({ names }) => names[0] === name)
    if (!driver) throw badField('identity_provider.driver', 'is not a driver of this server')
    return driver
  }

  /** The secret options as they are stored. */
  function encryptSecrets(driver: ProviderDriver, id: string, options: ProviderOptions) {
    const secrets = pick(options, optionsThat(driver.options, 'isSecret'))
    const isAny = Object.values(secrets).some((value) => value !== '')
    const context = providerSecretsContext(id)
    return { secrets: isAny ? secretBox.encrypt(JSON.stringify(secrets), context) : null }
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

  async function requireMapping(caller: Caller, mapping: readonly MappingRule[] = []) {
    for (const [index, rule] of mapping.entries()) {
      await requireRule(caller, rule, `identity_provider.mapping.${index}`)
    }
  }

  return createWriteUseCases('identity_providers', context, {
    async complete(caller, input) {
      const driver = driverOf(input.driver)
      const options = readOptions(driver.options, checkAddress, input)
      const owner = await chooseOwner(registry, 'identity_providers')(caller, input)
      await requireMapping(caller, input.mapping)
      return { ...owner, options: withoutSecrets(driver, options) }
    },
    secretsOf({ id, driver: name }, input) {
      const driver = driverOf(name)
      return encryptSecrets(driver, id, readOptions(driver.options, checkAddress, input))
    },
    async update(caller, { before, after, input }) {
      const driver = driverOf(before.driver)
      const old = await decryptOptions(before)
      const options = readOptions(driver.options, checkAddress, input, old)
      const isChanged = (name: string) => options[name] !== old[name]
      if (optionsThat(driver.options, 'isTrusted').some(isChanged)) {
        requireFullAdministrator(caller)
      }
      const isEnabled = after.enabled && !before.enabled
      await requireMapping(caller, isEnabled ? after.mapping : input.mapping)
      const changed = optionsThat(driver.options, 'isSecret').filter(isChanged)
      return {
        fields: { options: withoutSecrets(driver, options) },
        ...(changed.length > 0 && {
          secrets: encryptSecrets(driver, before.id, options),
          changes: Object.fromEntries(changed.map((name) => [name, redacted])),
        }),
        writes: after.enabled ? [] : [{ do: 'revoke-tokens', of: 'provider', id: before.id }],
      }
    },
    async delete({ principal }, { id }) {
      await requireCanRevokeMapped(registry, principal, 'delete this provider', id)
      return undefined
    },
    toFields: withoutNesting,
  })
}

const everything: PolicyRecord = {
  id: '',
  name: '',
  scope: 'system',
  enabled: true,
  rules: [{ service: '*', resource: '*', action: '*', effect: 'allow' }],
}

/** Whoever chooses the trusted server can log in as any of its users, with all their roles. */
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

const pick = (options: ProviderOptions, names: readonly string[]): ProviderOptions =>
  Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)))

function withoutSecrets(driver: ProviderDriver, options: ProviderOptions): ProviderOptions {
  const secret = optionsThat(driver.options, 'isSecret')
  return pick(
    options,
    Object.keys(options).filter((name) => !secret.includes(name)),
  )
}
