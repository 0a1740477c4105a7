import { Type, type Static, type TSchema } from 'typebox'
import { identityDefaults } from '../operation-defaults.ts'
import type { PermissionLevel, Operation } from '../operation.ts'
import { filterable, searchable, text, type Resource } from '../resources/resource.ts'
import { exactObject, Id, Name } from '../scalars.ts'
import { example, listExample } from './examples.ts'
import { keystoneListBody, keystoneListQuery } from './resource-operations.ts'
import { roleExample, RoleDto, roles } from './roles.ts'

const Text = Type.String()
const Named = exactObject({
  id: Text,
  name: Type.Optional(Text),
  domain: Type.Optional(exactObject({ id: Text, name: Text })),
})

export const RoleAssignmentDto = exactObject({
  role: exactObject({ id: Text, name: Type.Optional(Text) }),
  user: Type.Optional(Named),
  group: Type.Optional(Named),
  scope: exactObject({
    project: Type.Optional(Named),
    domain: Type.Optional(exactObject({ id: Text, name: Type.Optional(Text) })),
    system: Type.Optional(exactObject({ all: Type.Literal(true) })),
  }),
  links: exactObject({ assignment: Text, membership: Type.Optional(Text) }),
})
export type RoleAssignmentDto = Static<typeof RoleAssignmentDto>

/** What role assignments can be filtered and sorted by. On the wire they are nested. */
export const roleAssignments = {
  key: 'role_assignment',
  keys: 'role_assignments',
  noun: 'RoleAssignment',
  nouns: 'RoleAssignments',
  one: 'a role assignment',
  many: 'role assignments',
  fields: {
    role_id: text('Id of the role', filterable),
    role: text('Name of the role', searchable),
    user_id: text('Id of the user', filterable),
    user: text('Name of the user', searchable),
    group_id: text('Id of the group', filterable),
    group: text('Name of the group', searchable),
    project_id: text('Id of the project', filterable),
    project: text('Name of the project', searchable),
    domain_id: text('Id of the domain, for roles on a domain', filterable),
    domain: text('Name of the domain, for roles on a domain', searchable),
  },
} as const satisfies Resource

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
    ...keystoneListQuery(roleAssignments).properties,
    'user.id': Type.Optional(Id),
    'group.id': Type.Optional(Id),
    'role.id': Type.Optional(Id),
    'scope.project.id': Type.Optional(Id),
    'scope.domain.id': Type.Optional(Id),
    'scope.system': Type.Optional(Type.Enum(['all'])),
    effective: OptionalBoolean,
    include_names: OptionalBoolean,
  }),
  responses: {
    200: {
      description: 'Role assignments that you can access',
      body: keystoneListBody('role_assignments', RoleAssignmentDto),
      example: listExample('role_assignments', '/v3/role_assignments?include_names', {
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
      }),
    },
  },
} as const satisfies Operation

/** List, grant, check and revoke the roles of a user or group on a project, a domain or the system. */
function targetOperations<
  const Target extends 'Project' | 'Domain' | 'System',
  const Holder extends 'User' | 'Group',
  const Base extends string,
>(target: Target, holder: Holder, base: Base, at: readonly PermissionLevel[]) {
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
      query: keystoneListQuery(roles),
      responses: {
        200: {
          description: 'Roles that are assigned directly, not through a group',
          body: keystoneListBody('roles', RoleDto),
          example: listExample('roles', collection, roleExample),
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

/** Maximum number of projects or roles in one request. All their pairs are one change, during which others wait. */
const maxJoined = 10

const Joined = Type.Array(Name, { minItems: 1, maxItems: maxJoined })

/** Grant and revoke several roles on projects at once. For Cloudpods' client. */
function projectMembership<const Holder extends 'User' | 'Group'>(
  holder: Holder,
  at: readonly PermissionLevel[],
) {
  const key = holder.toLowerCase() as Lowercase<Holder>
  const body = <Schema extends TSchema>(schema: Schema) =>
    exactObject({ [key]: schema } as Record<Lowercase<Holder>, Schema>)
  const common = { ...identityDefaults, method: 'POST', tag: 'Assignments' } as const
  const named = `${holder}, projects and roles by id or name. All of them, or none.`
  const responses = (description: string) => ({
    200: {
      description,
      body: body(exactObject({ id: Text, name: Text })),
      example: { [key]: { id: example.userId, name: 'ada' } },
    },
  })
  return [
    {
      id: `join${holder}Projects` as const,
      path: `/v3/${key}s/{id}/join` as const,
      ...common,
      permission: { service: 'identity', resource: 'role_assignments', action: 'create', at },
      summary: `Grant a ${key} roles on projects`,
      description: `Grants each of the roles on each of the projects. ${named}`,
      body: body(
        exactObject({
          projects: Joined,
          roles: Joined,
          enabled: Type.Optional(
            Type.Literal(false, { description: 'No effect. To enable a user, use `enable`.' }),
          ),
        }),
      ),
      example: { [key]: { projects: ['genome'], roles: ['project_viewer'] } },
      responses: responses('Roles granted'),
    },
    {
      id: `leave${holder}Projects` as const,
      path: `/v3/${key}s/{id}/leave` as const,
      ...common,
      permission: { service: 'identity', resource: 'role_assignments', action: 'delete', at },
      summary: `Revoke roles of a ${key} on projects`,
      description: named,
      body: body(
        exactObject({
          project_roles: Type.Array(exactObject({ project: Name, role: Name }), {
            minItems: 1,
            maxItems: maxJoined * maxJoined,
          }),
        }),
      ),
      example: { [key]: { project_roles: [{ project: 'genome', role: 'project_viewer' }] } },
      responses: responses('Roles revoked'),
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
  ...projectMembership('User', onProject),
  ...projectMembership('Group', onProject),
] as const satisfies readonly Operation[]
