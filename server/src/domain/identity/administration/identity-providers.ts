import type { MappingRule } from '@muster/contract'
import { badField } from '../../error.ts'
import { certificatesProblem } from '../../pem.ts'
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
import { createChangePlans } from './change-plan.ts'
import type { Change } from './change-as-caller.ts'
import type { Registry } from './registry.ts'
import type { IdentityProvider } from './resources.ts'

interface ProviderChanges {
  readonly name?: string
  readonly url?: string
  readonly service_url?: string
  readonly protocol?: 2 | 3
  readonly enabled?: boolean
  readonly ca?: string
  readonly mapping?: readonly MappingRule[]
}

interface NewProvider extends ProviderChanges {
  readonly name: string
  readonly url: string
  readonly service_url: string
  readonly domain_id: string
}

/** Says why an address must not be asked, or nothing. */
export type CheckAddress = (url: URL) => string | undefined

interface Dependencies {
  readonly registry: Registry
  readonly change: Change
  readonly checkAddress: CheckAddress
  readonly clock: Clock
}

/** Where a rule of a mapping gives its role. */
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

/** Outside servers that vouch for people, and what those people get for it. */
export function createIdentityProviderUseCases(dependencies: Dependencies) {
  const { registry, change, checkAddress, clock } = dependencies

  const plans = createChangePlans('identity_providers', clock, ({ domain_id }) => ({
    kind: 'domain',
    domainId: domain_id,
  }))

  function requireAddresses({ url, service_url }: ProviderChanges): void {
    if (url !== undefined) {
      const address = readAddress(url, 'identity_provider.url')
      if (address.protocol !== 'https:') throw badField('identity_provider.url', 'must be https')
      if (address.search !== '') throw badField('identity_provider.url', 'must have no query')
      const refusal = checkAddress(address)
      if (refusal !== undefined) throw badField('identity_provider.url', refusal)
    }
    if (service_url !== undefined) readAddress(service_url, 'identity_provider.service_url')
  }

  /** What a mapping gives is granted, at every login, by who wrote it. */
  async function requireRule({ principal }: Caller, rule: MappingRule, field: string) {
    if ((rule.project_id === undefined) === (rule.domain_id === undefined)) {
      throw badField(field, 'needs either a project_id or a domain_id')
    }
    if ((rule.attribute === undefined) !== (rule.value === undefined)) {
      throw badField(field, 'needs an attribute and its value, or neither')
    }
    const role = await requireReference(
      registry,
      'roles',
      rule.role_id,
      everywhere,
      `${field}.role_id`,
    )
    const scope = await scopeOfRule(registry, rule)
    if (!scope) throw badField(field, 'names a project or domain that does not exist')
    const policies = await registry.policiesOfRole(role.id)
    requireAssignable(role, policies, scope, `${field}.role_id`)
    requireCanGrant(principal, scope, policiesInScope(scope, policies), 'map to this role')
  }

  async function requireMapping(caller: Caller, { mapping = [] }: ProviderChanges) {
    for (const [index, rule] of mapping.entries()) {
      await requireRule(caller, rule, `identity_provider.mapping.${index}`)
    }
  }

  /** What a mapping gave goes with its provider, a ban too. */
  async function requireCanRevokeMapped({ principal }: Caller, id: string): Promise<void> {
    for (const { roleId, scope } of await registry.grantsBy(id)) {
      const policies = policiesInScope(scope, await registry.policiesOfRole(roleId))
      requireCanRevoke(principal, scope, policies, 'delete this provider')
    }
  }

  return {
    createIdentityProvider: (caller: Caller, wish: NewProvider): Promise<IdentityProvider> =>
      change(caller, async (caller) => {
        requireAddresses(wish)
        requireCertificate(wish)
        await requireReference(
          registry,
          'domains',
          wish.domain_id,
          caller.authorizedScope,
          'identity_provider.domain_id',
        )
        await requireMapping(caller, wish)
        await requireFreeName(registry, 'identity_providers', wish.name)
        return plans.toCreate(caller, {
          id: newId(),
          name: wish.name,
          driver: 'cas',
          url: wish.url,
          service_url: wish.service_url,
          protocol: wish.protocol ?? 3,
          domain_id: wish.domain_id,
          enabled: wish.enabled ?? true,
          ca: wish.ca ?? '',
          mapping: wish.mapping ?? [],
          created_at: clock(),
        })
      }),

    updateIdentityProvider: (
      caller: Caller,
      id: string,
      wish: ProviderChanges,
    ): Promise<IdentityProvider> =>
      change(caller, async (caller) => {
        const before = await requireResource(
          registry,
          'identity_providers',
          id,
          caller.authorizedScope,
        )
        requireAddresses(wish)
        requireCertificate(wish)
        requireCanChangeServer(caller, before, wish)
        const opens = wish.enabled === true && !before.enabled
        await requireMapping(caller, opens ? { mapping: before.mapping, ...wish } : wish)
        await requireFreeRename(registry, 'identity_providers', { name: before.name }, wish.name)
        const { name, url, service_url, protocol, enabled, ca, mapping } = wish
        const changes = definedFields({ name, url, service_url, protocol, enabled, ca, mapping })
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

/** Whoever says which server vouches for people can be any of them, whatever they hold. */
function requireCanChangeServer(
  { principal }: Caller,
  before: IdentityProvider,
  { url = before.url, service_url = before.service_url, ca = before.ca }: ProviderChanges,
): void {
  const isSame = url === before.url && service_url === before.service_url && ca === before.ca
  if (isSame) return
  requireCanGrant(principal, { kind: 'system' }, [everything], 'have people vouched for elsewhere')
}

function readAddress(text: string, field: string): URL {
  const address = URL.parse(text)
  if (!address || !['http:', 'https:'].includes(address.protocol)) {
    throw badField(field, 'must be a web address')
  }
  if (address.username !== '' || address.password !== '') {
    throw badField(field, 'must not hold a name or a password')
  }
  if (address.hash !== '') throw badField(field, 'must have no fragment')
  return address
}

function requireCertificate({ ca }: ProviderChanges): void {
  const problem = ca === undefined || ca === '' ? undefined : certificatesProblem(ca)
  if (problem !== undefined) throw badField('identity_provider.ca', problem)
}
