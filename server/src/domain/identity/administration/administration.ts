import type { ScopeParameter } from '@muster/contract'
import { countEvents } from '../../audit/count-events.ts'
import type { EventCountQuery, EventQuery, EventStore } from '../../audit/event-store.ts'
import type { DeliveryLog } from '../../audit/event-sink.ts'
import type { ListQuery } from '../../query/list-query.ts'
import type { SecretBox } from '../../secret-box.ts'
import type { CheckPassword } from '../check-password.ts'
import type { LoginLimit } from '../login-limit.ts'
import type { CheckPasscode } from '../factors/check-passcode.ts'
import type { Directory, FactorStore, LoginGuard, PasswordHasher, TokenStore } from '../ports.ts'
import type { Clock } from '../../clock.ts'
import type { ReauthorizeCaller } from '../reauthorize-caller.ts'
import type { FindUserStatus } from '../user-status.ts'
import { createAssignmentUseCases } from './assignments.ts'
import type { Caller } from '../caller.ts'
import { narrowScope } from '../choose-scope.ts'
import { requesterOf } from '../requester-of.ts'
import { createChange } from './change-plan.ts'
import { createCheckPolicy } from './check-policy.ts'
import { createCredentialUseCases } from './credentials.ts'
import { createDomainUseCases } from './domains.ts'
import { createFactorUseCases } from './factors.ts'
import { createGroupUseCases } from './groups.ts'
import { createIdentityProviderUseCases } from './identity-providers.ts'
import { createChangeOwnPassword } from './own-password.ts'
import { createLinkedLoginUseCases } from './linked-logins.ts'
import { createLocalPasswordUseCases } from './local-passwords.ts'
import { createLoginRuleUseCases } from './login-rules.ts'
import { createPasswordLinkUseCases } from './password-links.ts'
import { createPolicyUseCases } from './policies.ts'
import { createPreviewLogins } from './preview-logins.ts'
import { createProjectUseCases } from './projects.ts'
import { createReadUseCases } from './read-resources.ts'
import type { Registry } from './registry.ts'
import type { ProviderDriver } from '../provider-driver.ts'
import { describeDriver } from '../providers/describe-driver.ts'
import type { CheckAddress } from '../providers/read-options.ts'
import { createRoleUseCases } from './roles.ts'
import { createTestProviders, type ProviderTrials } from './test-providers.ts'
import { createUserUseCases } from './users.ts'
import type { ResourceKind } from './resources.ts'
import type { WriteUseCases } from './write-resources.ts'

interface Dependencies {
  readonly registry: Registry
  readonly events: EventStore
  readonly deliveries: DeliveryLog
  readonly tokens: TokenStore
  readonly directory: Directory
  readonly findUserStatus: FindUserStatus
  readonly reauthorizeCaller: ReauthorizeCaller
  readonly checkPassword: CheckPassword
  readonly loginLimit: LoginLimit
  readonly hasher: PasswordHasher
  readonly factors: FactorStore
  readonly passcodes: CheckPasscode
  readonly guard: LoginGuard
  readonly host: string
  readonly secretBox: SecretBox
  readonly drivers: readonly ProviderDriver[]
  readonly checkAddress: CheckAddress
  readonly providerTrials: ProviderTrials
  readonly mostAccessKeys: number
  readonly clock: Clock
}

/** The use cases of administration, by operation. */
export function createAdministration(dependencies: Dependencies) {
  const { registry, events, deliveries, reauthorizeCaller, clock } = dependencies
  const change = createChange(registry, reauthorizeCaller)
  const context = { ...dependencies, change }
  const { write: groups, ...members } = createGroupUseCases(context)
  const { write: roles, ...bindings } = createRoleUseCases(context)
  const write = {
    domains: createDomainUseCases(context),
    projects: createProjectUseCases(context),
    users: createUserUseCases(context),
    groups,
    roles,
    policies: createPolicyUseCases(context),
    identity_providers: createIdentityProviderUseCases(context),
    credentials: createCredentialUseCases(context),
  } satisfies { readonly [K in ResourceKind]: Omit<WriteUseCases<K>, 'create'> }
  return {
    ...createReadUseCases(registry, clock),
    write,
    ...members,
    ...bindings,
    ...createAssignmentUseCases(registry, change, clock),
    changeOwnPassword: createChangeOwnPassword(context),
    ...createPasswordLinkUseCases(context),
    ...createLinkedLoginUseCases(context),
    ...createFactorUseCases(context),
    ...createTestProviders(context),
    ...createPreviewLogins(context),
    getIdentityProviderDrivers: () => dependencies.drivers.map(describeDriver),
    ...createLocalPasswordUseCases(context),
    ...createLoginRuleUseCases(context),
    checkPolicy: createCheckPolicy(dependencies),

    /** The audit events that the caller may read. */
    listEvents: (caller: Caller, query: EventQuery, scope: ScopeParameter | undefined) =>
      events.list(narrowScope(caller, scope), query),

    countEvents: (
      caller: Caller,
      query: EventCountQuery,
      scope: ScopeParameter | undefined,
      by: Parameters<typeof countEvents>[3],
    ) => countEvents(events, narrowScope(caller, scope), query, by),

    listEventDeliveries: (caller: Caller, query: ListQuery<string>) =>
      deliveries.listDeliveries(query, requesterOf(caller)),
  }
}
export type Administration = ReturnType<typeof createAdministration>
