import type { LoginPreview, LoginPreviewRequest, MappingRule } from '@muster/contract'
import type { EventStore } from '../../audit/event-store.ts'
import type { Clock } from '../../clock.ts'
import { badField, PlatformError } from '../../error.ts'
import { everywhere } from '../../scope.ts'
import type { Caller } from '../caller.ts'
import { createAuditEvent } from '../create-audit-event.ts'
import type { ExternalIdentity } from '../provider-driver.ts'
import { createMapRoles, hasGrant, type MappedRoles } from '../providers/map-roles.ts'
import { createPlanLogin } from '../providers/plan-login.ts'
import type { ProviderOptions } from '../providers/read-options.ts'
import { reasonOf } from '../providers/test-provider.ts'
import { createRequireMapping } from './provider-mapping.ts'
import { createProviderOptions, type ProviderOptionsContext } from './provider-options.ts'
import type { ChangePlan, Write } from './registry.ts'
import { requireResource } from './require-resource.ts'
import type { Grant, IdentityProvider } from './resources.ts'
import type { ProviderTrials } from './test-providers.ts'

/** Milliseconds for looking somebody up. */
const longestLookup = 5_000

interface Dependencies extends ProviderOptionsContext {
  readonly providerTrials: ProviderTrials
  readonly events: Pick<EventStore, 'record'>
  readonly clock: Clock
}

type Target = Pick<
  LoginPreview['rules'][number],
  'role_id' | 'role' | 'project_id' | 'project' | 'domain_id' | 'domain'
>
type UserPreview = LoginPreview['user']

type PersonRead = { readonly person: ExternalIdentity } | { readonly problem: string }

/** Whom nothing is known about. */
const stranger: ExternalIdentity = { subject: '', attributes: new Map() }

const textsOf = ({ subject, profile }: ExternalIdentity) => ({
  subject,
  name: profile?.name ?? subject,
  displayname: profile?.displayname ?? '',
  email: profile?.email ?? '',
})

const grantsThat = (deed: 'grant' | 'revoke', writes: readonly Write[]): readonly Grant[] =>
  writes.flatMap((write) => (write.do === deed ? write.grant : []))

