import { Type, type Static } from 'typebox'
import { policyActions, policyScopes, policyServices } from './policy-enums.ts'
import { exactObject } from './scalars.ts'

/** Whether a token's roles allow an operation, and how far. */
export const PermissionDto = exactObject({
  operation: Type.String({ description: 'As in the reference: `createUser`' }),
  service: Type.Enum([...policyServices]),
  resource: Type.String(),
  action: Type.Enum([...policyActions]),
  reach: Type.Union([Type.Enum([...policyScopes, 'self']), Type.Null()], {
    description: 'How far the right carries; null where there is none',
  }),
})
export type PermissionDto = Static<typeof PermissionDto>
