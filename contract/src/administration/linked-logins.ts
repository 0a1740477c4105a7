import { Type, type Static } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { exactObject, Id, Timestamp } from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'

const text = Type.String()

/** A login of a user at an identity provider. */
const LinkedLogin = exactObject({
  provider: exactObject({ id: text, name: text, driver: text }),
  subject: Type.String({ description: 'Key of the person at the provider' }),
  confirmed_at: Type.String({
    ...Timestamp,
    description: 'When the provider last confirmed who the person is',
  }),
})
export type LinkedLoginDto = Static<typeof LinkedLogin>

const NewLinkedLogin = exactObject({
  user_id: Id,
  provider_id: Id,
  subject: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Key of the person at the provider, exactly as the provider sends it',
  }),
})
export type NewLinkedLogin = Static<typeof NewLinkedLogin>

const LinkResult = exactObject({
  user_id: text,
  /** Empty for a user that the caller does not see. */
  user_name: text,
  provider_id: text,
  subject: text,
  result: Type.Enum(['link', 'unchanged', 'refused'], {
    description:
      '`link`: becomes a login of the user. `unchanged`: is one already. `refused`: see `problem`.',
  }),
  problem: Type.String({ description: 'Why it is refused, otherwise empty' }),
})
export type LinkResultDto = Static<typeof LinkResult>

/** Maximum number of logins in one request. */
const mostLogins = 500

const tag = 'Users'
const example1 = {
  user_id: example.userId,
  provider_id: example.providerId,
  subject: 'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
}
const toUpdate = {
  service: 'identity',
  resource: 'users',
  action: 'update',
  at: ['system', 'domain'],
} as const

export const linkedLoginOperations = [
  {
    id: 'getLinkedLogins',
    method: 'GET',
    path: '/v3/users/{id}/linked_logins',
    ...identityDefaults,
    permission: { ...toUpdate, action: 'get', at: ['system', 'domain', 'self'] },
    tag,
    summary: 'Show the logins of a user at identity providers',
    responses: {
      200: {
        description: 'Linked logins',
        body: exactObject({ linked_logins: Type.Array(LinkedLogin) }),
        example: {
          linked_logins: [
            {
              provider: { id: example.providerId, name: 'acme', driver: 'oidc' },
              subject: example1.subject,
              confirmed_at: exampleTimestamp,
            },
          ],
        },
      },
    },
  },
  {
    id: 'linkLogins',
    method: 'POST',
    path: '/v3/linked_logins',
    ...identityDefaults,
    permission: toUpdate,
    tag,
    summary: 'Link logins at identity providers to users',
    description: `Up to ${mostLogins}, all or none: 409 if one is refused, which \`fields\` names. With \`dry_run\` nothing changes, and the response tells what would happen to each. Roles and access keys stay. You cannot link a login to a user who has permissions that you could not grant. A user links an own login with \`link\` of \`POST /v3/auth/tokens\`.`,
    body: exactObject({
      dry_run: Type.Optional(Type.Boolean({ description: 'Change nothing. Default: false.' })),
      linked_logins: Type.Array(NewLinkedLogin, { minItems: 1, maxItems: mostLogins }),
    }),
    example: { dry_run: true, linked_logins: [example1] },
    responses: {
      200: {
        description: 'What happened to each, in the order of the request',
        body: exactObject({ linked_logins: Type.Array(LinkResult) }),
        example: {
          linked_logins: [{ ...example1, user_name: 'ada', result: 'link', problem: '' }],
        },
      },
    },
  },
  {
    id: 'unlinkLogin',
    method: 'DELETE',
    path: '/v3/users/{id}/linked_logins/{provider_id}',
    ...identityDefaults,
    permission: { ...toUpdate, at: ['system', 'domain', 'self'] },
    tag,
    summary: 'Unlink a login of a user at an identity provider',
    description:
      'Revokes the tokens of logins with it and the roles that the mapping of the provider assigned. 409 if the user could not log in any more.',
    responses: { 204: { description: 'Unlinked' } },
  },
] as const satisfies readonly Operation[]
