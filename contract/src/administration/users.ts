import { Type, type Static } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { listBody, listQuery, resourceOperations, SelfLink } from '../resource.ts'
import {
  exactObject,
  Id,
  TimestampInput,
  Name,
  NewName,
  OptionalTimestamp,
  orNull,
  Timestamp,
} from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'
import { impactOperation } from './impact.ts'
import { Description, emptyOptions } from './keystone-compatibility.ts'
import { projectExample, ProjectDto } from './projects.ts'

export const UserDto = exactObject({
  id: Type.String(),
  name: Type.String(),
  domain_id: Type.String(),
  description: Type.String(),
  enabled: Type.Boolean(),
  displayname: Type.String(),
  email: Type.String(),
  mobile: Type.String(),
  default_project_id: orNull(Type.String()),
  password_expires_at: OptionalTimestamp,
  expires_at: OptionalTimestamp,
  options: emptyOptions,
  created_at: Timestamp,
  links: SelfLink,
})
export type UserDto = Static<typeof UserDto>

/** The domain checks more than the length, and its error says what is wrong. */
const NewPassword = Type.String({
  minLength: 1,
  maxLength: 8192,
  description: 'At least 8 characters and at most 1,024 bytes. Common passwords are rejected.',
})
const ShortText = Type.String({ maxLength: 255 })

const settable = {
  description: Description,
  enabled: Type.Optional(Type.Boolean()),
  displayname: Type.Optional(ShortText),
  email: Type.Optional(orNull(ShortText)),
  mobile: Type.Optional(ShortText),
  default_project_id: Type.Optional(orNull(Id)),
  expires_at: Type.Optional(orNull(TimestampInput)),
  options: Type.Optional(emptyOptions),
}

export const userExample = {
  id: example.userId,
  name: 'ada',
  domain_id: example.domainId,
  description: '',
  enabled: true,
  displayname: 'Ada Lovelace',
  email: 'ada@example.org',
  mobile: '',
  default_project_id: example.projectId,
  password_expires_at: null,
  expires_at: null,
  options: {},
  created_at: exampleTimestamp,
  links: { self: example.self('users', example.userId) },
}

export const userOperations = [
  ...resourceOperations({
    noun: 'User',
    nouns: 'Users',
    key: 'user',
    keys: 'users',
    one: 'a user',
    many: 'users',
    tag: 'Users',
    view: UserDto,
    create: exactObject({
      name: NewName,
      domain_id: Type.Optional(Id),
      password: Type.Optional(orNull(NewPassword)),
      ...settable,
    }),
    update: Type.Object(
      {
        name: Type.Optional(NewName),
        password: Type.Optional(orNull(NewPassword)),
        ...settable,
      },
      { additionalProperties: false, minProperties: 1 },
    ),
    query: listQuery(['name', 'created_at', 'enabled'], {
      name: Type.Optional(Name),
      enabled: Type.Optional(Type.Boolean()),
      domain_id: Type.Optional(Id),
    }),
    at: { read: ['system', 'domain', 'project', 'self'], write: ['system', 'domain'] },
    notes: {
      list: 'With a token for a project: the users with a role in the project. `email` and `mobile` are empty unless it is you, or you may read the users of the domain.',
      create: 'Default `domain_id`: the domain of your token. The new user has no roles.',
      update:
        'A new password or `enabled: false` revokes all tokens of the user. You cannot set the password of a user who has permissions that you could not grant.',
      delete: 'Deletes the user with memberships, role assignments, access keys and tokens.',
    },
    examples: {
      view: userExample,
      create: {
        name: 'ada',
        domain_id: example.domainId,
        password: 'correct horse battery',
        email: 'ada@example.org',
      },
      update: { displayname: 'Ada Lovelace' },
    },
  }),
  impactOperation('User', 'users', 'a user', ['system', 'domain']),
  {
    id: 'changeOwnPassword',
    method: 'POST',
    path: '/v3/users/{id}/password',
    ...identityDefaults,
    permission: { service: 'identity', resource: 'users', action: 'perform', at: ['self'] },
    tag: 'Users',
    summary: 'Change your own password',
    description:
      'Revokes all your tokens, including this one: log in again with the new password. A wrong `original_password` counts as a failed login.',
    body: exactObject({
      user: exactObject({
        original_password: Type.String({ minLength: 1, maxLength: 8192 }),
        password: NewPassword,
      }),
    }),
    example: {
      user: { original_password: 'correct horse battery', password: 'a much better one' },
    },
    responses: { 204: { description: 'Password changed' } },
  },
  {
    id: 'listUserProjects',
    method: 'GET',
    path: '/v3/users/{id}/projects',
    ...identityDefaults,
    permission: {
      service: 'identity',
      resource: 'users',
      action: 'get',
      at: ['system', 'domain', 'self'],
    },
    tag: 'Users',
    summary: 'List the projects of a user',
    description:
      'Projects in which the user has a role. For other users you see only projects that you can access.',
    query: listQuery(['name', 'created_at', 'enabled'], {
      name: Type.Optional(Name),
      enabled: Type.Optional(Type.Boolean()),
      domain_id: Type.Optional(Id),
    }),
    responses: {
      200: {
        description: 'Projects, by roles of the user and of the groups of the user',
        body: listBody('projects', ProjectDto),
        example: example.list('projects', `/v3/users/${example.userId}/projects`, projectExample),
      },
    },
  },
] as const satisfies readonly Operation[]
