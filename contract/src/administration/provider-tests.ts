import { Type, type Static } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { exactObject } from '../scalars.ts'
import { flatProviderOptions, ProviderOptions } from './identity-providers.ts'

/** Seconds that a test may take. */
export const longestProviderTest = 10

const providerChecks = [
  'discovery',
  'issuer',
  'keys',
  'token_endpoint',
  'ticket_validation',
  'connection',
  'bind',
  'base_dn',
  'people',
  'groups',
] as const

const ProviderCheck = exactObject({
  name: Type.Enum([...providerChecks]),
  ok: Type.Boolean(),
  text: Type.String({ description: 'What was found, or what is wrong' }),
  option: Type.String({ description: 'Which option to look at. Empty if the check passed.' }),
})

const ProviderTest = exactObject({
  ok: Type.Boolean({ description: 'Whether all checks passed' }),
  checks: Type.Array(ProviderCheck, {
    description:
      'In the order in which they ran. Those that need a check that failed are left out.',
  }),
  duration_ms: Type.Integer(),
})
export type ProviderTest = Static<typeof ProviderTest>

const permission = <const Action extends 'create' | 'update'>(action: Action) =>
  ({ service: 'identity', resource: 'identity_providers', action, at: ['system'] }) as const

const options = {
  options: Type.Optional(ProviderOptions),
  url: Type.Optional(flatProviderOptions.url),
  service_url: Type.Optional(flatProviderOptions.service_url),
  protocol: Type.Optional(flatProviderOptions.protocol),
  ca: Type.Optional(flatProviderOptions.ca),
}

const tag = 'Identity providers'
const note = `Contacts the provider for up to ${longestProviderTest} s, with the limits of a login. Logs nobody in and stores nothing. What is not an option of the driver, or has a wrong value, is a 400.`
const responses = {
  200: {
    description: 'Result of the test',
    body: exactObject({ test: ProviderTest }),
    example: {
      test: {
        ok: false,
        checks: [
          {
            name: 'discovery',
            ok: true,
            text: 'https://id.example.org/realms/acme describes itself',
            option: '',
          },
          { name: 'issuer', ok: false, text: 'names another issuer', option: 'issuer' },
        ],
        duration_ms: 231,
      },
    },
  },
}

export const providerTestOperations = [
  {
    id: 'testNewIdentityProvider',
    method: 'POST',
    path: '/v3/identity_providers/test',
    ...identityDefaults,
    permission: permission('create'),
    tag,
    summary: 'Test an identity provider before attaching it',
    description: note,
    body: exactObject({
      identity_provider: exactObject({
        driver: Type.String({ minLength: 1, maxLength: 64 }),
        ...options,
      }),
    }),
    example: {
      identity_provider: {
        driver: 'oidc',
        options: { issuer: 'https://id.example.org/realms/acme', client_id: 'muster' },
      },
    },
    responses,
  },
  {
    id: 'testIdentityProvider',
    method: 'POST',
    path: '/v3/identity_providers/{id}/test',
    ...identityDefaults,
    permission: permission('update'),
    tag,
    summary: 'Test an identity provider',
    description: `${note} Options in the request replace the stored ones, by the rules of a change: stored secrets are used only if the options that decide who receives them stay the same.`,
    body: exactObject({ identity_provider: exactObject(options) }),
    example: { identity_provider: { options: { scopes: 'openid profile email groups' } } },
    responses,
  },
] as const satisfies readonly Operation[]
