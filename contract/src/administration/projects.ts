import { Type, type Static } from 'typebox'
import { administrationNames } from '../resources/names.ts'
import type { Operation } from '../operation.ts'
import { exactObject, Id, NewName } from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'
import { impactOperation } from './impact.ts'
import { Description, emptyOptions, emptyTags } from './keystone-compatibility.ts'
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
import { resourceOperations, links } from './resource-operations.ts'

export const projects = {
  ...administrationNames.projects,
  visibility: { domain: { domain: 'domain_id' }, project: { project: 'id' } },
  uniqueName: 'domain_id',
  fields: {
    id: text('Id', searchable),
    name: text('Name. Equality ignores case and width.', searchable),
    domain_id: text('Id of the domain', filterable),
    description: text('Description', searchable),
    enabled: boolean('Whether tokens for the project are valid', filterable, true),
    parent_id: sameAs('domain_id', text('The domain. Projects cannot be nested.', filterable)),
    is_domain: constant(object('For Keystone clients', Type.Literal(false), false)),
    tags: constant(object('For Keystone clients', emptyTags, [])),
    options: constant(object('For Keystone clients', emptyOptions, {})),
    created_at: knownTimestamp('When the project was created', filterable),
    links,
  },
  columns: ['name', 'domain_id', 'enabled', 'description', 'created_at'],
  form: {
    fields: ['name', 'domain_id', 'description'],
    required: ['name', 'domain_id'],
    once: ['domain_id'],
  },
} as const satisfies AdministeredResource

export const ProjectDto = wireSchema(projects)
export type ProjectDto = Static<typeof ProjectDto>

const settable = {
  description: Description,
  enabled: Type.Optional(Type.Boolean()),
  tags: Type.Optional(emptyTags),
  options: Type.Optional(emptyOptions),
}

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
      ...settable,
    }),
    update: Type.Object(
      { name: Type.Optional(NewName), ...settable },
      { additionalProperties: false, minProperties: 1 },
    ),
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
] as const satisfies readonly Operation[]
