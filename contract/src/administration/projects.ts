import { Type, type Static } from 'typebox'
import { administrationNames } from '../resources/names.ts'
import type { Operation } from '../operation.ts'
import { changesObject, exactObject, Id, NewName } from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'
import { identityDefaults } from '../operation-defaults.ts'
import { impactOperation } from './impact.ts'
import { settableOfContainer, tagsAndOptions } from './keystone-compatibility.ts'
import {
  boolean,
  filterable,
  knownTimestamp,
  object,
  searchable,
  text,
  wireSchema,
  constant,
  sameAs,
  type AdministeredResource,
} from '../resources/resource.ts'
import { formInDomain, idAndName, links, resourceOperations } from './resource-operations.ts'

export const projects = {
  ...administrationNames.projects,
  visibility: { domain: { domain: 'domain_id' }, project: { project: 'id' } },
  uniqueName: 'domain_id',
  fields: {
    ...idAndName,
    domain_id: text('Id of the domain', filterable),
    description: text('Description', searchable),
    enabled: boolean('Whether tokens for the project are valid', filterable, true),
    parent_id: sameAs('domain_id', text('The domain. Projects cannot be nested.', filterable)),
    is_domain: constant(object('For Keystone clients', Type.Literal(false), false)),
    ...tagsAndOptions,
    created_at: knownTimestamp('When the project was created', filterable),
    links,
  },
  columns: ['name', 'domain_id', 'enabled', 'description', 'created_at'],
  form: formInDomain,
} as const satisfies AdministeredResource

export const ProjectDto = wireSchema(projects)
export type ProjectDto = Static<typeof ProjectDto>

const maxProjectSummaries = 200

const ProjectSummary = exactObject({
  project_id: Type.String(),
  servers: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Servers that exist, without the recycle bin; null if you cannot list them',
  }),
  users: Type.Union([Type.Integer(), Type.Null()], {
    description: 'Users with a role in the project; null if you cannot list them',
  }),
  owners: Type.Union([Type.Array(Type.String()), Type.Null()], {
    description: 'Names, sorted; null if you cannot list users',
  }),
})
export type ProjectSummary = Static<typeof ProjectSummary>

export const projectExample = {
  id: example.projectId,
  name: 'genome',
  domain_id: example.domainId,
  description: 'Sequencing',
  enabled: true,
  parent_id: example.domainId,
  is_domain: false,
  tags: [],
  options: {},
  created_at: exampleTimestamp,
  links: { self: example.self('projects', example.projectId) },
}

export const projectOperations = [
  ...resourceOperations(projects, {
    tag: 'Projects',
    create: exactObject({
      name: NewName,
      domain_id: Type.Optional(Id),
      parent_id: Type.Optional(Id),
      is_domain: Type.Optional(Type.Literal(false)),
      ...settableOfContainer,
    }),
    update: changesObject({ name: Type.Optional(NewName), ...settableOfContainer }),
    at: { read: ['system', 'domain', 'project'], write: ['system', 'domain'] },
    notes: {
      create:
        'Default `domain_id`: the domain of your token. `parent_id` is an alias of `domain_id`.',
      update:
        'Disabling a project revokes all tokens for it. See `/v3/projects/{id}/impact` before you do it. The project `system` of the default domain cannot be disabled or renamed.',
      delete:
        'Deletes the project with its role assignments, access keys and tokens. The project `system` of the default domain cannot be deleted.',
    },
    examples: {
      view: projectExample,
      create: { name: 'genome', domain_id: example.domainId, description: 'Sequencing' },
      update: { enabled: false },
    },
  }),
  impactOperation('Project', 'projects', 'a project', ['system', 'domain']),
  {
    id: 'getProjectSummaries',
    method: 'GET',
    path: '/v3/project_summaries',
    ...identityDefaults,
    permission: {
      service: 'identity',
      resource: 'projects',
      action: 'list',
      at: ['system', 'domain', 'project'],
    },
    tag: 'Projects',
    summary: 'Count the servers and users of projects',
    description:
      'For projects that you name. Those that you cannot list are left out. Users of groups count too. Owners are the users and groups with the role `project_owner`.',
    query: exactObject({
      project_id: Type.Optional(Type.Array(Id, { maxItems: maxProjectSummaries })),
    }),
    responses: {
      200: {
        description: 'The projects, in no order',
        body: exactObject({ project_summaries: Type.Array(ProjectSummary) }),
        example: {
          project_summaries: [
            { project_id: example.projectId, servers: 412, users: 7, owners: ['ada', 'operators'] },
          ],
        },
      },
    },
  },
] as const satisfies readonly Operation[]
