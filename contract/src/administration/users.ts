import { Type, type Static } from 'typebox'
import { administrationNames } from '../resources/names.ts'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import {
  changesObject,
  exactObject,
  Id,
  Name,
  TimestampInput,
  NewName,
  orNull,
  Timestamp,
} from '../scalars.ts'
import { example, exampleTimestamp, listExample } from './examples.ts'
import { impactOperation } from './impact.ts'
import { Description, emptyOptions } from './keystone-compatibility.ts'
import { projectExample, ProjectDto, projects } from './projects.ts'
import {
  boolean,
  derived,
  enumeration,
  filterable,
  knownTimestamp,
  object,
  searchable,
  text,
  timestamp,
  wireSchema,
  constant,
  type AdministeredResource,
} from '../resources/resource.ts'
import {
  idAndName,
  keystoneListBody,
  keystoneListQuery,
  links,
  resourceOperations,
} from './resource-operations.ts'

/** Why somebody should look at a service account. */
const serviceAccountAttentions = ['ownerless', 'unused'] as const
export type ServiceAccountAttention = (typeof serviceAccountAttentions)[number]

export const users = {
  ...administrationNames.users,
  visibility: {
    domain: { domain: 'domain_id' },
    project: { holders: 'user_id' },
    user: 'id',
    serviceAccount: 'id',
  },
  uniqueName: 'domain_id',
  fields: {
    ...idAndName,
    domain_id: text('Id of the domain', filterable),
    description: text('Description', searchable),
    enabled: boolean('Whether the user can log in', filterable, true),
    break_glass: boolean(
      'Whether the user may log in with a password of Muster where `local_passwords` of the domain is `break_glass`',
      filterable,
    ),
    service_account: boolean(
      'Whether the user is a program: it has access keys only, neither a password nor a linked login',
      filterable,
    ),
    owner_id: {
      ...text(
        'Id of the user who is responsible for the service account and makes its keys. Stays when the owner is deleted.',
        filterable,
      ),
      schema: orNull(Type.String()),
      default: null,
    },
    purpose: text('What the service account is for', searchable),
    attention: derived({
      ...enumeration(
        'What to look at in a service account that is enabled. `ownerless`: its owner is deleted, disabled or has expired. `unused`: no login for long (`--service-account-unused`). Empty: nothing, or you may not see it.',
        filterable,
      ),
      schema: Type.Enum(['', ...serviceAccountAttentions]),
    }),
    displayname: text('Full name', searchable),
    email: text('E-mail address. Empty if you may not see it.', searchable),
    mobile: text('Mobile number. Empty if you may not see it.', searchable),
    default_project_id: {
      ...text('Project of tokens without a requested scope', filterable),
      schema: orNull(Type.String()),
      default: null,
    },
    password_expires_at: timestamp('When the password expires', filterable),
    expires_at: timestamp('When the user expires', filterable),
    options: constant(object('For Keystone clients', emptyOptions, {})),
    created_at: knownTimestamp('When the user was created', filterable),
    last_login_at: timestamp(
      'When the user last logged in, by any method, to the minute. null: never, as far as recorded.',
      filterable,
    ),
    links,
  },
  columns: ['name', 'displayname', 'email', 'domain_id', 'enabled', 'last_login_at', 'attention'],
  form: {
    fields: [
      'name',
      'domain_id',
      'owner_id',
      'purpose',
      'password',
      'displayname',
      'email',
      'mobile',
      'default_project_id',
      'expires_at',
      'description',
    ],
    required: ['name', 'domain_id'],
    once: ['domain_id', 'password'],
  },
} as const satisfies AdministeredResource

export const UserDto = wireSchema(users)
export type UserDto = Static<typeof UserDto>

/** The domain checks more than the length, and its error says what is wrong. */
const NewPassword = Type.String({
  minLength: 1,
  maxLength: 8192,
  description: 'At least 8 characters and at most 1,024 bytes. Common passwords are rejected.',
})
/** How long a link to set a first password can be used, in hours. */
export const passwordLinkHours = 24

/** What sets a first password. */
export const FirstPassword = exactObject({
  secret: Type.String({ minLength: 1, maxLength: 255, description: 'From the link' }),
  password: NewPassword,
})
export type FirstPassword = Static<typeof FirstPassword>

const PasswordLink = exactObject({
  secret: Type.String({ description: 'Shown once. Whoever has it can set the password.' }),
  expires_at: Timestamp,
})

const ShortText = Type.String({ maxLength: 255 })

