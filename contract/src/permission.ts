import { Type, type Static } from 'typebox'
import { policyActions, levels, policyServices } from './policy-enums.ts'
import {
  enumeration,
  filterable,
  searchable,
  text,
  wireSchema,
  type Resource,
} from './resources/resource.ts'

/** The scope in which a token may call an operation. */
export const permissions = {
  key: 'permission',
  keys: 'permissions',
  noun: 'Permission',
  nouns: 'Permissions',
  one: 'a permission',
  many: 'permissions',
  fields: {
    operation: text('Operation id, such as `createUser`', searchable),
    service: {
      ...enumeration('Service', filterable),
      schema: Type.Enum([...policyServices]),
    },
    resource: text('Resource', searchable),
    action: { ...enumeration('Action', filterable), schema: Type.Enum([...policyActions]) },
    reach: {
      ...enumeration('Scope of the permission', filterable),
      schema: Type.Union([Type.Enum([...levels, 'self']), Type.Null()], {
        description: 'Scope of the permission. null: not permitted.',
      }),
    },
  },
} as const satisfies Resource

export const PermissionDto = wireSchema(permissions)
export type PermissionDto = Static<typeof PermissionDto>
