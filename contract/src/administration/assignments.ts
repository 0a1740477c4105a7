import { Type, type Static } from 'typebox'
import { clientParameters, offsetParameter, shortListParameters } from '../paging.ts'
import { identityDefaults } from '../operation-defaults.ts'
import type { Level, Operation } from '../operation.ts'
import { Links, listQuery } from '../resource.ts'
import { exactObject, Id } from '../scalars.ts'
import { example } from './examples.ts'
import { roleExample, RoleDto } from './roles.ts'

const text = Type.String()
const Named = exactObject({
  id: text,
  name: Type.Optional(text),
  domain: Type.Optional(exactObject({ id: text, name: text })),
})

export const RoleAssignmentDto = exactObject({
  role: exactObject({ id: text, name: Type.Optional(text) }),
  user: Type.Optional(Named),
  group: Type.Optional(Named),
  scope: exactObject({
    project: Type.Optional(Named),
    domain: Type.Optional(exactObject({ id: text, name: Type.Optional(text) })),
    system: Type.Optional(exactObject({ all: Type.Literal(true) })),
  }),
  links: exactObject({ assignment: text, membership: Type.Optional(text) }),
})
export type RoleAssignmentDto = Static<typeof RoleAssignmentDto>

const OptionalBoolean = Type.Optional(Type.Boolean())

const listRoleAssignments = {
  id: 'listRoleAssignments',
  method: 'GET',
  path: '/v3/role_assignments',
  ...identityDefaults,
  permission: {
    service: 'identity',
    resource: 'role_assignments',
    action: 'list',
    at: ['system', 'domain', 'project', 'self'],
  },
  tag: 'Assignments',
  summary: 'List role assignments',
  description:
    'Without further permissions you see your own assignments. `effective` lists the members of groups instead of the groups. `include_names` adds names to the ids. Both work without a value: `?include_names`.',
  query: exactObject({
    'user.id': Type.Optional(Id),
    'group.id': Type.Optional(Id),
    'role.id': Type.Optional(Id),
    'scope.project.id': Type.Optional(Id),
    'scope.domain.id': Type.Optional(Id),
    'scope.system': Type.Optional(Type.Enum(['all'])),
    effective: OptionalBoolean,
    include_names: OptionalBoolean,
    limit: listQuery([], {}).properties.limit,
    marker: listQuery([], {}).properties.marker,
    offset: offsetParameter,
    ...clientParameters,
  }),
  responses: {
    200: {
      description: 'Role assignments that you can access',
      body: exactObject({ role_assignments: Type.Array(RoleAssignmentDto), links: Links }),
      example: {
        role_assignments: [
          {
            role: { id: example.roleId, name: 'project_owner' },
            user: {
              id: example.userId,
              name: 'ada',
              domain: { id: example.domainId, name: 'Research' },
            },
            scope: {
              project: {
                id: example.projectId,
                name: 'genome',
                domain: { id: example.domainId, name: 'Research' },
              },
            },
            links: {
              assignment: `${example.self('projects', example.projectId)}/users/${example.userId}/roles/${example.roleId}`,
            },
          },
        ],
        links: {
          self: 'http://127.0.0.1:8400/v3/role_assignments?include_names',
          next: null,
          previous: null,
        },
      },
    },
  },
} as const satisfies Operation

/** List, grant, check and revoke the roles of a user or group on a project, a domain or the system. */
function targetOperations<
  const Target extends 'Project' | 'Domain' | 'System',
  const Holder extends 'User' | 'Group',
  const Base extends string,
>(target: Target, holder: Holder, base: Base, at: readonly Level[]) {
  const collection = base
  const item = `${base}/{role_id}` as const
  const where = target === 'System' ? 'the system' : `a ${target.toLowerCase()}`
  const who = `a ${holder.toLowerCase()}`
  const common = { ...identityDefaults, tag: 'Assignments' } as const
  const permission = (action: 'list' | 'get' | 'create' | 'delete') =>
    ({ service: 'identity', resource: 'role_assignments', action, at }) as const
  return [
    {
      id: `list${target}${holder}Roles` as const,
      method: 'GET',
      path: collection,
      ...common,
      permission: permission('list'),
      summary: `List the roles of ${who} on ${where}`,
      query: exactObject(shortListParameters),
      responses: {
        200: {
          description: 'Roles that are assigned directly, not through a group',
          body: exactObject({ roles: Type.Array(RoleDto), links: Links }),
          example: {
            roles: [roleExample],
            links: { self: `http://127.0.0.1:8400${collection}`, next: null, previous: null },
          },
        },
      },
    },
    {
      id: `grant${target}${holder}Role` as const,
      method: 'PUT',
      path: item,
      ...common,
      permission: permission('create'),
      summary: `Grant ${who} a role on ${where}`,
      description:
        'You can grant only permissions that you have there yourself. Granting a role twice has no effect.',
      responses: { 204: { description: 'Role granted' } },
    },
    {
      id: `check${target}${holder}Role` as const,
      method: 'HEAD',
      path: item,
      ...common,
      permission: permission('get'),
      summary: `Check whether ${who} has a role on ${where}`,
      responses: { 204: { description: 'The role is assigned. Otherwise 404.' } },
    },
    {
      id: `revoke${target}${holder}Role` as const,
      method: 'DELETE',
      path: item,
      ...common,
      permission: permission('delete'),
      summary: `Revoke a role on ${where} from ${who}`,
      description:
        'Takes effect with the next request. You cannot revoke the role of the last system administrator.',
      responses: { 204: { description: 'Role revoked' } },
    },
  ] as const satisfies readonly Operation[]
}

const onProject = ['system', 'domain', 'project'] as const
const onDomain = ['system', 'domain'] as const
const onSystem = ['system'] as const

export const assignmentOperations = [
  listRoleAssignments,
  ...targetOperations('Project', 'User', '/v3/projects/{id}/users/{user_id}/roles', onProject),
  ...targetOperations('Project', 'Group', '/v3/projects/{id}/groups/{group_id}/roles', onProject),
  ...targetOperations('Domain', 'User', '/v3/domains/{id}/users/{user_id}/roles', onDomain),
  ...targetOperations('Domain', 'Group', '/v3/domains/{id}/groups/{group_id}/roles', onDomain),
  ...targetOperations('System', 'User', '/v3/system/users/{user_id}/roles', onSystem),
  ...targetOperations('System', 'Group', '/v3/system/groups/{group_id}/roles', onSystem),
] as const satisfies readonly Operation[]
