import { Type, type Static } from 'typebox'
import { example } from './administration/examples.ts'
import { publicDefaults } from './operation-defaults.ts'
import type { Operation } from './operation.ts'
import { exactObject, Name, sameType } from './scalars.ts'

const text = Type.String()

const DeviceLogin = exactObject({
  provider: exactObject(sameType(['id', 'name'], text)),
  ...sameType(
    ['issuer', 'client_id', 'scopes', 'device_authorization_endpoint', 'token_endpoint'],
    text,
  ),
})
export type DeviceLoginDto = Static<typeof DeviceLogin>

export const deviceLoginOperations = [
  {
    id: 'getDeviceLogins',
    method: 'GET',
    path: '/v3/auth/device_logins',
    ...publicDefaults,
    servedBy: ['identity'],
    tag: 'Tokens',
    summary: 'List the providers at which a command line can log in',
    description:
      'OpenID Connect providers that allow the device flow (RFC 8628). The client asks the provider for a code itself, shows it, polls for the ID token, and sends that to `POST /v3/auth/tokens` as `id_token` of the credential. Providers that do not respond are missing.',
    query: exactObject({
      domain: Type.Optional({
        ...Name,
        description: 'Name of a domain: only its providers. A domain that does not exist has none.',
      }),
    }),
    responses: {
      200: {
        description: 'What a client needs, for each provider',
        body: exactObject({ device_logins: Type.Array(DeviceLogin) }),
        example: {
          device_logins: [
            {
              provider: { id: example.providerId, name: 'acme' },
              issuer: 'https://id.example.org/realms/acme',
              client_id: 'muster-cli',
              scopes: 'openid profile email',
              device_authorization_endpoint: 'https://id.example.org/realms/acme/device',
              token_endpoint: 'https://id.example.org/realms/acme/token',
            },
          ],
        },
      },
    },
  },
] as const satisfies readonly Operation[]