const settable = {
  description: Description,
  enabled: Type.Optional(Type.Boolean()),
  break_glass: Type.Optional(Type.Boolean()),
  displayname: Type.Optional(ShortText),
  email: Type.Optional(orNull(ShortText)),
  mobile: Type.Optional(ShortText),
  default_project_id: Type.Optional(orNull(Id)),
  expires_at: Type.Optional(orNull(TimestampInput)),
  owner_id: Type.Optional({ ...Id, description: 'Only for a service account' }),
  purpose: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: 'Only for a service account' }),
  ),
  options: Type.Optional(emptyOptions),
}

export const userExample = {
  id: example.userId,
  name: 'ada',
  domain_id: example.domainId,
  description: '',
  enabled: true,
  break_glass: false,
  service_account: false,
  owner_id: null,
  purpose: '',
  attention: '',
  displayname: 'Ada Lovelace',
  email: 'ada@example.org',
  mobile: '',
  default_project_id: example.projectId,
  password_expires_at: null,
  expires_at: null,
  options: {},
  created_at: exampleTimestamp,
  last_login_at: exampleTimestamp,
  links: { self: example.self('users', example.userId) },
}

const setEnabled = <const Verb extends 'enable' | 'disable'>(verb: Verb, description: string) =>
  ({
    id: `${verb}User` as const,
    method: 'POST',
    path: `/v3/users/{id}/${verb}` as const,
    ...identityDefaults,
    permission: {
      service: 'identity',
      resource: 'users',
      action: 'update',
      at: ['system', 'domain'],
    },
    tag: 'Users',
    summary: `${verb === 'enable' ? 'Enable' : 'Disable'} a user`,
    description: `${description} For Cloudpods' client: the same as \`PUT\` with \`enabled\`. By id or name.`,
    hasOptionalBody: true,
    body: exactObject({
      user: Type.Optional(
        exactObject({
          domain_id: Type.Optional({
            ...Name,
            description: 'Id or name of the domain of the user',
          }),
        }),
      ),
    }),
    example: {},
    responses: {
      200: {
        description: `The user is ${verb}d`,
        body: exactObject({ user: UserDto }),
        example: { user: { ...userExample, enabled: verb === 'enable' } },
      },
    },
  }) as const

export const userOperations = [
  ...resourceOperations(users, {
    tag: 'Users',
    create: exactObject({
      name: NewName,
      domain_id: Type.Optional(Id),
      password: Type.Optional(orNull(NewPassword)),
      service_account: Type.Optional(
        Type.Boolean({ description: 'Then `owner_id` and `purpose` are required' }),
      ),
      ...settable,
    }),
    update: changesObject({
      name: Type.Optional(NewName),
      password: Type.Optional(orNull(NewPassword)),
      ...settable,
    }),
    at: { read: ['system', 'domain', 'project', 'self'], write: ['system', 'domain'] },
    notes: {
      list: 'With a token for a project: the users with a role in the project. `email` and `mobile` are empty unless it is you, or you may read the users of the domain.',
      create:
        'Default `domain_id`: the domain of your token. The new user has no roles. A service account has no password; its owner must be an active user who is none.',
      update:
        'A new password or `enabled: false` revokes all tokens of the user. You cannot set the password of a user who has permissions that you could not grant, nor the owner of such a service account.',
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
  setEnabled('enable', 'The user can log in.'),
  setEnabled('disable', 'Revokes all tokens of the user.'),
  {
    id: 'createPasswordLink',
    method: 'POST',
    path: '/v3/users/{id}/password-link',
    ...identityDefaults,
    hasSecretResponse: true,
    permission: {
      service: 'identity',
      resource: 'users',
      action: 'update',
      at: ['system', 'domain'],
    },
    tag: 'Users',
    summary: 'Create a link to set a first password',
    description: `For a user without a password, who sets it with \`POST /v3/auth/password\` and the \`secret\`. It works once and for ${passwordLinkHours} hours. A new link replaces the one before. 409 if the user has a password, is disabled or has expired; setting a password or disabling the user ends the link. You cannot create one for a user who has permissions that you could not grant. In the console the link is \`/console/password#SECRET\`.`,
    responses: {
      201: {
        description: 'The only response with the secret',
        body: exactObject({ password_link: PasswordLink }),
        example: {
          password_link: {
            secret: 'mpl1_b2hZ0v0n0x3WkQ8c1mYt7uE5rKp9sLd4aFgHjXwVqZo',
            expires_at: exampleTimestamp,
          },
        },
      },
    },
  },
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
    query: keystoneListQuery(projects),
    responses: {
      200: {
        description: 'Projects, by roles of the user and of the groups of the user',
        body: keystoneListBody('projects', ProjectDto),
        example: listExample('projects', `/v3/users/${example.userId}/projects`, projectExample),
      },
    },
  },
] as const satisfies readonly Operation[]
