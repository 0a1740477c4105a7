import { Type, type Static } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { exactObject, NewName, OptionalTimestamp, Passcode, Timestamp } from '../scalars.ts'
import { exampleTimestamp } from './examples.ts'

const text = Type.String()

/** Minutes for which an action that needs a fresh factor accepts the last code. */
export const factorFreshMinutes = 15
export const recoveryCodeCount = 10
/** Maximum number of second factors of a user. */
export const mostFactors = 10

/** What a session must do before it can go on. */
export const factorNeeds = ['none', 'enrol', 'verify'] as const
export type FactorNeed = (typeof factorNeeds)[number]

const Factor = exactObject({
  id: text,
  name: text,
  type: Type.Enum(['totp'], { description: '`totp`: codes of an authenticator app (RFC 6238)' }),
  confirmed: Type.Boolean({ description: 'Whether logins ask for it' }),
  created_at: Timestamp,
  last_used_at: OptionalTimestamp,
})
export type FactorDto = Static<typeof Factor>

export const FactorReset = exactObject({
  at: Timestamp,
  by: Type.String({ description: 'Name of the user, or `muster admin`' }),
})

const Factors = exactObject({
  factors: Type.Array(Factor),
  recovery_codes: Type.Integer({ minimum: 0, description: 'How many are left' }),
  reset: Type.Union([FactorReset, Type.Null()], {
    description:
      'When somebody else last removed the factors of the user, and who did. null: never.',
  }),
  session: exactObject(
    {
      required: Type.Enum([...factorNeeds], {
        description:
          '`verify`: the session is older than the factor of the user. Send a code. Until then changing factors and creating access keys are a 403 of the class `FactorRequiredError`.',
      }),
      verified_at: OptionalTimestamp,
    },
    { description: 'About the token of this request, and when a code was last sent with it' },
  ),
})
export type FactorsDto = Static<typeof Factors>

const RecoveryCodes = Type.Array(text, {
  description: 'Shown once. Each replaces a code of the app once.',
})
const passcode = exactObject({ passcode: Passcode })

const tag = 'Users'
const onUsers = {
  service: 'identity',
  resource: 'users',
  action: 'update',
  at: ['system', 'domain'],
} as const
/** Only for the own user. */
const own = { ...onUsers, action: 'perform', at: ['self'] } as const

const secretDefaults = { ...identityDefaults, cache: 'no-store', hasSecretResponse: true } as const
const factorPath = '/v3/users/{id}/factors/{factor_id}'
const factorId = '3c1f6a52b7e94d0c8e2a9b6d4f1c7e83'

const factorExample = {
  id: factorId,
  name: 'Phone',
  type: 'totp' as const,
  confirmed: true,
  created_at: exampleTimestamp,
  last_used_at: exampleTimestamp,
}
const codesExample = ['k3vq-8mzt-x2ra-7pwd', 'c9hn-4jse-u6yb-5gfk']
const reuse =
  'Each code works once. A wrong one is a 401 and counts as a failed login. Not with a token of a program.'
const fresh = `Needs a code that was sent at most ${factorFreshMinutes} minutes ago, if the user has a confirmed factor.`

