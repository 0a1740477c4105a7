import { assignmentOperations } from './administration/assignments.ts'
import { catalogOperations } from './administration/catalog.ts'
import { credentialOperations } from './administration/credentials.ts'
import { domainOperations } from './administration/domains.ts'
import { eventOperations } from './administration/events.ts'
import { groupOperations } from './administration/groups.ts'
import { identityProviderOperations } from './administration/identity-providers.ts'
import { policyOperations } from './administration/policies.ts'
import { projectOperations } from './administration/projects.ts'
import { roleOperations } from './administration/roles.ts'
import { userOperations } from './administration/users.ts'
import { cloudAccountOperations } from './cloudaccounts/operations.ts'
import { identityOperations } from './identity.ts'
import type { Operation } from './operation.ts'
import { serverOperations } from './servers/operations.ts'
import { serviceOperations } from './service.ts'
import { viewOperations } from './views/operations.ts'

export type { RoleAssignmentView } from './administration/assignments.ts'
export type { EndpointView, RegionView, ServiceView } from './administration/catalog.ts'
export type { CredentialView, NewCredentialView } from './administration/credentials.ts'
export type { DomainView } from './administration/domains.ts'
export * from './administration/events.ts'
export type { GroupView } from './administration/groups.ts'
export type { IdentityProviderView, MappingRule } from './administration/identity-providers.ts'
export type { Impact } from './administration/impact.ts'
export type {
  PolicyCheckRequest,
  PolicyCheckView,
  PolicyRule,
  PolicyView,
} from './administration/policies.ts'
export type { ProjectView } from './administration/projects.ts'
export type { RoleView } from './administration/roles.ts'
export type { UserView } from './administration/users.ts'
export * from './cloudaccounts/account.ts'
export * from './content-coding.ts'
export * from './errors.ts'
export * from './gateway/operations.ts'
export type {
  LoginOptions,
  PasswordLogin,
  ScopeChange,
  SessionEntry,
  SessionView,
} from './gateway/session.ts'
export * from './gateway/wire-names.ts'
export * from './identity.ts'
export * from './methods.ts'
export * from './openapi.ts'
export * from './operation.ts'
export type { PermissionView } from './permission.ts'
export * from './policy-words.ts'
export { largestPage } from './resource.ts'
export { newNamePattern } from './scalars.ts'
export * from './server.ts'
export * from './servers/metadata.ts'
export * from './servers/operations.ts'
export * from './servers/original-parameters.ts'
export * from './servers/parameters.ts'
export { mostGroupValues, ServerStatistics } from './servers/statistics.ts'
export * from './servers/timeline.ts'
export * from './views/view.ts'

/** Every operation that Muster serves, and no other. */
export const operations = [
  ...identityOperations,
  ...domainOperations,
  ...projectOperations,
  ...userOperations,
  ...groupOperations,
  ...roleOperations,
  ...assignmentOperations,
  ...policyOperations,
  ...credentialOperations,
  ...identityProviderOperations,
  ...catalogOperations,
  ...eventOperations,
  ...serverOperations,
  ...viewOperations,
  ...cloudAccountOperations,
  ...serviceOperations,
] as const satisfies readonly Operation[]

export type OperationId = (typeof operations)[number]['id']
