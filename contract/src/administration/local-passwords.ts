import { Type, type Static } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { exactObject } from '../scalars.ts'
import { localPasswordRules, passwordUndoDays } from './domains.ts'
import { example } from './examples.ts'

const Value = Type.Enum([...localPasswordRules])
const count = Type.Integer({ minimum: 0 })
const Users = Type.Array(exactObject({ id: Type.String(), name: Type.String() }))

const LocalPasswordsRequest = exactObject({
  value: Value,
  dry_run: Type.Optional(Type.Boolean({ description: 'Change nothing. Default: false.' })),
  preview: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: '`preview` of a response with `dry_run`. Required for `break_glass`.',
    }),
  ),
})
export type LocalPasswordsRequest = Static<typeof LocalPasswordsRequest>

const LocalPasswords = exactObject({
  value: Value,
  break_glass_users: {
    ...Users,
    description: 'The first 100 break-glass users with a password, by name',
  },
  lose_password: {
    ...count,
    description: 'Number of users who have a password and can no longer log in with it',
  },
  lose_access: {
    ...count,
    description: 'Those of them who have no login at an enabled identity provider either',
  },
  lose_access_users: { ...Users, description: 'The first 100 of these, by name' },
  problem: Type.String({ description: 'Why it would be refused, otherwise empty' }),
  preview: Type.String({ description: 'Differs as soon as other users are affected' }),
})
export type LocalPasswordsDto = Static<typeof LocalPasswords>

export const localPasswordOperations = [
  {
    id: 'updateLocalPasswords',
    method: 'POST',
    path: '/v3/domains/{id}/local_passwords',
    ...identityDefaults,
    permission: {
      service: 'identity',
      resource: 'domains',
      action: 'perform',
      at: ['system', 'domain'],
    },
    tag: 'Domains',
    summary: 'Choose who may log in with a password of Muster',
    description: `With \`break_glass\`, only users with \`break_glass\` can log in with a password of Muster, and the tokens of password logins of all others end. Access keys stay. Send it with \`dry_run\` first. 403 unless you have logged in through an identity provider of the domain. 409 if the domain has fewer than two break-glass users, if no system administrator could log in without a provider, or if other users are affected than in the preview. The passwords are erased after ${passwordUndoDays} days; \`on\` brings them back before. People whose password a directory checks are not concerned.`,
    body: exactObject({ local_passwords: LocalPasswordsRequest }),
    example: { local_passwords: { value: 'break_glass', dry_run: true } },
    responses: {
      200: {
        description: 'Who is affected',
        body: exactObject({ local_passwords: LocalPasswords }),
        example: {
          local_passwords: {
            value: 'break_glass',
            break_glass_users: [{ id: example.userId, name: 'sysadmin' }],
            lose_password: 12,
            lose_access: 1,
            lose_access_users: [{ id: example.userId, name: 'ada' }],
            problem: '',
            preview: 'Yb9r0cU3m2Jk1n8aXo5tVw7qLz4sHd6eGf0iKp2uRxA',
          },
        },
      },
    },
  },
] as const satisfies readonly Operation[]
