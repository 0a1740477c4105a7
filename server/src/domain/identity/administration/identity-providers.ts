import type { MappingRule } from '@muster/contract'
import { badField } from '../../error.ts'
import { certificatesProblem } from '../../pem.ts'
import { newId } from '../../new-id.ts'
import type { Clock } from '../../clock.ts'
import { everywhere, type Scope } from '../../scope.ts'
import type { PolicyRecord } from '../records.ts'
import { requireFits } from './assignments.ts'
import { bitingAt, requireMayGive, requireMayTake } from './authority.ts'
import type { Caller } from '../caller.ts'
import {
  requireFreeName,
  requireFreeRename,
  requireReferred,
  requireThing,
  said,
} from './changes.ts'
import { createDecisions } from './decisions.ts'
import type { Change } from './change.ts'
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

  const decisions = createDecisions('identity_providers', clock, ({ domain_id }) => ({
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
    const role = await requireReferred(
      registry,
      'roles',
      rule.role_id,
      everywhere,
      `${field}.role_id`,
    )
    const scope = await scopeOfRule(registry, rule)
    if (!scope) throw badField(field, 'names a project or domain that does not exist')
    const policies = await registry.policiesOfRole(role.id)
    requireFits(role, policies, scope, `${field}.role_id`)
    requireMayGive(principal, scope, bitingAt(scope, policies), 'map to this role')
  }

  async function requireMapping(caller: Caller, { mapping = [] }: ProviderChanges) {
    for (const [index, rule] of mapping.entries()) {
      await requireRule(caller, rule, `identity_provider.mapping.${index}`)
    }
  }

  /** What a mapping gave goes with its provider, a ban too. */
  async function requireMayTakeMapped({ principal }: Caller, id: string): Promise<void> {
    for (const { roleId, scope } of await registry.grantsBy(id)) {
      const policies = bitingAt(scope, await registry.policiesOfRole(roleId))
      requireMayTake(principal, scope, policies, 'delete this provider')
    }
  }

  return {
    createIdentityProvider: (caller: Caller, wish: NewProvider): Promise<IdentityProvider> =>
      change(caller, async (caller) => {
        requireAddresses(wish)
        requireCertificate(wish)
        await requireReferred(
          registry,
          'domains',
          wish.domain_id,
          caller.authorizedScope,
          'identity_provider.domain_id',
        )
        await requireMapping(caller, wish)
        await requireFreeName(registry, 'identity_providers', wish.name)
        return decisions.toCreate(caller, {
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
        const before = await requireThing(
          registry,
          'identity_providers',
          id,
          caller.authorizedScope,
        )
        requireAddresses(wish)
        requireCertificate(wish)
        requireMayVouch(caller, before, wish)
        const opens = wish.enabled === true && !before.enabled
        await requireMapping(caller, opens ? { mapping: before.mapping, ...wish } : wish)
        await requireFreeRename(registry, 'identity_providers', { name: before.name }, wish.name)
        const { name, url, service_url, protocol, enabled, ca, mapping } = wish
        const changes = said({ name, url, service_url, protocol, enabled, ca, mapping })
        return decisions.toUpdate(caller, before, changes, (after) => ({
          writes: after.enabled ? [] : [{ do: 'end-tokens', of: 'provider', id }],
        }))
      }),

    deleteIdentityProvider: (caller: Caller, id: string): Promise<void> =>
      change(caller, async (caller) => {
        const provider = await requireThing(
          registry,
          'identity_providers',
          id,
          caller.authorizedScope,
        )
        await requireMayTakeMapped(caller, id)
        return decisions.toDelete(caller, provider)
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
function requireMayVouch(
  { principal }: Caller,
  before: IdentityProvider,
  { url = before.url, service_url = before.service_url, ca = before.ca }: ProviderChanges,
): void {
  const isSame = url === before.url && service_url === before.service_url && ca === before.ca
  if (isSame) return
  requireMayGive(principal, { kind: 'system' }, [everything], 'have people vouched for elsewhere')
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
