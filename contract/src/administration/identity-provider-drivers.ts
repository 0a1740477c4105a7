import { Type, type Static } from 'typebox'
import { FormField } from '../form-field.ts'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { exactObject } from '../scalars.ts'

const Value = Type.Union([Type.String(), Type.Integer(), Type.Boolean()])

const DriverField = exactObject({
  ...FormField.properties,
  default: Type.Union([Value, Type.Null()], {
    description: 'Value without the option. null: it is required.',
  }),
  choices: Type.Array(Value, { description: 'The only allowed values. Empty: any.' }),
  fixed: Type.Boolean({ description: 'Whether it can be set only when the provider is created' }),
  resend: Type.Boolean({
    description: 'Whether a change requires the secret options again',
  }),
})

/** What a driver of identity providers can do. */
const driverFeatures = [
  'browser_login',
  'password_check',
  'token_exchange',
  'logout',
  'group_sync',
  'person_lookup',
] as const

const IdentityProviderDriver = exactObject({
  driver: Type.String({ description: 'The value of `driver` of a provider' }),
  title: Type.String({ description: 'Name for people' }),
  description: Type.String(),
  features: Type.Array(Type.Enum([...driverFeatures]), {
    description:
      '`browser_login`: a button on the login page. `password_check`: checks the passwords of users without a password in Muster. `token_exchange`: programs exchange a credential of the provider for a token. `logout`: a logout in the console or at the provider ends both sessions. `group_sync`: reads people and their groups between logins. `person_lookup`: a preview of the mapping can look people up by name.',
  }),
  options: Type.Array(DriverField),
})
export type IdentityProviderDriverDto = Static<typeof IdentityProviderDriver>

export const identityProviderDriverOperations = [
  {
    id: 'getIdentityProviderDrivers',
    method: 'GET',
    path: '/v3/identity_provider_drivers',
    ...identityDefaults,
    permission: {
      service: 'identity',
      resource: 'identity_providers',
      action: 'list',
      at: ['system', 'domain'],
    },
    tag: 'Identity providers',
    summary: 'Show the drivers of identity providers',
    description: 'The kinds of identity providers that you can attach, with the options of each.',
    responses: {
      200: {
        description: 'Drivers',
        body: exactObject({ identity_provider_drivers: Type.Array(IdentityProviderDriver) }),
        example: {
          identity_provider_drivers: [
            {
              driver: 'oidc',
              title: 'OpenID Connect',
              description: 'People log in on pages of the provider.',
              features: ['browser_login', 'token_exchange', 'logout'],
              options: [
                {
                  name: 'client_secret',
                  type: 'text',
                  required: false,
                  long: false,
                  secret: true,
                  description: 'Secret of the client. Empty: a public client.',
                  default: '',
                  choices: [],
                  fixed: false,
                  resend: false,
                },
              ],
            },
          ],
        },
      },
    },
  },
] as const satisfies readonly Operation[]
