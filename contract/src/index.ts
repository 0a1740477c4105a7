import { assignmentOperations } from './administration/assignments.ts'
import { catalogOperations } from './administration/catalog.ts'
import { credentialOperations } from './administration/credentials.ts'
import { domainOperations } from './administration/domains.ts'
import { eventDeliveryOperations } from './administration/event-deliveries.ts'
import { eventOperations } from './administration/events.ts'
import { factorOperations } from './administration/factors.ts'
import { groupOperations } from './administration/groups.ts'
import { identityProviderDriverOperations } from './administration/identity-provider-drivers.ts'
import { identityProviderOperations } from './administration/identity-providers.ts'
import { linkedLoginOperations } from './administration/linked-logins.ts'
import { mappingPreviewOperations } from './administration/mapping-previews.ts'
export type { LocalPasswordsDto, LocalPasswordsRequest } from './administration/local-passwords.ts'
import { localPasswordOperations } from './administration/local-passwords.ts'
export {
  noLoginRules,
  type LoginRules,
  type LoginRulesDto,
  type LoginRulesRequest,
} from './administration/login-rules.ts'
import { loginRuleOperations } from './administration/login-rules.ts'
import { policyOperations } from './administration/policies.ts'
import { projectOperations } from './administration/projects.ts'
import { roleOperations } from './administration/roles.ts'
import { providerTestOperations } from './administration/provider-tests.ts'
import { userOperations } from './administration/users.ts'
import { checkOperations } from './checks/operations.ts'
import { cloudAccountOperations } from './cloudaccounts/operations.ts'
import { identityOperations } from './identity.ts'
import type { Operation } from './operation.ts'
import { inventoryResources } from './resources/inventory.ts'
import { inventoryOperations } from './resources/list-operations.ts'
import { feedOperations } from './servers/feeds.ts'
import { serverActionOperations } from './servers/actions.ts'
import { serverChangeOperations } from './servers/changes.ts'
import { serverDiffOperations } from './servers/diff.ts'
import { serverOperations } from './servers/operations.ts'
import { serviceOperations } from './service.ts'
import { taskOperations } from './tasks/operations.ts'
import { viewOperations } from './views/operations.ts'

export {
  assignmentOperations,
  catalogOperations,
  checkOperations,
  cloudAccountOperations,
  serviceOperations,
  viewOperations,
}
export { longestProviderTest, type ProviderTest } from './administration/provider-tests.ts'
export { roleAssignments, type RoleAssignmentDto } from './administration/assignments.ts'
export {
  endpoints,
  regions,
  services,
  type EndpointDto,
  type RegionDto,
  type ServiceDto,
} from './administration/catalog.ts'
export {
  credentials,
  type CredentialDto,
  type NewCredentialDto,
} from './administration/credentials.ts'
export {
  domains,
  passwordUndoDays,
  type DomainDto,
  type LocalPasswordRule,
} from './administration/domains.ts'
export * from './administration/event-deliveries.ts'
export * from './administration/key-restriction.ts'
export * from './administration/events.ts'
export {
  factorFreshMinutes,
  factorOperations,
  mostFactors,
  recoveryCodeCount,
  type FactorDto,
  type FactorNeed,
  type FactorsDto,
} from './administration/factors.ts'
export { groups, type GroupDto } from './administration/groups.ts'
export type { IdentityProviderDriverDto } from './administration/identity-provider-drivers.ts'
export {
  flatProviderOptions,
  identityProviders,
  type IdentityProviderDto,
  type MappingRule,
} from './administration/identity-providers.ts'
export type { Impact } from './administration/impact.ts'
export type {
  LinkedLoginDto,
  LinkResultDto,
  NewLinkedLogin,
} from './administration/linked-logins.ts'
export type { LoginPreview, LoginPreviewRequest } from './administration/mapping-previews.ts'
export {
  policies,
  type PolicyCheckRequest,
  type PolicyCheckDto,
  type PolicyRule,
  type PolicyDto,
} from './administration/policies.ts'
export { projects, type ProjectDto, type ProjectSummary } from './administration/projects.ts'
export { rolepolicies, roles, type PolicyBindingDto, type RoleDto } from './administration/roles.ts'
export {
  passwordLinkHours,
  users,
  type FirstPassword,
  type ServiceAccountAttention,
  type UserDto,
} from './administration/users.ts'
export * from './cloudaccounts/account.ts'
export * from './cloudaccounts/claim.ts'
export type { AccountGap, AccountGapsQuery } from './cloudaccounts/gaps.ts'
export { storedSyncs, type AccountSyncRun } from './cloudaccounts/sync-runs.ts'
export * from './content-coding.ts'
export * from './error-statuses.ts'
export * from './errors.ts'
export * from './gateway/operations.ts'
export type {
  LoginOptions,
  PasswordLogin,
  ScopeChange,
  SessionEntry,
  SessionDto,
} from './gateway/session.ts'
export * from './gateway/wire-names.ts'
export type { DeviceLoginDto } from './device-logins.ts'
export * from './identity.ts'
export * from './token-request.ts'
export * from './methods.ts'
export * from './openapi.ts'
export * from './operation.ts'
export { permissions, type PermissionDto } from './permission.ts'
export * from './policy-enums.ts'
export { defaultPageSize, maxPageSize } from './paging.ts'
export { newNamePattern } from './scalars.ts'
export {
  maxQueryLength,
  maxSortFields,
  scopeValues,
  type ScopeParameter,
} from './resources/list-operations.ts'
export * from './resources/index.ts'
export * from './servers/action-parameters.ts'
export * from './servers/actions.ts'
export * from './servers/changes.ts'
export * from './servers/diff.ts'
export * from './servers/feeds.ts'
export * from './servers/metadata.ts'
export * from './servers/operations.ts'
export * from './servers/cloudpods-parameters.ts'
export * from './servers/parameters.ts'
export { maxGroupValues, ServerStatistics, type TagPairs } from './servers/statistics.ts'
export * from './servers/timeline.ts'
export { serverStatuses, type BatchStatus, type TaskStatus } from './statuses.ts'
export * from './tasks/batch.ts'
export { maxBatchSize } from './tasks/selected-servers.ts'
export { taskOperations }
export * from './tasks/task.ts'
export * from './views/view.ts'
export * from './checks/check.ts'

/** The administered resources, and the audit log. */
export const administrationOperations = [
  ...domainOperations,
  ...localPasswordOperations,
  ...loginRuleOperations,
  ...projectOperations,
  ...userOperations,
  ...linkedLoginOperations,
  ...factorOperations,
  ...groupOperations,
  ...roleOperations,
  ...assignmentOperations,
  ...policyOperations,
  ...credentialOperations,
  ...identityProviderOperations,
  ...identityProviderDriverOperations,
  ...providerTestOperations,
  ...mappingPreviewOperations,
  ...catalogOperations,
  ...eventOperations,
  ...eventDeliveryOperations,
] as const satisfies readonly Operation[]

/** Lists of the resources of sources besides servers. */
export const inventoryResourceOperations = inventoryOperations(inventoryResources)

/** Every operation that Muster serves, and no other. */
export const operations = [
  ...identityOperations,
  ...administrationOperations,
  ...serverChangeOperations,
  ...serverDiffOperations,
  ...serverOperations,
  ...serverActionOperations,
  ...taskOperations,
  ...feedOperations,
  ...inventoryResourceOperations,
  ...viewOperations,
  ...checkOperations,
  ...cloudAccountOperations,
  ...serviceOperations,
] as const satisfies readonly Operation[]

export type OperationId = (typeof operations)[number]['id']
