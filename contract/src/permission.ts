import { Type, type Static } from 'typebox'
import { policyActions, policyScopes, policyServices } from './policy-enums.ts'
import { exactObject } from './scalars.ts'

/** The scope in which a token may call an operation. */
export const PermissionDto = exactObject({
  operation: Type.String({ description: 'Operation id, such as `createUser`' }),
  service: Type.Enum([...policyServices]),
  resource: Type.String(),
  action: Type.Enum([...policyActions]),
  reach: Type.Union([Type.Enum([...policyScopes, 'self']), Type.Null()], {
    description: 'Scope of the permission. null: not permitted.',
  }),
})
export type PermissionDto = Static<typeof PermissionDto>