/** What the login of somebody would do: planned as a login is, and not written. */
export function createPreviewLogins(dependencies: Dependencies) {
  const { registry, providerTrials, events, clock } = dependencies
  const { driverOf, decryptOptions } = createProviderOptions(dependencies)
  const requireMapping = createRequireMapping(registry)
  const planLogin = createPlanLogin(registry, clock)
  const mapRoles = createMapRoles(registry)

  /** Asks the provider, like a test. */
  async function lookUp(
    caller: Caller,
    provider: IdentityProvider,
    options: ProviderOptions,
    name: string,
  ): Promise<PersonRead> {
    const { id, name: targetName, domain_id: domainId } = provider
    const driver = providerTrials.createDrivers().find(({ names }) => names[0] === provider.driver)
    if (!driver || !('findPerson' in driver)) {
      throw badField('login_name', 'is not supported by the driver of this provider: send claims')
    }
    const action = {
      action: 'preview',
      targetType: 'identity_provider',
      targetId: id,
      targetName,
      scope: { kind: 'domain', domainId },
      changes: { login_name: [null, name] as [unknown, unknown] },
    } as const
    await events.record(createAuditEvent(caller, action, clock))
    return await providerTrials.inTurn(caller.principal.token.userId, async () => {
      try {
        const deadline = performance.now() + longestLookup
        const person = await driver.findPerson(options, name, deadline)
        if (!person) return { problem: 'the provider has nobody of this name' }
        return person.isDisabled ? { problem: 'the provider disabled this person' } : { person }
      } catch (error) {
        return { problem: reasonOf(error) }
      }
    })
  }

  async function readPerson(
    caller: Caller,
    provider: IdentityProvider,
    { claims = {}, login_name }: LoginPreviewRequest,
  ): Promise<PersonRead> {
    const driver = driverOf(provider.driver)
    const options = await decryptOptions(provider)
    if (login_name !== undefined) return await lookUp(caller, provider, options, login_name)
    try {
      return { person: driver.readClaims(options, claims) }
    } catch (error) {
      return { problem: reasonOf(error) }
    }
  }

  /** What the login plans; a problem if it is refused. */
  async function plan(caller: Caller, provider: IdentityProvider, person: ExternalIdentity) {
    const { label } = driverOf(provider.driver)
    const login = { origin: caller.origin, requested: { kind: 'default' }, label } as const
    try {
      return { plan: await planLogin(provider, person, login) }
    } catch (error) {
      if (error instanceof PlatformError && error.class === 'UnauthorizedError') {
        return { problem: reasonOf(error) }
      }
      throw error
    }
  }

  async function nameTarget({ roleId, scope }: Grant): Promise<Target> {
    const projectId = scope.kind === 'project' ? scope.projectId : ''
    const domainId = scope.kind === 'system' ? '' : (scope.domainId ?? '')
    const nameOf = async (kind: 'roles' | 'projects' | 'domains', id: string) =>
      id === '' ? '' : ((await registry.find(kind, id, everywhere))?.name ?? '')
    return {
      role_id: roleId,
      role: await nameOf('roles', roleId),
      project_id: projectId,
      project: await nameOf('projects', projectId),
      domain_id: domainId,
      domain: await nameOf('domains', domainId),
    }
  }

  const describeRules = (mapping: readonly MappingRule[], { rules }: MappedRoles) =>
    Promise.all(
      rules.map(async ({ grant, isMatch, matched = '' }, at) => {
        const { attribute = '', value, pattern, ...rule } = mapping[at] as MappingRule
        const { role_id, project_id = '', domain_id = '' } = rule
        const lost = { role_id, role: '', project_id, project: '', domain_id, domain: '' }
        const result = isMatch ? ('match' as const) : ('no_match' as const)
        return {
          ...(grant ? await nameTarget(grant) : lost),
          result: grant ? result : ('broken' as const),
          attribute,
          value: pattern ?? value ?? '',
          matched,
        }
      }),
    )

  async function describeAssignments({ rules, wanted }: MappedRoles, writes: readonly Write[]) {
    const granted = grantsThat('grant', writes)
    const indexesOf = (grant: Grant) =>
      rules.flatMap((rule, at) =>
        rule.isMatch && rule.grant && hasGrant([rule.grant], grant) ? at : [],
      )
    const held = wanted.map(async (grant) => ({
      ...(await nameTarget(grant)),
      result: hasGrant(granted, grant) ? ('grant' as const) : ('keep' as const),
      rules: indexesOf(grant),
    }))
    const lost = grantsThat('revoke', writes).map(async (grant) => ({
      ...(await nameTarget(grant)),
      result: 'revoke' as const,
      rules: [],
    }))
    return await Promise.all([...held, ...lost])
  }

  /** The user of a plan. The name of an existing one is theirs, whatever the provider says now. */
  function describeUser(
    person: ExternalIdentity,
    { writes, result }: ChangePlan<{ readonly id: string; readonly name: string }>,
  ): UserPreview {
    const isNew = writes.some((write) => write.do === 'insert')
    const { id, name } = result
    return isNew
      ? { ...textsOf(person), result: 'create', problem: '', id: '', name }
      : { ...textsOf(person), result: 'existing', problem: '', id, name }
  }

  return {
    async previewIdentityProviderMapping(
      caller: Caller,
      id: string,
      request: LoginPreviewRequest,
    ): Promise<LoginPreview> {
      const { authorizedScope } = caller
      const stored = await requireResource(registry, 'identity_providers', id, authorizedScope)
      if ((request.claims === undefined) === (request.login_name === undefined)) {
        throw badField('claims', 'or login_name is required, and not both')
      }
      await requireMapping(caller, request.mapping, 'mapping')
      const provider = { ...stored, mapping: request.mapping ?? stored.mapping }
      const read = await readPerson(caller, provider, request)
      const person = 'person' in read ? read.person : stranger
      const planned = 'person' in read ? await plan(caller, provider, person) : read
      const user =
        'plan' in planned
          ? describeUser(person, planned.plan)
          : { ...textsOf(person), result: 'refused' as const, ...planned, id: '' }
      // The id of a user who would be created is in the plan only.
      const userId = 'plan' in planned ? planned.plan.result.id : ''
      const mapped = await mapRoles(provider, person, userId)
      return {
        user,
        attributes: [...person.attributes].map(([name, values]) => ({ name, values: [...values] })),
        assignments:
          'plan' in planned ? await describeAssignments(mapped, planned.plan.writes) : [],
        rules: await describeRules(provider.mapping, mapped),
      }
    },
  }
}
