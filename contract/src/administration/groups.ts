import { Type, type Static } from 'typebox'
import { administrationNames } from '../resources/names.ts'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { changesObject, exactObject, Id, Name, NewName } from '../scalars.ts'
import { example, exampleTimestamp, listExample } from './examples.ts'
import { Description } from './keystone-compatibility.ts'
import { userExample, UserDto, users } from './users.ts'
import {
  filterable,
  knownTimestamp,
  searchable,
  text,
  wireSchema,
  type AdministeredResource,
} from '../resources/resource.ts'
import {
  formInDomain,
  idAndName,
  keystoneListBody,
  keystoneListQuery,
  links,
  resourceOperations,
} from './resource-operations.ts'

export const groups = {
  ...administrationNames.groups,
  visibility: { domain: { domain: 'domain_id' }, project: { holders: 'group_id' } },
  uniqueName: 'domain_id',
  fields: {
    ...idAndName,
    domain_id: text('Id of the domain', filterable),
    description: text('Description', searchable),
    created_at: knownTimestamp('When the group was created', filterable),
    links,
  },
  columns: ['name', 'domain_id', 'description', 'created_at'],
  form: formInDomain,
} as const satisfies AdministeredResource

export const GroupDto = wireSchema(groups)
export type GroupDto = Static<typeof GroupDto>

const view = {
  id: example.groupId,
  name: 'operators',
  domain_id: example.domainId,
  description: 'On call',
  created_at: exampleTimestamp,
  links: { self: example.self('groups', example.groupId) },
}

/** Maximum number of users in one request. */
const maxMembers = 100

const membership = {
  path: '/v3/groups/{id}/users/{user_id}',
  ...identityDefaults,
  tag: 'Groups',
} as const
const toRead = {
  service: 'identity',
  resource: 'groups',
  action: 'get',
  at: ['system', 'domain'],
} as const
const toChange = { ...toRead, action: 'update' } as const

/** Adds or removes several members at once. For Cloudpods' client. */
const changeMembers = <const Verb extends 'add' | 'remove'>(verb: Verb, description: string) =>
  ({
    id: `${verb}GroupUsers` as const,
    method: 'POST',
    path: `/v3/groups/{id}/${verb}-users` as const,
    ...identityDefaults,
    permission: toChange,
    tag: 'Groups',
    summary: `${verb === 'add' ? 'Add users to' : 'Remove users from'} a group`,
    description: `${description} Group and users by id or name. All of them, or none.`,
    body: exactObject({
      group: exactObject({ user: Type.Array(Name, { minItems: 1, maxItems: maxMembers }) }),
    }),
    example: { group: { user: ['ada', example.userId] } },
    responses: {
      200: {
        description: `The users are ${verb === 'add' ? 'members' : 'no longer members'}`,
        body: exactObject({ group: GroupDto }),
        example: { group: view },
      },
    },
  }) as const

export const groupOperations = [
  ...resourceOperations(groups, {
    tag: 'Groups',
    create: exactObject({
      name: NewName,
      domain_id: Type.Optional(Id),
      description: Description,
    }),
    update: changesObject({ name: Type.Optional(NewName), description: Description }),
    at: { read: ['system', 'domain', 'project'], write: ['system', 'domain'] },
    notes: { list: 'With a token for a project: the groups with a role in the project.' },
    examples: {
      view,
      create: { name: 'operators', domain_id: example.domainId, description: 'On call' },
      update: { description: 'On call, day and night' },
    },
  }),
  {
    id: 'listGroupUsers',
    method: 'GET',
    path: '/v3/groups/{id}/users',
    ...identityDefaults,
    permission: toRead,
    tag: 'Groups',
    summary: 'List the members of a group',
    query: keystoneListQuery(users),
    responses: {
      200: {
        description: 'Members of the group',
        body: keystoneListBody('users', UserDto),
        example: listExample('users', `/v3/groups/${example.groupId}/users`, userExample),
      },
    },
  },
  {
    id: 'listUserGroups',
    method: 'GET',
    path: '/v3/users/{id}/groups',
    ...identityDefaults,
    permission: {
      service: 'identity',
      resource: 'users',
      action: 'get',
      at: ['system', 'domain', 'self'],
    },
    tag: 'Groups',
    summary: 'List the groups of a user',
    query: keystoneListQuery(groups),
    responses: {
      200: {
        description: 'Groups of the user',
        body: keystoneListBody('groups', GroupDto),
        example: listExample('groups', `/v3/users/${example.userId}/groups`, view),
      },
    },
  },
  {
    id: 'addGroupUser',
    method: 'PUT',
    ...membership,
    permission: toChange,
    summary: 'Add a user to a group',
    description:
      'The user gets the roles of the group. You can add members only to groups whose roles you could grant. Adding a member twice has no effect.',
    responses: { 204: { description: 'The user is a member' } },
  },
  {
    id: 'checkGroupUser',
    method: 'HEAD',
    ...membership,
    permission: toRead,
    summary: 'Check whether a user is in a group',
    responses: { 204: { description: 'The user is a member. Otherwise 404.' } },
  },
  {
    id: 'removeGroupUser',
    method: 'DELETE',
    ...membership,
    permission: toChange,
    summary: 'Remove a user from a group',
    responses: { 204: { description: 'The user is no longer a member' } },
  },
  changeMembers('add', 'The users get the roles of the group.'),
  changeMembers('remove', 'The users lose the roles of the group.'),
] as const satisfies readonly Operation[]
