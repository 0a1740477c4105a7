import { Type, type Static } from 'typebox'
import { administrationNames } from '../resources/names.ts'
import type { Operation } from '../operation.ts'
import { changesObject, exactObject, NewName } from '../scalars.ts'
import { example, exampleTimestamp } from './examples.ts'
import { impactOperation } from './impact.ts'
import { LoginRules, noLoginRules } from './login-rules.ts'
import { settableOfContainer, tagsAndOptions } from './keystone-compatibility.ts'
import {
  boolean,
  enumeration,
  filterable,
  knownTimestamp,
  object,
  searchable,
  text,
  timestamp,
  wireSchema,
  type AdministeredResource,
} from '../resources/resource.ts'
import { idAndName, links, resourceOperations } from './resource-operations.ts'

export const localPasswordRules = ['on', 'break_glass'] as const
export type LocalPasswordRule = (typeof localPasswordRules)[number]
/** For how long passwords that a domain refuses can be brought back. */
export const passwordUndoDays = 30

export const domains = {
  ...administrationNames.domains,
  visibility: { domain: { domain: 'id' }, project: { domain: 'id' } },
  uniqueName: 'everywhere',
  fields: {
    ...idAndName,
    description: text('Description', searchable),
    enabled: boolean('Whether its users and projects can be used', filterable, true),
    local_passwords: {
      ...enumeration(
        'Who may log in with a password of Muster. `on`: every user who has one. `break_glass`: only users with `break_glass`. See `POST /v3/domains/{id}/local_passwords`.',
        filterable,
        'on',
      ),
      schema: Type.Enum([...localPasswordRules]),
    },
    local_passwords_since: timestamp(
      `Since when \`local_passwords\` is \`break_glass\`. The passwords of all others are erased ${passwordUndoDays} days later. null: they are not restricted.`,
      filterable,
    ),
    login_rules: object(
      'How long and from where its users are logged in. See `POST /v3/domains/{id}/login_rules`.',
      LoginRules,
      noLoginRules,
    ),
    ...tagsAndOptions,
    created_at: knownTimestamp('When the domain was created', filterable),
    links,
  },
  columns: ['name', 'enabled', 'description', 'created_at'],
  form: { fields: ['name', 'description'], required: ['name'], once: [] },
} as const satisfies AdministeredResource

export const DomainDto = wireSchema(domains)
export type DomainDto = Static<typeof DomainDto>

export const domainExample = {
  id: example.domainId,
  name: 'Research',
  description: 'The laboratories',
  enabled: true,
  local_passwords: 'on' as const,
  local_passwords_since: null,
  login_rules: noLoginRules,
  tags: [],
  options: {},
  created_at: exampleTimestamp,
  links: { self: example.self('domains', example.domainId) },
}

export const domainOperations = [
  ...resourceOperations(domains, {
    tag: 'Domains',
    create: exactObject({ name: NewName, ...settableOfContainer }),
    update: changesObject({ name: Type.Optional(NewName), ...settableOfContainer }),
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
