import { Type, type Static } from 'typebox'
import { ProviderCredential, ProviderId } from './provider-credential.ts'
import { exactObject, Id, Name, Passcode } from './scalars.ts'

const DomainReference = exactObject(
  { id: Type.Optional(Id), name: Type.Optional(Name) },
  { title: 'DomainReference' },
)

export const TokenRequest = exactObject({
  auth: exactObject({
    context: Type.Optional(
      exactObject({
        ip: Type.Optional(
          Type.String({
            maxLength: 64,
            description: 'Ignored. The server records the address of the connection.',
          }),
        ),
        source: Type.Optional(
          Type.String({
            maxLength: 64,
            description: '`web`, `api`, `cli` or `srv`. Other values count as `api`.',
          }),
        ),
      }),
    ),
    identity: exactObject({
      methods: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), {
        minItems: 1,
        maxItems: 2,
        description:
          'One of `password`, `token`, `aksk`, `cas`, `oidc` or `workload`, or `password` and `totp` for a user with a second factor. `cas_ticket` is an alias of `cas`, `access_key_secret` of `aksk`.',
      }),
      password: Type.Optional(
        exactObject({
          user: exactObject({
            id: Type.Optional(Id),
            name: Type.Optional(Name),
            domain: Type.Optional(DomainReference),
            Domain: Type.Optional(DomainReference),
            password: Type.String({
              minLength: 1,
              maxLength: 8192,
              description: 'Passwords are at most 1,024 bytes long',
            }),
          }),
        }),
      ),
      totp: Type.Optional(
        exactObject({
          user: exactObject(
            {
              id: Type.Optional(Id),
              name: Type.Optional(Name),
              domain: Type.Optional(DomainReference),
              Domain: Type.Optional(DomainReference),
              passcode: Passcode,
            },
            { description: 'The user of `password`, whom it need not repeat' },
          ),
        }),
      ),
      token: Type.Optional(exactObject({ id: Type.String({ minLength: 1, maxLength: 255 }) })),
      cas_ticket: Type.Optional(
        exactObject({
          id: Type.String({ minLength: 1, maxLength: 255 }),
          provider: ProviderId,
        }),
      ),
      access_key_secret: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
      credential: Type.Optional(ProviderCredential),
    }),
    link: Type.Optional(
      exactObject(
        { token: Type.String({ minLength: 1, maxLength: 255 }) },
        {
          description:
            'Only with a credential of an identity provider: its subject becomes a login of the user of this token, which must be from a login with the password at most 10 minutes ago.',
        },
      ),
    ),
    scope: Type.Optional(
      exactObject({
        project: Type.Optional(
          exactObject({
            id: Type.Optional(Id),
            name: Type.Optional(Name),
            domain: Type.Optional(DomainReference),
          }),
        ),
        domain: Type.Optional(DomainReference),
      }),
    ),
  }),
})
export type TokenRequest = Static<typeof TokenRequest>
export type IdentityRequest = TokenRequest['auth']['identity']
export type LinkRequest = NonNullable<TokenRequest['auth']['link']>
export type ScopeRequest = NonNullable<TokenRequest['auth']['scope']>