export const factorOperations = [
  {
    id: 'getFactors',
    method: 'GET',
    path: '/v3/users/{id}/factors',
    ...identityDefaults,
    withoutFactor: true,
    permission: { ...onUsers, action: 'get', at: ['system', 'domain', 'self'] },
    tag,
    summary: 'Show the second factors of a user',
    responses: {
      200: {
        description: 'Factors, without secrets',
        body: Factors,
        example: {
          factors: [factorExample],
          recovery_codes: recoveryCodeCount,
          reset: null,
          session: { required: 'none', verified_at: exampleTimestamp },
        },
      },
    },
  },
  {
    id: 'createFactor',
    method: 'POST',
    path: '/v3/users/{id}/factors',
    ...secretDefaults,
    withoutFactor: true,
    permission: own,
    tag,
    summary: 'Add a second factor to your own user',
    description: `Logins ask for it once it is confirmed. It replaces one that is not confirmed. At most ${mostFactors}. ${fresh}`,
    body: exactObject({
      factor: exactObject({
        name: Type.Optional(NewName),
        type: Type.Optional(Type.Enum(['totp'])),
      }),
    }),
    example: { factor: { name: 'Phone' } },
    responses: {
      201: {
        description: 'The only response with the secret',
        body: exactObject({
          factor: exactObject({
            ...Factor.properties,
            secret: Type.String({ description: 'In Base32, to type it into the app' }),
            uri: Type.String({ description: '`otpauth://` address for a QR code' }),
          }),
        }),
        example: {
          factor: {
            ...factorExample,
            confirmed: false,
            last_used_at: null,
            secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
            uri: 'otpauth://totp/Muster:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Muster',
          },
        },
      },
    },
  },
  {
    id: 'confirmFactor',
    method: 'POST',
    path: `${factorPath}/confirm`,
    ...secretDefaults,
    withoutFactor: true,
    permission: own,
    tag,
    summary: 'Confirm a new second factor with a code of it',
    description: `The first confirmed factor comes with ${recoveryCodeCount} recovery codes. ${reuse} ${fresh}`,
    body: exactObject({ factor: passcode }),
    example: { factor: { passcode: '123456' } },
    responses: {
      200: {
        description: 'The factor is confirmed. The only response with the recovery codes.',
        body: exactObject({ factor: Factor, recovery_codes: RecoveryCodes }),
        example: { factor: factorExample, recovery_codes: codesExample },
      },
    },
  },
  {
    id: 'verifyFactor',
    method: 'POST',
    path: '/v3/users/{id}/factors/verify',
    ...identityDefaults,
    withoutFactor: true,
    permission: own,
    tag,
    summary: 'Send a code of a second factor with a session',
    description: `The token of the request, and those that it was issued from, then count as logged in with the factor. Also takes a recovery code. ${reuse}`,
    body: exactObject({ factor: passcode }),
    example: { factor: { passcode: '123456' } },
    responses: { 204: { description: 'The code is right' } },
  },
  {
    id: 'updateFactor',
    method: 'PUT',
    path: factorPath,
    ...identityDefaults,
    needsFreshFactor: true,
    permission: own,
    tag,
    summary: 'Rename a second factor of your own',
    description: fresh,
    body: exactObject({ factor: exactObject({ name: NewName }) }),
    example: { factor: { name: 'New phone' } },
    responses: {
      200: {
        description: 'The factor',
        body: exactObject({ factor: Factor }),
        example: { factor: { ...factorExample, name: 'New phone' } },
      },
    },
  },
  {
    id: 'deleteFactor',
    method: 'DELETE',
    path: factorPath,
    ...identityDefaults,
    needsFreshFactor: true,
    permission: own,
    tag,
    summary: 'Delete a second factor of your own',
    description: `The recovery codes end with the last confirmed factor. ${fresh}`,
    responses: { 204: { description: 'Deleted' } },
  },
  {
    id: 'replaceRecoveryCodes',
    method: 'POST',
    path: '/v3/users/{id}/recovery_codes',
    ...secretDefaults,
    needsFreshFactor: true,
    permission: own,
    tag,
    summary: 'Replace all recovery codes of your own user',
    description: `409 without a confirmed factor. ${fresh}`,
    responses: {
      201: {
        description: 'The only response with the codes',
        body: exactObject({ recovery_codes: RecoveryCodes }),
        example: { recovery_codes: codesExample },
      },
    },
  },
  {
    id: 'resetFactors',
    method: 'DELETE',
    path: '/v3/users/{id}/factors',
    ...identityDefaults,
    needsFreshFactor: true,
    permission: onUsers,
    tag,
    summary: 'Remove all second factors of another user',
    description:
      'For somebody who lost them. Also removes the recovery codes and revokes all tokens of the user, who sees the time and your name. You cannot do it for a user who has permissions that you could not grant, nor with a token of a program.',
    responses: { 204: { description: 'Removed' } },
  },
] as const satisfies readonly Operation[]
