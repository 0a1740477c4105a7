import {
  credentials,
  domains,
  groups,
  identityProviders,
  policies,
  projects,
  roleAssignments,
  rolepolicies,
  roles,
  users,
} from '@muster/contract'
import { queryFieldsOf, type QueryFields } from '../../query/query-fields.ts'
import type { ResourceKind } from './resources.ts'

/** What the lists of administration can be filtered and sorted by. */
export const queryFieldsByKind: Readonly<
  Record<ResourceKind | 'role_assignments' | 'rolepolicies', QueryFields<string>>
> = {
  domains: queryFieldsOf(domains),
  projects: queryFieldsOf(projects),
  users: queryFieldsOf(users),
  groups: queryFieldsOf(groups),
  roles: queryFieldsOf(roles),
  policies: queryFieldsOf(policies),
  credentials: queryFieldsOf(credentials),
  identity_providers: queryFieldsOf(identityProviders),
  role_assignments: queryFieldsOf(roleAssignments),
  rolepolicies: queryFieldsOf(rolepolicies),
}
