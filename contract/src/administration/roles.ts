import { Type, type Static } from 'typebox'
import { administrationNames } from '../resources/names.ts'
import { identityDefaults } from '../operation-defaults.ts'
import type { Operation } from '../operation.ts'
import { changesObject, exactObject, Id, NewName } from '../scalars.ts'
import { example, exampleTimestamp, listExample } from './examples.ts'
import { Description, emptyOptions } from './keystone-compatibility.ts'
import { policyExample, PolicyDto, policies } from './policies.ts'
import { levels } from '../policy-enums.ts'
import {
  enumeration,
  filterable,
  knownTimestamp,
  object,
  searchable,
  text,
  wireSchema,
  constant,
  type AdministeredResource,
  type Resource,
} from '../resources/resource.ts'
import {
  idAndName,
  keystoneListBody,
  keystoneListQuery,
  links,
  resourceOperations,
} from './resource-operations.ts'

export const roles = {
  ...administrationNames.roles,
  visibility: { domain: 'all', project: 'all' },
  uniqueName: 'everywhere',
  fields: {
    ...idAndName,
    domain_id: constant(object('Always null: roles belong to no domain', Type.Null(), null)),
    description: text('Description', searchable),
    options: constant(object('For Keystone clients', emptyOptions, {})),
    created_at: knownTimestamp('When the role was created', filterable),
    links,
  },
  columns: ['name', 'description', 'created_at'],
  form: { fields: ['name', 'description'], required: ['name'], once: [] },
} as const satisfies AdministeredResource

export const RoleDto = wireSchema(roles)
export type RoleDto = Static<typeof RoleDto>

export const roleExample = {
  id: example.roleId,
  name: 'project_owner',
  domain_id: null,
  description: 'Full access to a project, including its members',
  options: {},
  created_at: exampleTimestamp,
  links: { self: example.self('roles', example.roleId) },
}

/** Which policy is bound to which role. For Cloudpods' client. */
export const rolepolicies = {
  key: 'rolepolicy',
  keys: 'rolepolicies',
  noun: 'PolicyBinding',
  nouns: 'PolicyBindings',
  one: 'a policy binding',
  many: 'policy bindings',
  fields: {
    id: text('Ids of role and policy', filterable),
    name: text('Names of role and policy', searchable),
    role: text('Name of the role', searchable),
    role_id: text('Id of the role', filterable),
    policy: text('Name of the policy', searchable),
    policy_id: text('Id of the policy', filterable),
    scope: {
      ...enumeration('Scope of the policy', filterable),
      schema: Type.Enum([...levels]),
    },
  },
} as const satisfies Resource
export const PolicyBindingDto = wireSchema(rolepolicies)
export type PolicyBindingDto = Static<typeof PolicyBindingDto>

const bindingExample = {
  id: `${example.roleId}:${example.policyId}`,
  name: 'project_owner/project_owner',
  role: 'project_owner',
  role_id: example.roleId,
  policy: 'project_owner',
  policy_id: example.policyId,
  scope: 'project',
}

const binding = {
  path: '/v3/roles/{id}/policies/{policy_id}',
  ...identityDefaults,
  tag: 'Roles',
} as const

export const roleOperations = [
  ...resourceOperations(roles, {
    tag: 'Roles',
    create: exactObject({
      name: NewName,
      description: Description,
      domain_id: Type.Optional(Type.Null()),
      options: Type.Optional(emptyOptions),
    }),
    update: changesObject({
      name: Type.Optional(NewName),
      description: Description,
      options: Type.Optional(emptyOptions),
    }),
    at: { read: ['system', 'domain', 'project'], write: ['system'] },
    notes: {
      create: 'A new role grants nothing until you bind a policy.',
      delete: 'Also deletes all assignments of the role.',
    },
    examples: {
      view: roleExample,
      create: { name: 'tagger', description: 'Can only tag servers' },
      update: { description: 'Can tag servers' },
    },
  }),
  {
    id: 'listRolePolicies',
    method: 'GET',
    path: '/v3/roles/{id}/policies',
    ...identityDefaults,
    permission: {
      service: 'identity',
      resource: 'roles',
      action: 'get',
      at: ['system', 'domain', 'project'],
    },
    tag: 'Roles',
    summary: 'List the policies of a role',
    query: keystoneListQuery(policies),
    responses: {
      200: {
        description: 'Policies bound to the role',
        body: keystoneListBody('policies', PolicyDto),
        example: listExample('policies', `/v3/roles/${example.roleId}/policies`, policyExample),
      },
    },
  },
  {
    id: 'listPolicyBindings',
    method: 'GET',
    path: '/v3/rolepolicies',
    ...identityDefaults,
    permission: {
      service: 'identity',
      resource: 'roles',
      action: 'get',
      at: ['system', 'domain', 'project'],
    },
    tag: 'Roles',
    summary: 'List the policies of all roles',
    query: exactObject({
      ...keystoneListQuery(rolepolicies).properties,
      role_ids: Type.Optional(Type.Array(Id, { maxItems: 100, description: 'Alias of `role_id`' })),
    }),
    responses: {
      200: {
        description: 'Which policy is bound to which role',
        body: keystoneListBody('rolepolicies', PolicyBindingDto),
        example: listExample('rolepolicies', '/v3/rolepolicies', bindingExample),
      },
    },
  },
  {
    id: 'bindPolicy',
    method: 'PUT',
    ...binding,
    permission: { service: 'identity', resource: 'roles', action: 'update', at: ['system'] },
    summary: 'Bind a policy to a role',
    description: 'Takes effect with the next request of every user with the role.',
    responses: { 204: { description: 'Policy bound' } },
  },
  {
    id: 'checkPolicyBinding',
    method: 'HEAD',
    ...binding,
    permission: {
      service: 'identity',
      resource: 'roles',
      action: 'get',
      at: ['system', 'domain', 'project'],
    },
    summary: 'Check whether a policy is bound to a role',
    responses: { 204: { description: 'The policy is bound. Otherwise 404.' } },
  },
  {
    id: 'unbindPolicy',
    method: 'DELETE',
    ...binding,
    permission: { service: 'identity', resource: 'roles', action: 'update', at: ['system'] },
    summary: 'Unbind a policy from a role',
    responses: { 204: { description: 'Policy unbound' } },
  },
] as const satisfies readonly Operation[]
