import { administeredResources, roleAssignments, rolepolicies } from '@muster/contract'
import { queryFieldsOf, type QueryFields } from '../../query/query-fields.ts'
import type { ResourceKind } from './resources.ts'

/** What the lists of administration can be filtered and sorted by. */
export const queryFieldsByKind = Object.fromEntries(
  Object.entries({
    ...administeredResources,
    role_assignments: roleAssignments,
    rolepolicies,
  }).map(([kind, resource]) => [kind, queryFieldsOf(resource)]),
) as unknown as Readonly<
  Record<ResourceKind | 'role_assignments' | 'rolepolicies', QueryFields<string>>
>
