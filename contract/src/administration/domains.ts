import { Type, type Static } from 'typebox'
import type { Operation } from '../operation.ts'
import { listQuery, resourceOperations, SelfLink } from '../resource.ts'
import { exactObject, Name, NewName, Timestamp } from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'
import { impactOperation } from './impact.ts'
import { Description, emptyOptions, emptyTags } from './keystone-compatibility.ts'

export const DomainDto = exactObject({
  id: Type.String(),
  name: Type.String(),
  description: Type.String(),
  enabled: Type.Boolean(),
  tags: emptyTags,
  options: emptyOptions,
  created_at: Timestamp,
  links: SelfLink,
})
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
  ...resourceOperations({
    noun: 'Domain',
    nouns: 'Domains',
    key: 'domain',
    keys: 'domains',
    one: 'a domain',
    many: 'domains',
    tag: 'Domains',
    view: DomainDto,
    create: exactObject({ name: NewName, ...settable }),
    update: Type.Object(
      { name: Type.Optional(NewName), ...settable },
      { additionalProperties: false, minProperties: 1 },
    ),
    query: listQuery(['name', 'created_at', 'enabled'], {
      name: Type.Optional(Name),
      enabled: Type.Optional(Type.Boolean()),
    }),
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
