import { Type, type Static } from 'typebox'
import { administrationNames } from '../resources/names.ts'
import type { Operation } from '../operation.ts'
import { exactObject, NewName } from '../scalars.ts'
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
  type AdministeredResource,
} from '../resources/resource.ts'
import { resourceOperations, links } from './resource-operations.ts'

export const domains = {
  ...administrationNames.domains,
  visibility: { domain: { domain: 'id' }, project: { domain: 'id' } },
  uniqueName: 'everywhere',
  fields: {
    id: text('Id', searchable),
    name: text('Name. Equality ignores case and width.', searchable),
    description: text('Description', searchable),
    enabled: boolean('Whether its users and projects can be used', filterable, true),
    tags: constant(object('For Keystone clients', emptyTags, [])),
    options: constant(object('For Keystone clients', emptyOptions, {})),
    created_at: knownTimestamp('When the domain was created', filterable),
    links,
  },
  columns: ['name', 'enabled', 'description', 'created_at'],
  form: { fields: ['name', 'description'], required: ['name'], once: [] },
} as const satisfies AdministeredResource

export const DomainDto = wireSchema(domains)
export type DomainDto = Static<typeof DomainDto>

const settable = {
  description: Description,
  enabled: Type.Optional(Type.Boolean()),
  tags: Type.Optional(emptyTags),
  options: Type.Optional(emptyOptions),
}

export const domainExample = {
  id: example.domainId,
  name: 'Research',
  description: 'The laboratories',
  enabled: true,
  tags: [],
  options: {},
  created_at: exampleTimestamp,
  links: { self: example.self('domains', example.domainId) },
}

export const domainOperations = [
  ...resourceOperations(domains, {
    tag: 'Domains',
    create: exactObject({ name: NewName, ...settable }),
    update: Type.Object(
      { name: Type.Optional(NewName), ...settable },
      { additionalProperties: false, minProperties: 1 },
    ),
    at: { read: ['system', 'domain', 'project'], write: ['system'] },
    notes: {
      update:
        'Disabling a domain revokes all tokens of its users and all tokens for its projects. See `/v3/domains/{id}/impact` before you do it. The default domain cannot be disabled.',
      delete:
        'Deletes the domain with its projects, users, groups, access keys and role assignments. Disable the domain first. `/v3/domains/{id}/impact` shows what is deleted. The default domain cannot be deleted.',
    },
    examples: {
      view: domainExample,
      create: { name: 'Research', description: 'The laboratories' },
      update: { description: 'All laboratories' },
    },
  }),
  impactOperation('Domain', 'domains', 'a domain', ['system']),
] as const satisfies readonly Operation[]
