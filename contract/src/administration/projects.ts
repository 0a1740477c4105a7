import { Type, type Static } from 'typebox'
import type { Operation } from '../operation.ts'
import { listQuery, resourceOperations, SelfLink } from '../resource.ts'
import { exactObject, Id, Name, NewName, Timestamp } from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'
import { impactOperation } from './impact.ts'
import { Description, emptyOptions, emptyTags } from './keystone-compatibility.ts'

export const ProjectDto = exactObject({
  id: Type.String(),
  name: Type.String(),
  domain_id: Type.String(),
  description: Type.String(),
  enabled: Type.Boolean(),
  parent_id: Type.String({ description: 'The domain. Projects cannot be nested.' }),
  is_domain: Type.Literal(false),
  tags: emptyTags,
  options: emptyOptions,
  created_at: Timestamp,
  links: SelfLink,
})
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
  ...resourceOperations({
    noun: 'Project',
    nouns: 'Projects',
    key: 'project',
    keys: 'projects',
    one: 'a project',
    many: 'projects',
    tag: 'Projects',
    view: ProjectDto,
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
    query: listQuery(['name', 'created_at', 'enabled'], {
      name: Type.Optional(Name),
      enabled: Type.Optional(Type.Boolean()),
      domain_id: Type.Optional(Id),
      parent_id: Type.Optional(Id),
    }),
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
