import { Type } from 'typebox'
import { Id } from './scalars.ts'

/** Which provider a credential is for. */
export const ProviderId = Type.Optional({
  ...Id,
  description:
    'Id of the identity provider. Default: the only one, or the one of the domain in `scope`.',
})

/** The credential of an identity provider whose driver has no section of its own. */
export const ProviderCredential = Type.Unsafe<Readonly<Record<string, string>>>(
  Type.Object(
    { provider: ProviderId },
    {
      additionalProperties: Type.String({ minLength: 1, maxLength: 16_384 }),
      maxProperties: 10,
      description: 'Credential of an identity provider; its driver knows the other keys',
    },
  ),
)
